/**
 * One race as a viewer knows it: what the server tells, folded into a state.
 *
 * Holds no rules. Events come in the order of their seqs, a snapshot replaces everything, and whatever
 * takes something in says whether the viewer may now be wrong and needs a snapshot. An own move may be
 * shown before it is answered.
 */

import { followed } from '../table/digest.js';
import { parse, play } from '../table/position.js';
import { lineOf, withNewest } from './chat.js';
import { Clocks } from './clocks.js';
import { entrantOf } from './entrants.js';

/** @typedef {import('./entrants.js').Entrant} Entrant */
/** @typedef {import('./requests.js').Message} Message */
/** @typedef {import('../table/position.js').Position} Position */

/**
 * @typedef {object} Shown  what led to a board, for whoever draws it
 * @property {number} entrant
 * @property {string | null} move
 * @property {boolean} undone
 */

/** Tells `change`, `board` and `played`, as a `Race` does. */
export class Scene extends EventTarget {
  phase = 'open';
  /** @type {Message} */
  terms = {};
  host = '';
  /** Whether the viewer is the host, by whatever name they go now. */
  isHost = false;
  commitment = '';
  seeded = false;
  /** @type {Map<number, Entrant>} */
  entrants = new Map();
  /** @type {number | null} */
  you = null;
  /** @type {Map<number, Position>} */
  boards = new Map();
  /** The legal moves of the own board; null while the server has not told them. @type {string[] | null} */
  legal = null;
  undoable = false;
  /** Whether all cards would go home by themselves now. */
  finishable = false;
  /** Whether there are cards that nothing on the table can want. */
  homeward = false;
  /** Whether the last answer said that no move is left that changes anything: some may be legal yet. */
  isStuck = false;
  /** @type {Message[]} */
  standings = [];
  /** @type {string | null} */
  seed = null;
  /** @type {string | null} */
  salt = null;
  /** @type {string | null} */
  rematch = null;
  /** @type {string | null} */
  tournament = null;
  reason = '';
  /** What was said, the oldest first; another array when a snapshot knows more. @type {import('./chat.js').Line[]} */
  chat = [];
  seq = 0;
  number = 0;
  /** How often a board came to something else than the server's. */
  doubts = 0;

  #clocks = new Clocks();
  /** The own board as the server last said it, while a guess is shown. @type {Position | null} */
  #sure = null;

  /** @param {import('../table/description.js').Description & Message} game  of `/api/v1/games/KEY` */
  constructor(game) {
    super();
    this.game = game;
  }

  get isOver() {
    return this.phase === 'over' || this.phase === 'cancelled';
  }

  /** @returns {Entrant | null} */
  get me() {
    return this.you === null ? null : this.entrants.get(this.you) ?? null;
  }

  get isRacing() {
    return this.me?.state === 'racing' && !this.isOver;
  }

  /** @returns {number | null} milliseconds until the start */
  startsIn() {
    return ['open', 'countdown'].includes(this.phase) ? this.#clocks.startsIn() : null;
  }

  /** @returns {number | null} how long the own clock, or the race's, has run */
  elapsed() {
    return this.#clocks.elapsed();
  }

  /** @returns {number | null} milliseconds until an async race closes */
  closesIn() {
    return this.#clocks.closesIn();
  }

  // --- an own move before its answer ---

  /**
   * Shows a move as it will most likely come out.
   *
   * @param {string} move
   */
  guess(move) {
    const before = this.#own();
    const guess = before === null ? null : play(before, move, this.game);
    if (guess === null || this.you === null) return;
    this.#sure = before;
    this.boards.set(this.you, guess);
    this.#show(this.you, move, false);
  }

