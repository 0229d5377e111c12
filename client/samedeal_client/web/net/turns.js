/**
 * What an entrant does to the own board: one thing after the other, each with its number.
 *
 * A move is shown at once as the plain transfer that its text says, put right by the server's answer,
 * and taken back if it is refused. What was said when the connection broke is said again with the same
 * number, which the server does once.
 */

import { pause } from './link.js';
import { Refusal } from './requests.js';

/** @typedef {import('./requests.js').Message} Message */

export class Turns {
  /** The last of what is being done. @type {Promise<void> | null} */
  #last = null;

  /** @param {import('./race.js').Race} race */
  constructor(race) {
    this.race = race;
  }

  /** @param {string} move */
  play(move) {
    return this.#next(() => {
      this.race.guess(move);
      return this.#do('play', { move }, move);
    });
  }

  /** @param {string} move  that is not legal */
  why(move) {
    return this.#next(async () => {
      const { race } = this;
      try {
        const asked = { race: race.code, number: race.number + 1, move };
        race.settle(await race.link.ask('play', asked, { again: false }), move);
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault;
        race.dispatchEvent(new CustomEvent('refused', { detail: fault }));
      }
    });
  }

  /** @param {'undo' | 'finish' | 'send-home'} type */
  ask(type) {
    return this.#next(() => this.#do(type, {}, null));
  }

  /** Sends home what is safe there, if there is anything by then. */
  sendHomeIfAny() {
    return this.#next(async () => {
      if (this.race.homeward) await this.#do('send-home', {}, null);
    });
  }

  /**
   * @param {() => Promise<void>} deed
   * @returns {Promise<void>}
   */
  #next(deed) {
    const before = this.#last;
    const turn = before === null ? deed() : before.then(() => (this.race.isRacing ? deed() : undefined));
    this.#last = turn;
    return turn.finally(() => {
      if (this.#last === turn) this.#last = null;
    });
  }

  /**
   * @param {string} type
   * @param {Message} fields
   * @param {string | null} move  that was made, if it was one
   */
  async #do(type, fields, move) {
    const { race } = this;
    const number = race.number + 1;
    const { legal } = race;
    race.pending += 1;
    race.legal = null;
    race.dispatchEvent(new CustomEvent('change'));
    try {
      race.settle(await this.#said(type, { race: race.code, number, ...fields }), move, { isUndone: type === 'undo' });
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      race.takeBack();
      race.legal = legal;
      race.dispatchEvent(new CustomEvent('refused', { detail: fault }));
      await race.resume({ all: true });
    } finally {
      race.pending -= 1;
      race.dispatchEvent(new CustomEvent('change'));
    }
  }

  /**
   * @param {string} type
   * @param {Message} fields
   * @returns {Promise<any>}
   */
  async #said(type, fields) {
    const { race } = this;
    for (;;) {
      try {
        return await race.link.ask(type, fields, { again: false });
      } catch (fault) {
        if (!(fault instanceof Refusal) || race.isClosed) throw fault;
        if (fault.code === 'store-unavailable') {
          await pause(fault.afterMs ?? 1000);
        } else if (fault.code === 'outcome-unknown') {
          await race.link.ready();
          // The race has to be taken up on the new connection before it takes moves.
          await race.resume();
        } else {
          throw fault;
        }
      }
    }
  }
}
