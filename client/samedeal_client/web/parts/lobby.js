/** A race before its start: who is there, who is ready, what it is run under, and what one can do. */

import { fill, h, keyed } from '../dom.js';
import { clock, counted, span, stateWords, when } from '../words.js';
import { Hosting } from './hosting.js';
import { RIVALS } from './quick.js';
import { refusal, sentence } from './said.js';
import { share } from './share.js';
import { termsChips } from './terms.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../net/race.js').Race} Race */

/** The lobby of a race; `draw` shows how it stands now. */
export class Lobby {
  /**
   * @param {Context} context
   * @param {Race} race
   * @param {import('./chat.js').Chat} chat
   */
  constructor(context, race, chat) {
    this.context = context;
    this.race = race;
    this.chat = chat;
    this.state = h('p', { class: 'lead', role: 'status' });
    this.stopped = h('p', { class: 'fault', role: 'status', hidden: true });
    this.list = h('ul', { class: 'entrants' });
    this.heading = h('h2', {});
    this.fault = h('p', { class: 'fault', role: 'alert', hidden: true });
    this.buttons = h('div', { class: 'row deeds' });
    this.join = this.#button('Join the race', () => race.join(), 'primary');
    this.ready = this.#button('I am ready', () => race.ask(race.me?.state === 'ready' ? 'unready' : 'ready'), 'primary');
    this.begin = this.#button('Open the deal and start my clock', () => race.ask('begin'), 'primary');
    this.start = this.#button('Start now', () => race.ask('start'), 'primary');
    this.cancel = this.#button('Call the race off', () => race.ask('cancel'), 'danger');
    this.leave = this.#button('Leave', async () => {
      await race.ask('leave');
      context.go('/');
    });
    this.watch = h('a', { class: 'button', href: `/r/${race.code}/watch` }, 'Watch');
    this.buttons.append(this.join, this.ready, this.begin, this.start, this.watch, this.leave, this.cancel);
    this.house = this.#house();
    this.hosting = new Hosting(race);
    const { game, terms } = race;
    this.node = h('div', { class: 'narrow lobby' },
      h('p', { class: 'quiet' }, h('a', { href: `/games/${terms.game}` }, 'Rules of this game'), race.tournament ? [' · ', h('a', { href: `/t/${race.tournament}` }, 'the tournament')] : null),
      h('h1', {}, game.name, terms.game.includes(':') ? h('small', { class: 'quiet' }, ` ${terms.game.split(':')[1].replaceAll('-', ' ')}`) : null),
      this.state, this.stopped, this.buttons, this.fault,
      h('div', { class: 'lobby-parts' },
        h('div', {},
          h('section', { class: 'sheet' }, this.heading, this.list, this.house, this.hosting.node),
          race.tournament ? null : h('section', { class: 'sheet' }, h('h2', {}, 'Invite others'), share(`/r/${race.code}`, race.code, context.say),
            race.phrase === undefined ? null : h('p', {}, 'The pass phrase: ', h('b', {}, race.phrase)))),
        h('div', {},
          h('section', { class: 'sheet' }, h('h2', {}, 'How it is raced'), termsChips(terms), this.#promise()),
          h('section', { class: 'sheet' }, chat.node))));
  }

  /** How the deal is kept from being chosen afterwards. */
  #promise() {
    const { race } = this;
    return [
      h('p', { class: 'quiet' }, race.seeded ? 'The host named the seed, the words that the deal is made from, and so may know it.' : 'Nobody knows the deal yet.'),
      h('details', { class: 'quiet' }, h('summary', {}, 'How you can check that'),
        h('p', {}, 'The deal is made from a seed. The server has promised it beforehand by this fingerprint (SHA-256) of the seed and a random salt, which fits no other; both are published with the results, and ',
          h('code', {}, 'samedeal verify'), ' checks them.'),
        h('p', { class: 'code digest' }, race.commitment)),
    ];
  }

  draw() {
    const { race } = this;
    const me = race.me;
    const isIn = me !== null && me.state !== 'withdrawn';
    const isAsync = race.terms.mode === 'async';
    const isOpen = race.phase === 'open';
    const entrants = [...race.entrants.values()].filter((each) => each.state !== 'withdrawn');
    const max = race.terms.entrants_max ?? 8;
    // Of a race without spectators one is told who is in it when one is in it.
    const isKnown = race.seq > 0;
    fill(this.heading, isKnown ? `${counted(entrants.length, 'entrant')}, room for ${max}` : `Room for ${max}`);
    keyed(this.list, entrants, (each) => String(each.entrant), (each, old) => {
      const line = old ?? h('li', {}, h('span', { class: 'name' }), h('span', { class: 'state' }));
      fill(/** @type {Element} */ (line.firstElementChild), h('bdi', {}, each.name), each.bot ? ' (bot)' : '', each.entrant === race.you ? ' (you)' : '');
      fill(/** @type {Element} */ (line.lastElementChild), each.away ? 'away' : isAsync && each.state === 'entered' ? 'not begun' : stateWords(each.state));
      line.classList.toggle('is-ready', each.state === 'ready');
      return line;
    });
    fill(this.state, this.#sentence(entrants));
    this.join.hidden = isIn || !(isOpen || (isAsync && race.phase === 'running')) || race.tournament !== null;
    this.watch.hidden = isIn || !isKnown || race.phase !== 'running';
    this.stopped.hidden = !(race.reason && isOpen);
    fill(this.stopped, sentence(`The countdown was stopped: ${race.reason}`));
    this.ready.hidden = !isIn || isAsync || race.terms.start === 'at' || !['open', 'countdown'].includes(race.phase);
    fill(this.ready, me?.state === 'ready' ? 'I am not ready after all' : 'I am ready');
    this.ready.classList.toggle('primary', me?.state !== 'ready');
    this.begin.hidden = !(isAsync && isIn && (me.state === 'entered' || me.state === 'ready'));
    this.start.hidden = !(race.isHost && isOpen && race.terms.start === 'host');
    this.start.disabled = entrants.length < (race.terms.entrants_min ?? 2);
    this.cancel.hidden = !(race.isHost && isOpen);
    this.leave.hidden = !(isIn && isOpen);
    this.house.hidden = !((race.isHost || isIn) && isOpen && race.terms.bots !== false && entrants.length < max && race.tournament === null && !isAsync && !!this.context.link.limits.house_bots);
    this.hosting.draw();
    this.chat.draw();
  }

  /** @param {import('../net/race.js').Entrant[]} entrants */
  #sentence(entrants) {
    const { race } = this;
    const { terms, me } = race;
    if (terms.mode === 'async') {
      const closes = race.closesIn();
      const left = closes === null ? '' : ` It closes in ${span(Math.ceil(closes / 1000))}.`;
      return me ? `Open the deal when you have time: your clock starts then.${left}` : `Everyone plays when they like, each on their own clock.${left}`;
    }
    if (race.phase === 'countdown') return `The race starts in ${clock(race.startsIn())}.`;
    if (terms.start === 'at') return `The race starts ${when(terms.start_at)}, in ${clock(race.startsIn())}.`;
    if (race.seq === 0) return 'Join to see who is in it: this race has no spectators.';
    const missing = (terms.entrants_min ?? 2) - entrants.length;
    if (missing > 0) return `Waiting for ${counted(missing, 'more player')}.`;
    if (terms.start === 'host') return race.isHost ? 'Start when you like.' : 'Waiting for the host to start.';
    const waiting = entrants.filter((each) => each.state !== 'ready').map((each) => each.name);
    if (me && me.state !== 'ready') return 'The race starts by itself when all are ready. Are you?';
    return `Waiting for ${waiting.length > 3 ? counted(waiting.length, 'player') : waiting.join(', ')} to be ready.`;
  }

  #house() {
    const kind = h('select', { 'aria-label': 'Which bot' }, Object.entries(RIVALS).map(([key, { words }]) => h('option', { value: key, selected: key === 'greedy' }, words)));
    const call = this.#button('Add a bot', () => this.race.ask('invite-bot', { bot: kind.value, ...(this.race.phrase === undefined ? {} : { phrase: this.race.phrase }) }));
    return h('p', { class: 'row house' }, kind, call);
  }

  /**
   * @param {string} words
   * @param {() => Promise<unknown>} deed
   * @param {string} [kind]
   */
  #button(words, deed, kind = '') {
    const button = h('button', { type: 'button', class: kind, onclick: async () => {
      button.disabled = true;
      try {
        await deed();
        this.fault.hidden = true;
      } catch (fault) {
        fill(this.fault, refusal(fault));
        this.fault.hidden = false;
      } finally {
        button.disabled = false;
        this.draw();
      }
    } }, words);
    return button;
  }
}
