/** What happens in a race, as sentences for who watches: leads, milestones, finishes. Pure. */

import { clock, stateWords } from '../words.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('../net/race.js').Entrant} Entrant */

const MILESTONES = /** @type {const} */ ([[0.25, 'a quarter'], [0.5, 'half'], [0.75, 'three quarters']]);

/** Remembers what has been said, so that each thing is told once, though undos go back and forth. */
export class Feed {
  /** @type {Set<string>} */
  #said = new Set();
  /** @type {number | null} */
  #leader = null;

  /** @param {number} goal  how many cards are home at the end */
  constructor(goal) {
    this.goal = goal;
  }

  /**
   * @param {Message} message  an event of the race, that `entrants` have in them
   * @param {Map<number, Entrant>} entrants
   * @returns {string[]}
   */
  heard(message, entrants) {
    const who = entrants.get(message.entrant);
    if (message.type === 'started') return ['The race is on.'];
    if (message.type === 'over') return ['The race is over.'];
    if (who === undefined) return [];
    switch (message.type) {
      case 'began': return [`${who.name} opened the deal.`];
      case 'done': return [`${who.name} ${message.state === 'finished' ? `finished in ${clock(message.elapsed_ms)}` : `is out: ${stateWords(message.state)}${message.reason ? `, ${message.reason}` : ''}`}.`];
      case 'away': return [`${who.name} is away.`];
      case 'back': return [`${who.name} is back.`];
      case 'moved':
      case 'progressed': return [...this.#milestone(who), ...this.#lead(who, entrants)];
      default: return [];
    }
  }

  /** @param {Entrant} who */
  #milestone(who) {
    const reached = MILESTONES.filter(([part]) => (who.home ?? 0) >= part * this.goal).at(-1);
    if (reached === undefined) return [];
    const sentence = `${who.name} has ${reached[1]} of the cards home.`;
    if (this.#said.has(sentence)) return [];
    this.#said.add(sentence);
    return [sentence];
  }

  /**
   * @param {Entrant} who
   * @param {Map<number, Entrant>} entrants
   */
  #lead(who, entrants) {
    const others = [...entrants.values()].filter((each) => each.entrant !== who.entrant);
    const isFirst = others.length > 0 && others.every((each) => (each.home ?? 0) < (who.home ?? 0));
    if (!isFirst || this.#leader === who.entrant) return [];
    const isChange = this.#leader !== null;
    this.#leader = who.entrant;
    return isChange ? [`${who.name} takes the lead.`] : [];
  }
}

/**
 * Whom to show: stays with the one shown until another has led for a while, so that it does not flicker.
 */
export class Leader {
  /** @type {number | null} */
  shown = null;
  /** @type {number | null} */
  #next = null;
  #since = 0;

  /** @param {number} patience  milliseconds */
  constructor(patience) {
    this.patience = patience;
  }

  /**
   * @param {number | null} first  who leads now
   * @param {number} now  milliseconds of a clock that never goes back
   * @returns {number | null} whom to show
   */
  at(first, now) {
    if (this.shown === null || first === null || first === this.shown) {
      this.shown ??= first;
      this.#next = null;
    } else if (first !== this.#next) {
      this.#next = first;
      this.#since = now;
    } else if (now - this.#since >= this.patience) {
      this.shown = first;
      this.#next = null;
    }
    return this.shown;
  }
}
