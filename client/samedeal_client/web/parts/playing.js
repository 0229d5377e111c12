/** An entrant's table with all that belongs to it: clock, undo, hint, finish, rules, lanes, chat. */

import { fill, h } from '../dom.js';
import { Refusal } from '../net/link.js';
import { Board } from '../table/board.js';
import { redealsLeft } from '../table/description.js';
import { isElsewhere } from '../table/keyboard.js';
import { clock, counted, stateWords } from '../words.js';
import { Chat } from './chat.js';
import { commandField } from './command.js';
import { Done } from './done.js';
import { Hosting } from './hosting.js';
import { Lanes, gapWords, ranked } from './lanes.js';
import { Rivals } from './rivals.js';
import { rulesDialog } from './rules.js';
import { sentence } from './said.js';
import { Sounds } from './sound.js';
import { mayGoHomeAfter, playedWords } from './told.js';
import { PATIENCE_MS, Twice } from './twice.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../net/race.js').Race} Race */

/** @type {Record<string, string>} */
const ACTIONS = { draw: 'Draw', deal: 'Deal', redeal: 'Redeal' };

/** The table of the race’s own entrant; `draw` shows how it stands now. */
export class Playing {
  /** @type {import('../table/position.js').Position | null} */
  #board = null;
  /** @type {string[] | null} */
  #legal = null;
  #last = '';
  #undone = false;
  #lastMove = '';
  /** @type {number | undefined} */
  #quiet;
  /** @type {Set<number>} */
  #told = new Set();
  #wasStuck = false;
  #wasEasy = false;
  /** Why it ended for the player, where somebody said so. */
  #why = '';
  /** How many better moves the last hint left out, and after which number of the player’s. */
  #hinted = { number: -1, count: 0 };
  #twice = new Twice();
  /** The table goes before its page does: when the race is over. */
  #gone = new AbortController();

