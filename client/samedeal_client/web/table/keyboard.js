/**
 * The table without a mouse, in two ways at once: arrows and Enter, or the letters of the piles.
 *
 * Only what belongs to the table is taken; every other key is left for the page.
 */

import { aimed, read } from './typed.js';

/** @typedef {import('./moves.js').Moves} Moves */

/**
 * @typedef {object} Wanted
 * @property {() => Moves | null} moves  null while it is not known what is legal
 * @property {import('./description.js').Description} game
 * @property {() => import('./layout.js').Piles} piles
 * @property {(way: {x: number, y: number}) => void} step
 * @property {(change: 1 | -1) => void} extend  the chosen run
 * @property {() => void} letGo
 * @property {(pile: string) => void} choose
 * @property {(pile: string) => void} quick
 * @property {(move: string) => void} play
 * @property {(source: string | null, target: string | null) => void} want  for when it is known what is legal
 * @property {(source: string | null, target: string | null) => void} attempt  what is not legal, to be told why; without piles what the stock does
 * @property {(sentence: string) => void} say
 * @property {(keys: string) => void} show  what has been typed so far
 */

/** @type {Record<string, {x: number, y: number}>} */
const WAYS = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
/** How long keys that could mean more are waited for. */
const PAUSE_MS = 700;
/** Where one writes, answers or reads: what is typed there is for nothing else. */
const ELSEWHERE = 'input, textarea, select, [contenteditable], dialog, form, details';

/**
 * Whether a key belongs to what has the focus, and so never to the table: the table has the keys of
 * the page, of its own controls and of nothing that is written or read in.
 *
 * @param {Event} event
 * @returns {boolean}
 */
export function isElsewhere({ target }) {
  return target instanceof Element && target.closest(ELSEWHERE) !== null;
}

export class Keyboard {
  /** @param {Wanted} wanted */
  constructor(wanted) {
    this.wanted = wanted;
    this.typed = '';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.pause = undefined;
    /** When a typed move was last played, ms. */
    this.doneAt = -Infinity;
    /** What is still to come of a name that was being written out. */
    this.rest = '';
  }

  /**
   * A key while the table has the focus.
   *
   * @param {KeyboardEvent} event
   * @returns {boolean} whether it was for the table
   */
  onTable(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    const way = WAYS[event.key];
    if (way) this.wanted.step(way);
    else if (event.key === '+' || event.key === '=') this.wanted.extend(1);
    else if (event.key === '-') this.wanted.extend(-1);
    else return false;
    return true;
  }

  /**
   * A key anywhere on the page, where it is not typed into something.
   *
   * @param {KeyboardEvent} event
   * @returns {boolean}
   */
  anywhere(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    if (event.key === 'Escape') return this.#escape();
    if (event.key === 'Backspace' && this.typed !== '') {
      this.#set(this.typed.slice(0, -1));
      return true;
    }
    if (event.key === 'Enter' && this.typed !== '') return this.#enter();
    // The move may have been clear before its Enter came: then that must not press what has the focus.
    const isSoon = event.timeStamp - this.doneAt < PAUSE_MS;
    // So may whoever writes names out write the rest of them: that is no other move.
    if (isSoon && this.rest !== '' && event.key === this.rest[0]) {
      this.rest = this.rest.slice(1);
      this.doneAt = event.timeStamp;
      return true;
    }
    this.doneAt = -Infinity;
    this.rest = '';
    if (event.key === 'Enter' && isSoon) return true;
    // A key that is held down says what it says once.
    if (event.repeat && this.#isOurs(event.key)) return true;
    // Between two piles a space is what a player types; elsewhere it presses the button that has the focus.
    const key = event.key === ' ' && this.typed !== '' ? '.' : event.key;
    return this.#isOurs(key) && this.#type(key);
  }

  /**
   * A whole line, as from a field: `t3 f`, `3-4`, `draw`.
   *
   * @param {string} text
   */
  line(text) {
    const said = text.trim().toLowerCase();
    if (said === '') return;
    const { actions } = this.wanted.game;
    this.#set('');
    if (said === 'd' || actions.includes(said)) {
      if (!this.#type('d')) this.wanted.say(`${said} is no move.`);
      return;
    }
    this.#set(said.replace(/[\s.,-]+/g, '.'));
    this.#enter();
    if (this.typed === '') return;
    this.#set('');
    this.wanted.say(`${said} is no move.`);
  }

  close() {
    clearTimeout(this.pause);
  }

  /** @param {string} key  a digit, a letter of this table's piles, or what parts two piles */
  #isOurs(key) {
    const names = this.wanted.game.piles.map(({ name }) => name[0]?.toLowerCase());
    return /^[0-9]$/.test(key) || key === 'd' || (key === '.' && this.typed !== '') || names.includes(key);
  }

  #escape() {
    const had = this.typed !== '';
    this.#set('');
    this.wanted.letGo();
    return had;
  }

