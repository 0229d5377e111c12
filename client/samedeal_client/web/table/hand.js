/**
 * What the player has in hand: cards that are chosen or carried, and what is wanted next.
 *
 * It reads the table and asks it to be marked or drawn anew; what is legal it takes from there. While
 * the server is thinking one wish is kept, and fulfilled as soon as it is known to be legal.
 */

import { liftable, tap } from './choice.js';
import { pileTitle } from './description.js';
import { cardAt, cardRect, pileUnder } from './geometry.js';

/** @typedef {import('./choice.js').Chosen} Chosen */
/** @typedef {import('./pointer.js').Point} Point */

/** How long a dropped card waits for what became of it. */
const PATIENCE_MS = 1500;

export class Hand {
  /** @param {import('./board.js').Board} table */
  constructor(table) {
    this.table = table;
    /** @type {Chosen | null} */
    this.chosen = null;
    /** Without a source it is the stock that is asked, without a target the best move is wanted. */
    /** @type {{source: string | null, target: string | null, count: number} | null} */
    this.wanted = null;
    /** @type {{pile: string, from: number, card: string, by: Point} | null} */
    this.carried = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.patience = undefined;
  }

  /** Keeps up with the table, which shows something new: what is carried stays carried. */
  follow() {
    const { table, chosen, carried } = this;
    if (chosen && !table.isWaiting && table.moves.from(chosen.pile, chosen.count).length === 0) this.chosen = null;
    if (carried === null) clearTimeout(this.patience);
    else if (table.cards(carried.pile)[carried.from] !== carried.card) this.carried = null;
    else this.carry(carried.by);
    const { wanted } = this;
    if (table.isWaiting || wanted === null) return;
    this.wanted = null;
    const { source, target, count } = wanted;
    const move =
      source === null ? table.moves.action
      : target === null ? this.#best(source, count)
      : (table.moves.brought(source, target, count) ?? table.moves.brought(source, target));
    if (move !== null) this.play(move);
  }

  /**
   * @param {string} pile
   * @param {number} [index]  of the card; the top one, unless told
   */
  tap(pile, index) {
    const { table, chosen } = this;
    if (table.isWaiting) {
      if (table.moves.kinds.get(pile) === 'stock') this.want(null, null);
      else if (chosen !== null) this.want(chosen.pile, chosen.pile === pile ? null : pile, chosen.count);
      else this.choose(table.cards(pile).length > 0 ? { pile, count: 1 } : null);
      return;
    }
    const meaning = tap(table.moves, table.piles(), chosen, pile, index);
    if (meaning.play !== null) this.play(meaning.play);
    else {
      if (meaning.chosen === null && chosen === null) this.#refuse(pile);
      if (meaning.chosen === null && chosen !== null && chosen.pile !== pile) this.#try(chosen.pile, pile, chosen.count);
      this.choose(meaning.chosen);
    }
  }

  /** @param {Point} point */
  tapAt(point) {
    const at = this.#at(point);
    if (at === null) this.choose(null);
    else this.tap(at.pile, at.index);
  }

  /**
   * @param {Point} point
   * @returns {boolean} whether there is only the felt, or where cards are home
   */
  isOpen(point) {
    const at = this.#at(point);
    return at === null || this.table.game.piles.some(({ name, home }) => home && name === at.pile);
  }

  /**
   * @param {Point} point
   * @returns {boolean} whether there is something to carry
   */
  take(point) {
    const { table } = this;
    const at = this.#at(point);
    if (at === null || at.index < 0) return false;
    const cards = table.cards(at.pile);
    const count = table.isWaiting ? cards.length - at.index : liftable(table.moves, table.piles(), at.pile, at.index);
    if (count === 0) {
      this.#refuse(at.pile);
      return false;
    }
    const from = cards.length - count;
    this.carried = { pile: at.pile, from, card: cards[from] ?? '', by: { x: 0, y: 0 } };
    this.choose({ pile: at.pile, count });
    return true;
  }

  /** @param {Point} by */
  carry(by) {
    if (this.carried === null) return;
    this.carried.by = by;
    this.table.deck.lift(this.carried.pile, this.carried.from, by);
  }

