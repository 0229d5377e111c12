/**
 * One tournament as its players, its host and its watchers live it: the sheet, always up to date.
 *
 * Every act may be sent again, so an act resolves once, with the server's answer, whatever the
 * connection does; after an outage the whole sheet is asked for anew.
 */

import { Refusal } from '../net/link.js';
import { evolve, isOver } from './ledger.js';

/** @typedef {import('../net/link.js').Link} Link */
/** @typedef {import('../net/link.js').Message} Message */

/** Acts after which a sheet tells what no change does, or what the next such act names. */
const LOOKED_AT_ANEW = new Set(['register', 'invite', 'add-hook', 'remove-hook', 'extend']);

/** Tells `change` with the `tournament-changed` that led to it, or null for a whole sheet. */
export class Cup extends EventTarget {
  /** @type {Message} */
  sheet = {};
  #heard = 0;
  #isClosed = false;
  #unfollow;
  #onLink;

  /**
   * @param {Link} link
   * @param {string} code
   */
  constructor(link, code) {
    super();
    this.link = link;
    this.code = code;
    this.#unfollow = link.follow(code, (message) => this.#told(message));
    this.#onLink = () => {
      if (link.state === 'up' && this.sheet.seq) this.#again();
    };
    link.addEventListener('change', this.#onLink);
  }

  /**
   * Opens a tournament, or leaves nothing behind where it cannot be opened.
   *
   * @param {import('../net/link.js').Link} link
   * @param {string} code
   * @returns {Promise<Cup>}
   */
  static async opened(link, code) {
    const cup = new Cup(link, code);
    try {
      await cup.open();
    } catch (fault) {
      cup.close();
      throw fault;
    }
    return cup;
  }

  /** Begins to follow it. @throws {Refusal} */
  async open() {
    this.#take(await this.link.ask('follow-tournament', { tournament: this.code }));
  }

  /** Stops following. */
  close() {
    this.#isClosed = true;
    this.#unfollow();
    this.link.removeEventListener('change', this.#onLink);
    if (this.link.state === 'up') {
      this.link.ask('unfollow-tournament', { tournament: this.code }, { again: false }).catch(() => {});
    }
  }

  /** @returns {number} milliseconds of UTC by the server's clock */
  now() {
    return this.sheet.at + (performance.now() - this.#heard);
  }

  /**
   * Does something in the tournament.
   *
   * @param {Message} act
   * @returns {Promise<Message | null>} `hook-added`, or null
   * @throws {Refusal} which changed nothing
   */
  async act(act) {
    const result = await this.link.ask('act-in-tournament', { tournament: this.code, act });
    if (LOOKED_AT_ANEW.has(act.act)) await this.open();
    return result;
  }

  /** @returns {Promise<Message>} the standings with their arithmetic @throws {Refusal} */
  standings() {
    return this.link.ask('tournament-standings', { tournament: this.code });
  }

  /**
   * The lines of the log after so many: all of it when it is over, until then the audit.
   *
   * @param {number} after
   * @returns {Promise<string[]>} each JSON
   * @throws {Refusal}
   */
  async log(after = 0) {
    const lines = [];
    for (;;) {
      const page = await this.link.ask('tournament-log', { tournament: this.code, after: after + lines.length });
      lines.push(...page.lines);
      if (!page.more || page.lines.length === 0) return lines;
    }
  }

  /** @param {Message} message */
  #told(message) {
    if (message.type === 'tournament-sheet') this.#take(message);
    if (message.type !== 'tournament-changed' || !this.sheet.seq) return;
    const before = this.sheet;
    const { sheet, isStale } = evolve(before, message, this.link.name);
    if (sheet !== before) {
      this.sheet = sheet;
      this.#heard = performance.now();
      this.dispatchEvent(new CustomEvent('change', { detail: message }));
    }
    if (isStale) this.#again();
  }

  /** @param {Message} sheet */
  #take(sheet) {
    if (this.#isClosed || (this.sheet.seq && sheet.seq < this.sheet.seq)) return;
    this.sheet = sheet;
    this.#heard = performance.now();
    this.dispatchEvent(new CustomEvent('change', { detail: null }));
  }

  async #again() {
    if (this.#isClosed || (isOver(this.sheet) && this.sheet.seed)) return;
    try {
      await this.open();
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
    }
  }
}
