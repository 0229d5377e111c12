/** The races that are on, each with its lanes: watched as long as the page shows them. */

import { fill, h, keyed } from '../dom.js';
import { game } from '../net/api.js';
import { Refusal } from '../net/link.js';
import { Race } from '../net/race.js';
import { Lanes } from '../parts/lanes.js';
import { clock } from '../words.js';
import { countdown } from './draw.js';
import { openRace, playersOf } from './ledger.js';
import { current } from './tables.js';
import { versus } from './words.js';

/** @typedef {import('../net/link.js').Message} Message */

/** More than so many are shown without lanes: each one that is watched costs both sides. */
const WATCHED_MOST = 12;

export class RaceCards {
  /** @type {Map<string, {race: Race, lanes: Lanes} | null>} by code; null while it is asked for, or not to be had */
  #watched = new Map();
  #isClosed = false;

  /**
   * @param {import('../net/link.js').Link} link
   * @param {(key: string) => string} gameName
   * @param {() => void} again  draws everything anew, once a race has come to be watched
   */
  constructor(link, gameName, again) {
    this.link = link;
    this.again = again;
    this.gameName = gameName;
    this.list = h('ul', { class: 'race-cards' });
    this.node = h('section', { class: 'races-now', 'aria-labelledby': 'races-head', hidden: true }, h('h2', { id: 'races-head' }, 'Races now'), this.list);
  }

  /** @param {Message} sheet */
  draw(sheet) {
    const open = current(sheet).map((match) => ({ match, race: openRace(match) }))
      .filter((each) => each.race !== null);
    this.node.hidden = open.length === 0;
    const isShown = (sheet.terms.race.spectators ?? 'boards') !== 'none';
    const watchable = open.filter(({ match, race }) => isShown && race?.state === 'running' && !match.players.includes(sheet.you ?? 0)).slice(0, WATCHED_MOST);
    const wanted = new Set(watchable.map(({ race }) => race?.race));
    for (const code of this.#watched.keys()) if (!wanted.has(code)) this.#leave(code);
    for (const { race } of watchable) if (race && !this.#watched.has(race.race)) this.#watch(race);
    const players = playersOf(sheet);
    keyed(this.list, open, ({ match }) => match.match, ({ match, race }, old) => this.#card({ match, race: race ?? {}, old, players, you: sheet.you ?? null }));
  }

  /** The clocks of the races that are watched. */
  tick() {
    for (const [code, watched] of this.#watched) {
      const time = this.list.querySelector(`[data-race="${CSS.escape(code)}"] .elapsed`);
      if (watched && time) fill(time, clock(watched.race.elapsed()));
    }
  }

  close() {
    this.#isClosed = true;
    for (const code of [...this.#watched.keys()]) this.#leave(code);
  }

  /** @param {{match: Message, race: Message, old: HTMLElement | null, players: Map<number, Message>, you: number | null}} shown */
  #card({ match, race, old, players, you }) {
    const isOwn = you !== null && match.players.includes(you);
    const card = old ?? h('li', { class: 'sheet race-card' }, h('p', { class: 'card-top' }), h('div', { class: 'middle' }), h('p', { class: 'bottom' }));
    card.classList.toggle('own', isOwn);
    card.dataset.race = race.race;
    const [top, middle, bottom] = /** @type {HTMLElement[]} */ ([...card.children]);
    const watched = this.#watched.get(race.race) ?? null;
    // Drawn anew only when it says something else: a link that has the focus stays.
    const said = [race.race, race.state, match.score, race.ready_by, watched !== null].join();
    if (card.dataset.said === said) return card;
    card.dataset.said = said;
    const score = (match.best_of ?? 1) > 1 ? `, ${match.score || '0–0'}, best of ${match.best_of}` : '';
    fill(top, h('b', {}, match.label), h('span', { class: 'quiet' }, ` ${match.match}${score}`));
    fill(middle, watched ? watched.lanes.node : h('p', { class: 'versus' }, versus(match, players)));
    watched?.lanes.draw();
    fill(bottom,
      h('span', { class: `chip ${race.state === 'running' ? 'live' : 'called'}` }, race.state === 'running' ? '● live' : '◔ called'),
      h('span', { class: 'quiet' }, this.gameName(race.game)),
      race.state === 'running' ? h('span', { class: 'elapsed number' }) : race.ready_by ? countdown(race.ready_by) : null,
      race.state === 'running' && !isOwn
        ? h('a', { class: 'button', href: `/r/${race.race}/watch`, 'aria-label': `Watch ${versus(match, players)}` }, 'Watch') : null);
    return card;
  }

  /** @param {Message} race */
  async #watch({ race: code, game: key }) {
    this.#watched.set(code, null);
    try {
      const race = new Race(this.link, code, await game(key));
      if (this.#isClosed || !this.#watched.has(code)) {
        race.close();
        return;
      }
      const lanes = new Lanes(race, { isFixed: true });
      await race.watch();
      this.#watched.set(code, { race, lanes });
      race.addEventListener('change', () => lanes.draw());
      lanes.draw();
      this.again();
    } catch (fault) {
      if (!(fault instanceof Refusal) && !(fault instanceof Error && 'code' in fault)) throw fault;
    }
  }

  /** @param {string} code */
  #leave(code) {
    const watched = this.#watched.get(code);
    this.#watched.delete(code);
    if (!watched) return;
    watched.race.close();
    if (this.link.state === 'up') this.link.ask('leave', { race: code }, { again: false }).catch(() => {});
  }
}
