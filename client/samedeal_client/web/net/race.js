/**
 * One race that is followed over the connection: as its entrant lives it, or its spectator.
 *
 * Whenever an event is missing, or what is known may be wrong, a snapshot is asked for, which replaces
 * all; after a lost connection, what was missed.
 */

import { Refusal } from './requests.js';
import { Scene } from './scene.js';
import { Turns } from './turns.js';

export { isDone } from './entrants.js';

/** @typedef {import('./link.js').Link} Link */
/** @typedef {import('./requests.js').Message} Message */
/** @typedef {import('./entrants.js').Entrant} Entrant */
/** @typedef {import('./scene.js').Shown} Shown */

/**
 * Tells `change` whenever anything is different, `board` with a `Shown`, `played` with the server's
 * answer to an own move, `refused` with a `Refusal`, `told` with each of the server's events.
 */
export class Race extends Scene {
  /** Moves of mine that the server has not answered yet. */
  pending = 0;
  isClosed = false;

  #turns = new Turns(this);
  /** What is being asked of the race as a whole. @type {Promise<void> | null} */
  #resuming = null;
  #wantsAll = false;
  /** @type {() => void} */
  #unfollow;
  #onLink;

  /**
   * @param {Link} link
   * @param {string} code
   * @param {import('../table/description.js').Description & Message} game  of `/api/v1/games/KEY`
   * @param {{phrase?: string}} [how]
   */
  constructor(link, code, game, { phrase } = {}) {
    super(game);
    this.link = link;
    this.code = code;
    this.phrase = phrase;
    this.#unfollow = link.follow(code, (message) => this.#told(message));
    this.#onLink = () => {
      // An own move may have been cut off from what is legal after it.
      if (link.state === 'up' && this.seq) this.resume({ all: this.isRacing && this.legal === null && this.pending === 0 });
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
    this.replaced(snapshot);
    // What came between the answer and our following it.
    if (this.seq) this.resume();
  }

  /** Enters the race, or takes up one's place in it again. @throws {Refusal} */
  async join() {
    this.replaced(await this.link.ask('join', this.#fields()));
  }

  /** Watches the race. @throws {Refusal} */
  async watch() {
    this.replaced(await this.link.ask('watch', this.#fields()));
  }

  /** Stops following; the place in the race stays. */
  close() {
    this.isClosed = true;
    this.#unfollow();
    this.link.removeEventListener('change', this.#onLink);
  }

  // --- what an entrant does ---

  /**
   * Plays a move: it is shown at once, and taken back if the server refuses it. What is asked while
   * the server is thinking about the move before waits for it.
   *
   * @param {string} move
   */
  play(move) {
    return this.#turns.play(move);
  }

  /**
   * Asks why a move is not legal, by trying it: the server's sentence comes as `refused`.
   *
   * @param {string} move
   */
  why(move) {
    return this.#turns.why(move);
  }

  undo() {
    return this.#turns.ask('undo');
  }

  /** Has the server bring all cards home, if they go. */
  finish() {
    return this.#turns.ask('finish');
  }

  /**
   * Has the server play home what is safe there.
   *
   * @param {{isAsked?: boolean}} [how]  otherwise only if there is anything when its turn comes
   */
  sendHome({ isAsked = true } = {}) {
    return isAsked ? this.#turns.ask('send-home') : this.#turns.sendHomeIfAny();
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
    if (result?.type === 'snapshot') this.replaced(result);
    return result;
  }

  // --- for its turns ---

  /**
   * Takes the answer to what was done to the own board.
   *
   * @param {Message} played
   * @param {string | null} move  that was made, if it was one
   * @param {{isUndone?: boolean}} [how]
   */
  settle(played, move, how) {
    if (this.answered(played, move, how)) this.resume({ all: true });
  }

  /**
   * Asks for what has been missed, or for the whole race; what is asked meanwhile is part of it.
   *
   * @param {{all?: boolean}} [how]
   * @returns {Promise<void>}
   */
  resume({ all = false } = {}) {
    this.#wantsAll ||= all;
    this.#resuming ??= this.#resumeUntilKnown().finally(() => { this.#resuming = null; });
    return this.#resuming;
  }

  // --- within ---

  async #resumeUntilKnown() {
    do {
      if (this.isClosed || this.link.state === 'ended') return;
      const since = this.#wantsAll ? {} : { after: this.seq };
      this.#wantsAll = false;
      try {
        const result = await this.link.ask('resume', { ...this.#fields(), ...since });
        if (result.type === 'snapshot') this.replaced(result);
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
      this.replaced(message);
      return;
    }
    if (message.seq <= this.seq) return;
    if (message.seq !== this.seq + 1) {
      this.resume();
      return;
    }
    this.seq = message.seq;
    const isInDoubt = this.evolve(message, this.link);
    if (isInDoubt) this.resume({ all: true });
    this.dispatchEvent(new CustomEvent('told', { detail: message }));
    this.dispatchEvent(new CustomEvent('change'));
  }

  #fields() {
    return this.phrase === undefined ? { race: this.code } : { race: this.code, phrase: this.phrase };
  }
}