  /** Shows what is sure again. */
  takeBack() {
    if (this.#sure === null || this.you === null) return;
    this.boards.set(this.you, this.#sure);
    this.#sure = null;
    this.#show(this.you, null, true);
  }

  // --- what the server tells ---

  /** Takes a snapshot, which replaces all that was known. @param {Message} snapshot */
  replaced(snapshot) {
    this.seq = snapshot.seq;
    this.phase = snapshot.phase;
    this.terms = snapshot.terms;
    this.host = snapshot.host;
    this.isHost = snapshot.hosting ?? false;
    this.commitment = snapshot.commitment;
    this.seeded = snapshot.seeded ?? false;
    this.you = snapshot.you ?? null;
    this.number = snapshot.number ?? 0;
    this.legal = snapshot.legal ?? null;
    this.undoable = snapshot.undoable ?? false;
    this.finishable = snapshot.finishable ?? false;
    this.homeward = snapshot.homeward ?? false;
    this.isStuck = false;
    this.seed = snapshot.seed ?? null;
    this.salt = snapshot.salt ?? null;
    this.rematch = snapshot.rematch ?? null;
    this.tournament = snapshot.tournament ?? null;
    this.chat = withNewest(this.chat, (snapshot.chat ?? []).map(lineOf));
    this.#sure = null;
    this.entrants = new Map();
    this.boards = new Map();
    for (const view of snapshot.entrants) {
      this.entrants.set(view.entrant, entrantOf(view));
      if (view.board) this.boards.set(view.entrant, parse(view.board));
    }
    this.standings = snapshot.standings ?? [];
    const own = this.me;
    this.#clocks.set(snapshot, { runs: this.phase === 'running' && (own === null || own.state === 'racing') });
    this.dispatchEvent(new CustomEvent('change'));
    for (const entrant of this.boards.keys()) this.#show(entrant, null, false);
  }

  /**
   * Folds the next event.
   *
   * @param {Message} message
   * @param {{offset: number}} how  the server's clock minus ours, in milliseconds
   * @returns {boolean} whether only a snapshot tells the rest
   */
  evolve(message, { offset }) {
    switch (message.type) {
      case 'entered':
        this.entrants.set(message.entrant, entrantOf({ ...message, state: 'entered' }));
        break;
      case 'left':
        this.#alter(message.entrant, { state: 'withdrawn', away: false });
        break;
      case 'readied':
        this.#alter(message.entrant, { state: message.ready ? 'ready' : 'entered' });
        break;
      case 'countdown-began':
        this.phase = 'countdown';
        this.reason = '';
        this.#clocks.startIn(message.starts_in_ms);
        break;
      case 'countdown-stopped':
        this.phase = 'open';
        this.#clocks.startIn(this.terms.start === 'at' ? this.terms.start_at - Date.now() - offset : null);
        this.reason = message.reason;
        break;
      case 'started':
        return this.#started(message);
      case 'began':
        return this.#began(message);
      case 'moved':
        return this.#moved(message);
      case 'undone':
        this.boards.set(message.entrant, parse(message.board));
        this.#alter(message.entrant, { home: message.home, penalty_ms: message.penalty_ms ?? 0 });
        this.#show(message.entrant, null, true);
        return message.entrant === this.you;
      case 'progressed':
        this.#alter(message.entrant, {
          home: message.home, moves: message.moves, penalty_ms: message.penalty_ms ?? 0,
        });
        break;
      case 'done':
        this.#alter(message.entrant, {
          state: message.state, away: false, home: message.home,
          elapsed_ms: message.elapsed_ms ?? null, penalty_ms: message.penalty_ms ?? 0,
        });
        if (message.entrant === this.you) {
          this.#clocks.stop();
          this.legal = [];
          this.undoable = false;
          this.finishable = this.homeward = false;
        }
        break;
      case 'away':
      case 'back':
        this.#alter(message.entrant, { away: message.type === 'away' });
        break;
      case 'stoppage':
        this.#clocks.leaveOut(message.stopped_ms);
        break;
      case 'said':
        this.chat.push(lineOf(message));
        break;
      case 'rematch-opened':
        this.rematch = message.rematch;
        break;
      case 'over':
        this.phase = 'over';
        this.seed = message.seed;
        this.salt = message.salt;
        this.#clocks.stop();
        this.#ranked(message.standings ?? []);
        break;
      case 'cancelled':
        this.phase = 'cancelled';
        this.reason = message.reason;
        this.#clocks.stop();
        break;
      default: // skip, and what a newer server tells
    }
    return false;
  }

  /** @param {Message} message */
  #started(message) {
    this.phase = 'running';
    this.#clocks.startIn(null);
    if (this.terms.mode === 'async') return false;
    this.#clocks.run();
    const board = message.board ? parse(message.board) : null;
    for (const entrant of [...this.entrants.values()]) {
      if (entrant.state !== 'entered' && entrant.state !== 'ready') continue;
      this.#dealt(entrant.entrant, board);
      if (board !== null && (this.you === null || this.you === entrant.entrant)) {
        this.boards.set(entrant.entrant, board);
        this.#show(entrant.entrant, null, false);
      }
    }
    if (message.legal) this.legal = message.legal;
    return this.terms.blind && this.you === null;
  }

  /** @param {Message} message */
  #began(message) {
    const board = message.board ? parse(message.board) : null;
    this.#dealt(message.entrant, board);
    if (board !== null) {
      this.boards.set(message.entrant, board);
      this.#show(message.entrant, null, false);
    }
    if (message.entrant !== this.you) return false;
    this.#clocks.run();
    return this.legal === null;
  }

  /**
   * @param {number} entrant
   * @param {Position | null} board
   */
  #dealt(entrant, board) {
    if (this.terms.blind && entrant !== this.you) this.#alter(entrant, { state: 'hidden', away: false });
    else this.#alter(entrant, { state: 'racing', home: board ? this.#homeOf(board) : 0, moves: 0 });
  }

  /** @param {Message} message */
  #moved(message) {
    const before = this.boards.get(message.entrant);
    const known = this.entrants.get(message.entrant);
    const moves = (known?.moves ?? 0) + (message.moves?.length ?? 0);
    this.#alter(message.entrant, { home: message.home, moves });
    // From another window of ours, or an answer that was lost.
    if (message.entrant === this.you) return true;
    const board = before === undefined ? message.board && parse(message.board) : this.#after(before, message);
    if (!board) return true;
    this.boards.set(message.entrant, board);
    this.#show(message.entrant, message.moves?.at(-1) ?? null, false);
    return false;
  }

  /**
   * Folds the answer to what was done to the own board.
   *
   * @param {Message} played
   * @param {string | null} move  that was made, if it was one
   * @param {{isUndone?: boolean}} [how]
   * @returns {boolean} whether only a snapshot tells the rest
   */
  answered(played, move, { isUndone = false } = {}) {
    const base = this.#sure ?? this.#own();
    this.#sure = null;
    if (this.you === null || base === null) return false;
    if (played.seq < this.seq || played.seq > this.seq + 1) return true;
    this.seq = played.seq;
    this.number = Math.max(this.number, played.number);
    const board = this.#after(base, played);
    if (board === null) return true;
    this.boards.set(this.you, board);
    this.#alter(this.you, {
      home: played.home,
      moves: (this.me?.moves ?? 0) + (played.moves?.length ?? 0),
      penalty_ms: played.penalty_ms ?? 0,
    });
    this.#clocks.show(played.elapsed_ms);
    this.legal = played.legal ?? [];
    this.undoable = played.undoable ?? false;
    this.finishable = played.finishable ?? false;
    this.homeward = played.homeward ?? false;
    this.isStuck = played.status === 'stuck';
    this.#show(this.you, move ?? played.moves?.at(-1) ?? null, isUndone);
    this.dispatchEvent(new CustomEvent('played', { detail: played }));
    return false;
  }

  /** @returns {Position | null} */
  #own() {
    return this.you === null ? null : this.boards.get(this.you) ?? null;
  }

  /** @param {Message[]} standings */
  #ranked(standings) {
    this.standings = standings;
    for (const line of standings) {
      this.#alter(line.entrant, {
        state: line.state, home: line.home, moves: line.moves,
        elapsed_ms: line.elapsed_ms ?? null, penalty_ms: line.penalty_ms ?? 0,
      });
    }
  }

  /**
   * @param {number} number
   * @param {Partial<Entrant>} changes
   */
  #alter(number, changes) {
    const known = this.entrants.get(number);
    if (known) this.entrants.set(number, { ...known, ...changes });
  }

  /**
   * @param {number} entrant
   * @param {string | null} move
   * @param {boolean} undone
   */
  #show(entrant, move, undone) {
    this.dispatchEvent(new CustomEvent('board', { detail: { entrant, move, undone } }));
  }

  /**
   * @param {Position} before
   * @param {Message} message  `played` or `moved`
   */
  #after(before, message) {
    const board = followed(before, message, this.game);
    if (board === null) this.doubts += 1;
    return board;
  }

  /** @param {Position} board */
  #homeOf(board) {
    let home = 0;
    for (const pile of this.game.piles) if (pile.home) home += board.piles.get(pile.name)?.length ?? 0;
    return home;
  }
}
