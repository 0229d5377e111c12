/**
 * One race as its entrant or its spectator lives it: what the server tells, folded into a state.
 *
 * Holds no rules. An own move is shown at once as the plain transfer that its text says and is put
 * right by the server's answer; a refused one is taken back. Events come in the order of their seqs;
 * whenever one is missing, or the board may be wrong, a snapshot is asked for, which replaces all.
 */

import { digest } from '../table/digest.js';
import { apply, parse, play } from '../table/position.js';
import { lineOf, withNewest } from './chat.js';
import { Refusal, pause } from './link.js';

/** @typedef {import('./link.js').Link} Link */
/** @typedef {import('./link.js').Message} Message */
/** @typedef {import('../table/position.js').Position} Position */

/**
 * @typedef {object} Entrant
 * @property {number} entrant
 * @property {string} name
 * @property {boolean} bot
 * @property {string} state
 * @property {boolean} away
 * @property {number | null} home
 * @property {number | null} moves
 * @property {number | null} elapsed_ms
 * @property {number} penalty_ms
 */

/**
 * @typedef {object} Shown  what led to a board, for whoever draws it
 * @property {number} entrant
 * @property {string | null} move
 * @property {boolean} undone
 */

const DONE = new Set(['finished', 'stuck', 'gave-up', 'out-of-time', 'disqualified', 'withdrawn']);

/**
 * Tells `change` whenever anything is different, `board` with a `Shown`, `played` with the server's
 * answer to an own move, `refused` with a `Refusal`, `told` with each of the server's events.
 */
export class Race extends EventTarget {
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
  /** Moves of mine that the server has not answered yet. */
  pending = 0;
  /** How often a board came to something else than the server's. */
  doubts = 0;

  /** @type {number | null} */
  #starts = null;
  /** @type {number | null} */
  #zero = null;
  /** @type {number | null} */
  #stopped = null;
  /** @type {number | null} */
  #closes = null;
  /** What is being asked of the race as a whole. @type {Promise<void> | null} */
  #resuming = null;
  #wantsAll = false;
  /** What is being done to the own board, one thing after the other. @type {Promise<void> | null} */
  #turn = null;
  /** The own board as the server last said it, while a guess is shown. @type {Position | null} */
  #sure = null;
  /** @type {() => void} */
  #unfollow;
  #onLink;
  #isClosed = false;

  /**
   * @param {Link} link
   * @param {string} code
   * @param {import('../table/description.js').Description & Message} game  of `/api/v1/games/KEY`
   * @param {{phrase?: string}} [how]
   */
  constructor(link, code, game, { phrase } = {}) {
    super();
    this.link = link;
    this.code = code;
    this.game = game;
    this.phrase = phrase;
    this.#unfollow = link.follow(code, (message) => this.#told(message));
    this.#onLink = () => {
      // An own move may have been cut off from what is legal after it.
      if (link.state === 'up' && this.seq) this.#resume({ all: this.isRacing && this.legal === null && this.pending === 0 });
      this.dispatchEvent(new CustomEvent('change'));
    };
    link.addEventListener('change', this.#onLink);
  }

  /**
   * Begins with a snapshot that was asked for before the game was known.
   *
   * @param {Message} snapshot
   */
  begin(snapshot) {
    this.#replaced(snapshot);
    // What came between the answer and our following it.
    if (this.seq) this.#resume();
  }

  /** Enters the race, or takes up one's place in it again. @throws {Refusal} */
  async join() {
    this.#replaced(await this.link.ask('join', this.#fields()));
  }

  /** Watches the race. @throws {Refusal} */
  async watch() {
    this.#replaced(await this.link.ask('watch', this.#fields()));
  }