  /** @param {string} key */
  #type(key) {
    const keys = this.typed + key;
    const moves = this.wanted.moves();
    if (moves === null) return this.#aim(keys);
    const reading = read(keys, moves, this.wanted.piles());
    const { move, isOpen, source, either } = reading;
    if (move === null && !isOpen && source === null && either.length === 0) {
      return this.#attempt(keys);
    }
    this.#set(keys);
    if (move !== null && !isOpen) {
      this.#done(() => this.wanted.play(move));
      this.rest = restOf(keys, move);
    } else if (move !== null) this.pause = setTimeout(() => this.#done(() => this.wanted.play(move)), PAUSE_MS);
    else if (source !== null) this.wanted.choose(source);
    return true;
  }

  /**
   * Keys that name two piles between which nothing goes: the server says why.
   *
   * @param {string} keys
   * @returns {boolean}
   */
  #attempt(keys) {
    const { game, attempt, letGo, say } = this.wanted;
    const { wish, isOpen } = aimed(keys, game);
    if (keys === 'd' && game.actions.length > 0) this.#done(() => attempt(null, null));
    else if (wish === null && !isOpen && this.typed === '') return false;
    else if (wish === null && !isOpen) {
      this.#set('');
      letGo();
      say(`${keys} is no move.`);
    } else {
      this.#set(keys);
      if (wish !== null && isOpen) this.pause = setTimeout(() => this.#done(() => attempt(...wish)), PAUSE_MS);
      else if (wish !== null) this.#done(() => attempt(...wish));
    }
    return true;
  }

  /**
   * Keys that come while the server is thinking are kept as a wish.
   *
   * @param {string} keys
   */
  #aim(keys) {
    if (keys === 'd') {
      this.#done(() => this.wanted.want(null, null));
      return true;
    }
    const { wish, isOpen } = aimed(keys, this.wanted.game);
    this.#set(wish === null && !isOpen ? '' : keys);
    if (wish === null) return true;
    if (isOpen) this.pause = setTimeout(() => this.#done(() => this.wanted.want(...wish)), PAUSE_MS);
    else this.#done(() => this.wanted.want(...wish));
    return true;
  }

  #enter() {
    const moves = this.wanted.moves();
    if (moves === null) {
      const { wish, source } = aimed(this.typed, this.wanted.game);
      if (wish !== null) this.#done(() => this.wanted.want(...wish));
      else if (source !== null) this.#done(() => this.wanted.want(source, null));
      return true;
    }
    const { move, source, either } = read(this.typed, moves, this.wanted.piles());
    if (move !== null) this.#done(() => this.wanted.play(move));
    else if (either.length > 0) this.#done(() => this.wanted.say(`${this.typed} could be ${either.join(' or ')}.`));
    else if (source !== null) this.#done(() => this.wanted.quick(source));
    else {
      const { wish } = aimed(this.typed, this.wanted.game);
      if (wish !== null) this.#done(() => this.wanted.attempt(...wish));
    }
    return true;
  }

  /** @param {() => void} act */
  #done(act) {
    act();
    this.doneAt = performance.now();
    this.#set('');
  }

  /** @param {string} keys */
  #set(keys) {
    clearTimeout(this.pause);
    this.typed = keys;
    this.wanted.show(keys);
  }
}

/**
 * What is left to write of a move that is clear already; nothing if it is written in short.
 *
 * @param {string} keys
 * @param {string} move
 * @returns {string}
 */
function restOf(keys, move) {
  const [whole = ''] = move.toLowerCase().split(':');
  for (const parting of ['.', '']) {
    const long = whole.replace('-', parting);
    // Without anything between them only a name with its letter shows that names are written out.
    if (long.startsWith(keys) && (parting !== '' || keys[0] === 't')) return long.slice(keys.length);
  }
  return '';
}