  /**
   * @param {Context} context
   * @param {Race} race
   * @param {{chat?: Chat | null, deeds?: HTMLElement[]}} [how]  practice is alone: it has no lanes and no chat
   */
  constructor(context, race, { chat = null, deeds = [] } = {}) {
    const isAlone = chat === null;
    this.context = context;
    this.race = race;
    this.isAlone = isAlone;
    this.sounds = new Sounds(context.settings);
    this.table = new Board(race.game, {
      settings: context.settings,
      isPlayable: true,
      onMove: (/** @type {string} */ move) => this.#play(move),
      onSendHome: () => {
        if (race.isRacing) race.sendHome();
      },
      onTry: (move) => {
        if (race.isRacing) race.why(move);
      },
      onRefuse: (sentence) => {
        if (race.isRacing) this.#tell(sentence);
      },
      onSay: (text, urgent) => context.say(text, { urgent }),
    });
    this.time = h('time', { class: 'clock', role: 'timer', 'aria-label': 'Your clock' });
    this.home = h('span', { class: 'home' });
    this.gap = h('span', { class: 'gap' });
    this.message = h('p', { class: 'message', hidden: true });
    this.done = new Done(race);
    this.lanes = new Lanes(race);
    this.rivals = new Rivals(context, race);
    this.hosting = new Hosting(race);
    this.chat = chat;
    this.rules = rulesDialog(race.game, context.keys.list());
    this.undo = this.#button('Undo', 'undo', () => race.undo());
    this.hint = this.#button('Hint', 'hint', () => this.#hint());
    this.finish = this.#button('All home', 'finish', () => this.#finish());
    this.actions = race.game.actions.map((/** @type {string} */ action) => {
      const button = h('button', { type: 'button', class: 'action', onclick: () => this.#play(action) }, ACTIONS[action] ?? action);
      button.dataset.action = action;
      return button;
    });
    this.giveUp = h('button', { type: 'button', class: 'danger', onclick: () => this.#giveUp() }, 'Give up');
    this.help = h('button', { type: 'button', onclick: () => this.rules.showModal() }, 'Rules');
    this.zen = h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => this.#zen() }, 'Hide others');
    this.undo.hidden = race.terms.undo === 'none';
    this.hint.hidden = !race.terms.hints;
    const bar = h('div', { class: 'bar-row', role: 'toolbar', 'aria-label': 'Table' },
      this.actions, this.undo, this.hint, this.finish, this.help, isAlone ? null : this.zen, deeds, this.giveUp);
    const side = isAlone ? null : h('aside', { class: 'side', 'aria-label': 'The race' }, this.lanes.node, this.rivals.node, chat.node, this.hosting.node);
    this.node = h('div', { class: isAlone ? 'playing alone' : 'playing' },
      h('h1', { class: 'spoken' }, race.game.name),
      commandField(this.table),
      h('div', { class: 'top' }, this.time, this.home, this.gap, this.message),
      h('div', { class: 'table-box' }, this.table.node, this.done.node),
      bar, side, this.rules);
    const { signal } = this.#gone;
    race.addEventListener('board', (event) => this.#shown(/** @type {CustomEvent} */ (event).detail), { signal });
    race.addEventListener('refused', (event) => this.#refused(/** @type {CustomEvent} */ (event).detail), { signal });
    race.addEventListener('played', (event) => this.#answered(/** @type {CustomEvent} */ (event).detail), { signal });
    race.addEventListener('told', (event) => this.#heard(/** @type {CustomEvent} */ (event).detail), { signal });
    document.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.#ticking = window.setInterval(() => this.#tick(), 200);
  }

  /** @type {number} */
  #ticking;

  /** Ends it, with the page or before. */
  close() {
    this.#gone.abort();
    clearInterval(this.#ticking);
    clearTimeout(this.#quiet);
    this.sounds.close();
    this.table.close();
    this.rivals.close();
  }

  /** Where keys go when the table appears. */
  focus() {
    this.table.focus();
  }

  draw() {
    const { race } = this;
    const { me } = race;
    const position = race.you === null ? undefined : race.boards.get(race.you);
    const legal = race.isRacing ? race.legal : [];
    if (position !== undefined && (position !== this.#board || legal !== this.#legal)) {
      this.table.show(position, { legal, last: position === this.#board ? undefined : this.#last, undone: this.#undone });
      this.#board = position;
      this.#legal = legal;
    }
    this.node.dataset.number = String(race.number);
    const goal = race.game.goal;
    fill(this.home, `${me?.home ?? 0} of ${goal} home`);
    fill(this.gap, this.isAlone || !me ? '' : gapWords(me, race.entrants.values()));
    this.undo.disabled = !race.isRacing || !race.undoable || race.pending > 0;
    this.hint.disabled = this.giveUp.disabled = !race.isRacing;
    this.finish.disabled = !race.isRacing || !race.finishable;
    const redeals = redealsLeft(race.game, this.#board);
    for (const button of this.actions) {
      const { action = '' } = button.dataset;
      button.disabled = !race.isRacing || !(legal ?? []).includes(action);
      if (action === 'redeal' && redeals !== null) fill(button, `${ACTIONS.redeal} (${redeals} left)`);
    }
    const isStuck = race.isRacing && legal !== null && (legal.length === 0 || race.isStuck) && race.pending === 0;
    if (isStuck && !this.#wasStuck) this.#tell('No move is left that changes anything. Take moves back, or give up.', { stays: true });
    if (!isStuck && this.#wasStuck) this.message.hidden = true;
    this.#wasStuck = isStuck;
    const isEasy = race.isRacing && race.finishable;
    if (isEasy && !this.#wasEasy) this.context.say(`All cards can go home now: press ${this.context.keys.of('finish')}, or All home.`);
    this.finish.classList.toggle('primary', isEasy);
    this.#wasEasy = isEasy;
    if (!this.isAlone) {
      this.lanes.draw();
      this.rivals.draw();
      this.hosting.draw();
      this.chat?.draw();
    }
    this.#showDone();
    this.#tick();
  }

  // --- within ---

  /** @param {string} move */
  async #play(move) {
    this.message.hidden = true;
    if (this.#mayPlay(move)) await this.race.play(move);
  }

  /**
   * A redeal that this race lets nobody take back is asked for twice: `d` is near other keys.
   *
   * @param {string} move
   */
  #mayPlay(move) {
    const { race } = this;
    if (move !== 'redeal' || race.terms.undo === 'free' || race.terms.undo === 'penalty') return true;
    if (this.#twice.isSure(`${race.number} ${move}`, performance.now())) return true;
    const left = redealsLeft(race.game, this.#board);
    this.#tell(`A redeal cannot be taken back here${left === null ? '' : `, and ${left === 1 ? 'this is the last one' : `${left} are left`}`}. Once more to redeal.`);
    return false;
  }

  /** @param {import('../net/race.js').Shown} shown */
  #shown({ entrant, move, undone }) {
    if (entrant !== this.race.you) return;
    this.#last = move ?? '';
    this.#undone = undone;
    if (move) this.sounds.play(/-F\d/.test(move) ? 'home' : 'move');
    this.draw();
  }

  /** @param {import('../net/link.js').Message} played */
  #answered(played) {
    const board = this.race.you === null ? undefined : this.race.boards.get(this.race.you);
    if (board === undefined) return;
    this.#lastMove = playedWords(this.race.game, board, played);
    this.context.say(this.#lastMove);
    if (mayGoHomeAfter(played.moves ?? []) && this.race.homeward && this.context.settings.is('auto-home')) this.race.sendHome({ isAsked: false });
  }

  /** @param {Refusal} refusal */
  #refused(refusal) {
    this.sounds.play('refused');
    this.#tell(sentence(refusal.message));
  }

  /** @param {import('../net/link.js').Message} message */
  #heard(message) {
    const who = this.race.entrants.get(message.entrant);
    if (message.type === 'done' && who && !this.#told.has(message.entrant)) {
      this.#told.add(message.entrant);
      if (message.entrant === this.race.you) {
        this.sounds.play('finish');
        this.#why = message.reason ?? '';
        this.context.say(`You ${message.state === 'finished' ? `finished in ${clock(message.elapsed_ms)}` : `are done: ${stateWords(message.state)}${message.reason ? `, ${message.reason}` : ''}`}.`, { urgent: true });
      } else if (this.context.settings.is('read-rivals')) {
        this.context.say(`${who.name} ${message.state === 'finished' ? `finished in ${clock(message.elapsed_ms)}` : stateWords(message.state)}.`);
      }
    }
  }

  #tick() {
    fill(this.time, clock(this.race.elapsed()));
  }

  /**
   * @param {string} sentence
   * @param {{stays?: boolean}} [how]
   */
  #tell(sentence, { stays = false } = {}) {
    fill(this.message, sentence);
    this.message.hidden = false;
    this.context.say(sentence);
    clearTimeout(this.#quiet);
    if (!stays) this.#quiet = window.setTimeout(() => { this.message.hidden = true; }, PATIENCE_MS);
  }

  async #finish() {
    if (!this.race.isRacing) return;
    if (this.race.finishable) await this.race.finish();
    else this.#tell('Not all cards go home by themselves from here.');
  }

  async #hint() {
    try {
      const { number } = this.race;
      this.#hinted = { number, count: this.#hinted.number === number ? this.#hinted.count + 1 : 0 };
      const { move } = await this.race.ask('hint', { skip: this.#hinted.count });
      this.table.hint(move);
      this.#tell(`Try ${move}.`);
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      this.#refused(fault);
    }
  }

  async #giveUp() {
    if (!await asked('Give up this race? That cannot be taken back.', 'Give up')) return;
    try {
      await this.race.ask('give-up');
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      this.#refused(fault);
    }
  }

  #showDone() {
    if (!this.done.draw(this.#why)) return;
    this.table.rest();
    // The table and its buttons take no more: keys go on from here, unless one is talking.
    if (!(document.activeElement instanceof HTMLInputElement)) this.done.node.focus({ preventScroll: true });
  }

  #zen() {
    const isZen = this.node.classList.toggle('zen');
    this.zen.setAttribute('aria-pressed', String(isZen));
    fill(this.zen, isZen ? 'Show others' : 'Hide others');
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || event.altKey || isElsewhere(event) || this.node.closest('[inert]')) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key !== 'z') return;
      event.preventDefault();
      this.undo.click();
      return;
    }
    if (!this.context.settings.is('shortcuts')) return;
    const deed = this.#deed(event.key);
    if (deed === null) {
      if (this.race.isRacing && /^[a-z0-9]$/.test(event.key) && !this.context.keys.deed(event.key)) this.#tell(`There is no pile ${event.key.toUpperCase()} here.`);
      return;
    }
    event.preventDefault();
    deed();
  }

  /**
   * @param {string} key
   * @returns {(() => void) | null}
   */
  #deed(key) {
    const { race, context } = this;
    switch (context.keys.deed(key)) {
      case 'undo': return () => this.undo.click();
      case 'hint': return () => this.hint.click();
      case 'finish': return () => this.#finish();
      case 'home': return race.isRacing ? () => { race.sendHome(); } : null;
      case 'rules': return () => this.rules.showModal();
      case 'last-move': return () => context.say(this.#lastMove ? this.#lastMove : 'You have not moved yet');
      case 'clock': return () => context.say(`Your clock: ${clock(race.elapsed())}`);
      case 'others': return () => context.say(this.#others());
      case 'stock': return () => context.say(this.#stock());
      case 'zen': return this.isAlone ? null : () => this.#zen();
      case 'full-screen': return () => { fullScreen(); };
      default: return null;
    }
  }

  #others() {
    const { race } = this;
    const others = ranked(race.entrants.values()).filter((each) => each.entrant !== race.you);
    if (!others.length) return 'You are alone';
    return others.map((each) => `${each.name}: ${each.state === 'racing' && each.home !== null ? `${each.home} home` : stateWords(each.state)}`).join(', ');
  }

  #stock() {
    const position = this.#board;
    const stock = position?.piles.get('S');
    const redeals = redealsLeft(this.race.game, position);
    const said = [
      stock === undefined ? 'This game has no stock' : `${counted(stock.length, 'card')} in the stock`,
      redeals === null ? '' : `${counted(redeals, 'redeal')} left`,
    ];
    return said.filter(Boolean).join(', ');
  }

  /**
   * @param {string} words
   * @param {import('../keys.js').Deed} name
   * @param {() => Promise<void>} deed
   */
  #button(words, name, deed) {
    const key = this.context.keys.of(name);
    return h('button', { type: 'button', 'aria-keyshortcuts': key, title: `${words} (${key})`, onclick: () => deed() }, words);
  }
}

/** Full screen on or off, where the browser can. */
async function fullScreen() {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen();
  } catch {
    // The browser does not let us; nothing is lost.
  }
}

/**
 * Asks before something that cannot be taken back.
 *
 * @param {string} question
 * @param {string} yes
 * @returns {Promise<boolean>}
 */
export function asked(question, yes) {
  return new Promise((resolve) => {
    const dialog = h('dialog', { class: 'sheet', 'aria-label': question }, h('p', {}, question),
      h('form', { method: 'dialog', class: 'row' }, h('button', { value: 'yes', class: 'danger' }, yes), h('button', { value: 'no', autofocus: true }, 'No, go on')));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