  /** Stops following; the place in the race stays. */
  close() {
    this.#isClosed = true;
    this.#unfollow();
    this.link.removeEventListener('change', this.#onLink);
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
    if (this.#starts === null || !['open', 'countdown'].includes(this.phase)) return null;
    return Math.max(0, this.#starts - performance.now());
  }

  /** @returns {number | null} how long the own clock, or the race's, has run */
  elapsed() {
    return this.#zero === null ? null : Math.max(0, (this.#stopped ?? performance.now()) - this.#zero);
  }

  /** @returns {number | null} milliseconds until an async race closes */
  closesIn() {
    return this.#closes === null ? null : Math.max(0, this.#closes - performance.now());
  }

  // --- what an entrant does ---

  /**
   * Plays a move: it is shown at once, and taken back if the server refuses it. What is asked while
   * the server is thinking about the move before waits for it.
   *
   * @param {string} move
   */
  play(move) {
    return this.#inTurn(() => {
      const before = this.#own();
      const guess = before === null ? null : play(before, move, this.game);
      if (guess !== null && this.you !== null) {
        this.#sure = before;
        this.boards.set(this.you, guess);
        this.#show(this.you, move, false);
      }
      return this.#numbered('play', { move }, move);
    });
  }

  /**
   * Asks why a move is not legal, by trying it: the server's sentence comes as `refused`.
   *
   * @param {string} move
   */
  why(move) {
    return this.#inTurn(async () => {
      try {
        const number = this.number + 1;
        this.#played(await this.link.ask('play', { race: this.code, number, move }, { again: false }), move, false);
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault;
        this.dispatchEvent(new CustomEvent('refused', { detail: fault }));
      }
    });
  }

  undo() {
    return this.#inTurn(() => this.#numbered('undo', {}, null));
  }

  /** Has the server bring all cards home, if they go. */
  finish() {
    return this.#inTurn(() => this.#numbered('finish', {}, null));
  }

  /**
   * Has the server play home what is safe there.
   *
   * @param {{isAsked?: boolean}} [how]  otherwise only if there is anything when its turn comes
   */
  sendHome({ isAsked = true } = {}) {
    return this.#inTurn(async () => {
      if (isAsked || this.homeward) await this.#numbered('send-home', {}, null);
    });
  }

  /**
   * Any other request about this race, such as `ready`, `chat` or `give-up`.
   *
   * @param {string} type
   * @param {Message} [fields]
   * @returns {Promise<any>}
   * @throws {Refusal}
   */
  async ask(type, fields = {}) {
    const result = await this.link.ask(type, { race: this.code, ...fields });
    if (result?.type === 'snapshot') this.#replaced(result);
    return result;
  }

  // --- within ---

  /** @returns {Position | null} */
  #own() {
    return this.you === null ? null : this.boards.get(this.you) ?? null;
  }

  /**
   * @param {() => Promise<void>} deed
   * @returns {Promise<void>}
   */
  #inTurn(deed) {
    const before = this.#turn;
    const turn = before === null ? deed() : before.then(() => (this.isRacing ? deed() : undefined));
    this.#turn = turn;
    return turn.finally(() => {
      if (this.#turn === turn) this.#turn = null;
    });
  }

  #fields() {
    return this.phrase === undefined ? { race: this.code } : { race: this.code, phrase: this.phrase };
  }

  /**
   * Sends what changes the own board, with its number; the same number again after a lost connection.
   *
   * @param {string} type
   * @param {Message} fields
   * @param {string | null} move
   */
  async #numbered(type, fields, move) {
    const number = this.number + 1;
    const { legal } = this;
    this.pending += 1;
    this.legal = null;
    this.dispatchEvent(new CustomEvent('change'));
    try {
      const played = await this.#sayNumbered(type, { race: this.code, number, ...fields });
      this.#played(played, move, type === 'undo');
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      if (this.#sure !== null && this.you !== null) {
        this.boards.set(this.you, this.#sure);
        this.#sure = null;
        this.#show(this.you, null, true);
      }
      this.legal = legal;
      this.dispatchEvent(new CustomEvent('refused', { detail: fault }));
      await this.#resume({ all: true });
    } finally {
      this.pending -= 1;
      this.dispatchEvent(new CustomEvent('change'));
    }
  }

  /**
   * @param {string} type
   * @param {Message} fields
   */
  async #sayNumbered(type, fields) {
    for (;;) {
      try {
        return await this.link.ask(type, fields, { again: false });
      } catch (fault) {
        if (!(fault instanceof Refusal) || this.#isClosed) throw fault;
        if (fault.code === 'store-unavailable') {
          await pause(fault.afterMs ?? 1000);
        } else if (fault.code === 'outcome-unknown') {
          await this.link.ready();
          // The race has to be taken up on the new connection before it takes moves.
          await this.#resume();
        } else {
          throw fault;
        }
      }
    }
  }

  /**
   * Asks for what has been missed, or for the whole race; what is asked meanwhile is part of it.
   *
   * @param {{all?: boolean}} [how]
   * @returns {Promise<void>}
   */
  #resume({ all = false } = {}) {
    this.#wantsAll ||= all;
    this.#resuming ??= this.#resumeUntilKnown().finally(() => { this.#resuming = null; });
    return this.#resuming;
  }

  async #resumeUntilKnown() {
    do {
      if (this.#isClosed || this.link.state === 'ended') return;
      const since = this.#wantsAll ? {} : { after: this.seq };
      this.#wantsAll = false;
      try {
        const result = await this.link.ask('resume', { ...this.#fields(), ...since });
        if (result.type === 'snapshot') this.#replaced(result);
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault;
        this.#wantsAll = false;
        if (fault.code !== 'ended') this.dispatchEvent(new CustomEvent('refused', { detail: fault }));
      }
    } while (this.#wantsAll);
  }

  /** @param {Message} message */
  #told(message) {
    if (this.seq === 0 && message.type !== 'snapshot') return; // before the first snapshot
    if (message.type === 'snapshot') {
      this.#replaced(message);
      return;
    }
    if (message.seq <= this.seq) return;
    if (message.seq !== this.seq + 1) {
      this.#resume();
      return;
    }
    this.seq = message.seq;
    this.#evolve(message);
    this.dispatchEvent(new CustomEvent('told', { detail: message }));
    this.dispatchEvent(new CustomEvent('change'));
  }

  /** @param {Message} message */
  #evolve(message) {
    const now = performance.now();
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
        this.#starts = now + message.starts_in_ms;
        break;
      case 'countdown-stopped':
        this.phase = 'open';
        this.#starts = this.terms.start === 'at' ? now + this.terms.start_at - Date.now() - this.link.offset : null;
        this.reason = message.reason;
        break;
      case 'started':
        this.#started(message, now);
        break;
      case 'began':
        this.#began(message, now);
        break;
      case 'moved':
        this.#moved(message);
        break;
      case 'undone':
        this.boards.set(message.entrant, parse(message.board));
        this.#alter(message.entrant, { home: message.home, penalty_ms: message.penalty_ms ?? 0 });
        this.#show(message.entrant, null, true);
        if (message.entrant === this.you) this.#resume({ all: true });
        break;
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
          this.#stopped ??= now;
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
        if (this.#zero !== null && this.#stopped === null) this.#zero += message.stopped_ms;
        if (this.#starts !== null) this.#starts += message.stopped_ms;
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
        this.#stopped ??= now;
        this.#ranked(message.standings ?? []);
        break;
      case 'cancelled':
        this.phase = 'cancelled';
        this.reason = message.reason;
        this.#stopped ??= now;
        break;
      default: // skip, and what a newer server tells
    }
  }

  /**
   * @param {Message} message
   * @param {number} now
   */
  #started(message, now) {
    this.phase = 'running';
    this.#starts = null;
    if (this.terms.mode === 'async') return;
    this.#zero = now;
    this.#stopped = null;
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
    if (this.terms.blind && this.you === null) this.#resume({ all: true });
  }

  /**
   * @param {Message} message
   * @param {number} now
   */
  #began(message, now) {
    const board = message.board ? parse(message.board) : null;
    this.#dealt(message.entrant, board);
    if (board !== null) {
      this.boards.set(message.entrant, board);
      this.#show(message.entrant, null, false);
    }
    if (message.entrant === this.you) {
      this.#zero = now;
      this.#stopped = null;
      if (this.legal === null) this.#resume({ all: true });
    }
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
    if (message.entrant === this.you) {
      // From another window of ours, or an answer that was lost: only a snapshot tells all.
      this.#resume({ all: true });
      return;
    }
    const board = before === undefined ? message.board && parse(message.board) : this.#after(before, message);
    if (!board) {
      this.#resume({ all: true });
      return;
    }
    this.boards.set(message.entrant, board);
    this.#show(message.entrant, message.moves?.at(-1) ?? null, false);
  }

  /**
   * @param {Message} played
   * @param {string | null} move
   * @param {boolean} undone
   */
  #played(played, move, undone) {
    const base = this.#sure ?? this.#own();
    this.#sure = null;
    if (this.you === null || base === null) return;
    if (played.seq < this.seq || played.seq > this.seq + 1) {
      this.#resume({ all: true });
      return;
    }
    this.seq = played.seq;
    this.number = Math.max(this.number, played.number);
    const board = this.#after(base, played);
    if (board === null) {
      this.#resume({ all: true });
      return;
    }
    this.boards.set(this.you, board);
    this.#alter(this.you, {
      home: played.home,
      moves: (this.me?.moves ?? 0) + (played.moves?.length ?? 0),
      penalty_ms: played.penalty_ms ?? 0,
    });
    this.#zero = performance.now() - played.elapsed_ms;
    this.legal = played.legal ?? [];
    this.undoable = played.undoable ?? false;
    this.finishable = played.finishable ?? false;
    this.homeward = played.homeward ?? false;
    this.#show(this.you, move ?? played.moves?.at(-1) ?? null, undone);
    this.dispatchEvent(new CustomEvent('played', { detail: played }));
  }

  /** @param {Message} snapshot */
  #replaced(snapshot) {
    const now = performance.now();
    const stays = (/** @type {number | null | undefined} */ ms, /** @type {-1 | 1} */ way) =>
      ms === null || ms === undefined ? null : now + way * ms;
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
    this.seed = snapshot.seed ?? null;
    this.salt = snapshot.salt ?? null;
    this.rematch = snapshot.rematch ?? null;
    this.tournament = snapshot.tournament ?? null;
    this.chat = withNewest(this.chat, (snapshot.chat ?? []).map(lineOf));
    this.#sure = null;
    this.#starts = stays(snapshot.starts_in_ms, 1);
    this.#closes = stays(snapshot.closes_in_ms, 1);
    this.#zero = stays(snapshot.elapsed_ms, -1);
    this.entrants = new Map();
    this.boards = new Map();
    for (const view of snapshot.entrants) {
      this.entrants.set(view.entrant, entrantOf(view));
      if (view.board) this.boards.set(view.entrant, parse(view.board));
    }
    this.standings = snapshot.standings ?? [];
    const own = this.me;
    const runs = this.phase === 'running' && (own === null || own.state === 'racing');
    this.#stopped = runs ? null : now;
    this.dispatchEvent(new CustomEvent('change'));
    for (const entrant of this.boards.keys()) this.#show(entrant, null, false);
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
   * @returns {Position | null} null where it is not the board that the server has
   */
  #after(before, message) {
    const turned = (message.turned ?? []).map((/** @type {[string, string]} */ [pile, card]) => ({ pile, card }));
    try {
      const board = apply(before, { ...message, turned }, this.game);
      if (digest(board) === message.digest) return board;
    } catch (fault) {
      if (!(fault instanceof RangeError)) throw fault;
    }
    this.doubts += 1;
    return null;
  }

  /** @param {Position} board */
  #homeOf(board) {
    let home = 0;
    for (const pile of this.game.piles) if (pile.home) home += board.piles.get(pile.name)?.length ?? 0;
    return home;
  }
}

/** @param {string} state */
export function isDone(state) {
  return DONE.has(state);
}

/**
 * @param {Message} view
 * @returns {Entrant}
 */
function entrantOf(view) {
  return {
    entrant: view.entrant,
    name: view.name,
    bot: view.bot ?? false,
    state: view.state,
    away: view.away ?? false,
    home: view.home ?? null,
    moves: view.moves ?? null,
    elapsed_ms: view.elapsed_ms ?? null,
    penalty_ms: view.penalty_ms ?? 0,
  };
}
