/**
 * The legal moves, looked up. Pure: which are legal the server says; the order is the server's, too.
 */

import { transfer } from './position.js';

/** @typedef {import('./description.js').Description} Description */
/** @typedef {{text: string, source: string, target: string, count: number}} Transfer */

/** Stock actions, as the server calls them. */
const ACTIONS = ['draw', 'deal', 'redeal'];

export class Moves {
  /**
   * @param {Description} game
   * @param {readonly string[]} legal
   */
  constructor(game, legal) {
    this.game = game;
    this.kinds = new Map(game.piles.map((pile) => [pile.name, pile.kind]));
    this.homes = new Set(game.piles.filter((pile) => pile.home).map((pile) => pile.name));
    /** Piles where cards are home and out of play. */
    this.discards = new Set(game.piles.filter((pile) => pile.home && pile.kind === 'waste').map((pile) => pile.name));
    /** @type {Transfer[]} */
    this.transfers = legal.filter((text) => !ACTIONS.includes(text)).map((text) => ({ text, ...transfer(text) }));
    /** What tapping the stock does now; null for nothing. */
    this.action = legal.find((text) => ACTIONS.includes(text)) ?? null;
  }

  /**
   * @param {string} source
   * @param {number} [count]  that many cards only
   * @returns {Transfer[]}
   */
  from(source, count) {
    return this.transfers.filter((move) => move.source === source && (count === undefined || move.count === count));
  }

  /**
   * The move from one pile onto another.
   *
   * @param {string} source
   * @param {string} target
   * @param {number} [count]
   * @returns {string | null}
   */
  between(source, target, count) {
    return this.from(source, count).find((move) => move.target === target)?.text ?? null;
  }

  /**
   * The move that a group makes when it is brought to a pile. Brought to any foundation or cell it
   * may go to every one of them, since nobody should have to aim at the right one.
   *
   * @param {string} source
   * @param {string} target
   * @param {number} [count]
   * @returns {string | null}
   */
  brought(source, target, count) {
    const straight = this.between(source, target, count);
    const kind = this.kinds.get(target);
    if (straight !== null || (kind !== 'foundation' && kind !== 'cell')) return straight;
    return this.from(source, count).find((move) => this.kinds.get(move.target) === kind)?.text ?? null;
  }

  /**
   * How many cards of a pile can be picked up to somewhere, the fewest first.
   *
   * @param {string} source
   * @returns {number[]}
   */
  counts(source) {
    return [...new Set(this.from(source).map((move) => move.count))].sort((one, other) => one - other);
  }

  /**
   * The best move of a pile: home first, else onto a card, else the first in the server's order.
   *
   * @param {string} source
   * @param {(pile: string) => boolean} [isEmpty]
   * @param {number} [count]
   * @returns {string | null}
   */
  quick(source, isEmpty = () => false, count) {
    const moves = this.from(source, count);
    const best =
      moves.find((move) => this.homes.has(move.target)) ??
      moves.find((move) => !isEmpty(move.target)) ??
      moves[0];
    return best?.text ?? null;
  }
}