  /** @param {Point} by */
  drop(by) {
    const { table, carried } = this;
    this.carried = null;
    if (carried === null || table.layout === null) return;
    const source = carried.pile;
    const cards = table.cards(source);
    const count = cards.length - carried.from;
    const start = cardRect(table.layout, source, cards, carried.from);
    const card = { ...start, x: start.x + by.x, y: start.y + by.y };
    const target = pileUnder(table.layout, table.piles(), card, (name) =>
      name !== source && (table.isWaiting || table.moves.brought(source, name, count) !== null),
    );
    const move = target === null ? null : table.moves.brought(source, target, count);
    table.deck.release();
    if (move !== null) this.play(move);
    else {
      const met = pileUnder(table.layout, table.piles(), card, (name) => name !== source);
      if (table.isWaiting && target !== null) this.want(source, target, count);
      else if (!table.isWaiting && met !== null) this.#try(source, met, count);
      this.#putBack();
    }
  }

  cancel() {
    this.carried = null;
    this.#putBack();
  }

  /** @param {string} pile */
  quick(pile) {
    const count = this.chosen?.pile === pile ? this.chosen.count : undefined;
    if (this.table.isWaiting) this.want(pile, null, count ?? 1);
    else {
      const move = this.#best(pile, count);
      if (move === null) this.#refuse(pile);
      else this.play(move);
    }
  }

  /**
   * Keeps a wish until it is known what is legal.
   *
   * @param {string | null} source  null for what the stock does
   * @param {string | null} target  null for the best move
   * @param {number} [count]
   */
  want(source, target, count = 1) {
    this.wanted = { source, target, count };
    this.choose(null);
  }

  /**
   * Tries what is not legal, so that the server says why, and lets go of what was chosen.
   *
   * @param {string | null} source  without one it is the stock that is asked
   * @param {string | null} target
   */
  attempt(source, target) {
    const count = this.chosen?.pile === source ? this.chosen.count : 1;
    const [action] = this.table.game.actions;
    this.choose(null);
    if (source !== null && target !== null) this.#try(source, target, count);
    else if (action !== undefined) this.table.onTry(action);
  }

  /** @param {string} move */
  play(move) {
    this.choose(null);
    clearTimeout(this.patience);
    // Until somebody shows what became of it, a carried card stays where it was dropped.
    this.patience = setTimeout(() => this.table.draw(this.table.moveMs()), PATIENCE_MS);
    this.table.onMove(move);
  }

  /** What the stock does now. */
  ask() {
    const { action } = this.table.moves;
    if (this.table.isWaiting) this.want(null, null);
    else if (action !== null) this.play(action);
  }

  /** @param {Chosen | null} chosen */
  choose(chosen) {
    this.chosen = chosen?.count === 0 ? null : chosen;
    this.table.mark();
  }

  /** @param {string} pile */
  chooseTop(pile) {
    this.choose({ pile, count: liftable(this.table.moves, this.table.piles(), pile) });
  }

  /**
   * Takes more or fewer cards of a pile.
   *
   * @param {string} pile
   * @param {1 | -1} change
   */
  extend(pile, change) {
    const counts = this.table.moves.counts(pile);
    const at = this.chosen?.pile === pile ? counts.indexOf(this.chosen.count) : -1;
    const count = counts[Math.min(Math.max(at + change, 0), counts.length - 1)];
    if (count === undefined) return;
    this.choose({ pile, count });
    this.table.onSay(count === 1 ? '1 card' : `${count} cards`);
  }

  close() {
    clearTimeout(this.patience);
  }

  #putBack() {
    this.choose(null);
    this.table.draw(this.table.moveMs());
  }

  /** @param {Point} point */
  #at(point) {
    const { layout } = this.table;
    return layout && cardAt(layout, this.table.piles(), point);
  }

  /**
   * @param {string} source
   * @param {number} [count]
   */
  #best(source, count) {
    return this.table.moves.quick(source, (name) => this.table.cards(name).length === 0, count);
  }

  /**
   * Tells of a move that is not legal: the server says why.
   *
   * @param {string} source
   * @param {string} target
   * @param {number} count
   */
  #try(source, target, count) {
    this.table.onTry(count > 1 ? `${source}-${target}:${count}` : `${source}-${target}`);
  }

  /** @param {string} pile */
  #refuse(pile) {
    const found = this.table.game.piles.find(({ name }) => name === pile);
    if (found && this.table.cards(pile).length > 0) this.table.onRefuse(`${pileTitle(found)} has no legal move.`);
  }
}
