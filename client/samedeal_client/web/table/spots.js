/**
 * The places of the piles: a button for each, which the keyboard and screen readers reach, and
 * above the cards the marks that say what is chosen, where it may go and what has just been moved.
 */

import { h } from '../dom.js';
import { pileLabel } from './description.js';
import { cardRect, pileRect } from './geometry.js';

/** @typedef {import('./description.js').Description} Description */
/** @typedef {import('./description.js').Pile} Pile */
/** @typedef {import('./layout.js').Layout} Layout */
/** @typedef {import('./layout.js').Piles} Piles */
/** @typedef {'target' | 'movable' | 'last' | 'hint'} Mark */
/** @typedef {{pile: Pile, button: HTMLButtonElement, mark: HTMLElement}} Spot */

const NEAR_EMPTY = 8;

export class Spots {
  /**
   * @param {Description} game
   * @param {{canPlay: boolean}} how
   */
  constructor(game, { canPlay }) {
    /** @type {Map<string, Spot>} */
    this.spots = new Map(game.piles.map((pile) => [pile.name, this.#spot(pile, canPlay)]));
    this.here = game.piles[0]?.name ?? '';
    this.below = h('div', { class: 'table-piles' }, [...this.spots.values()].map(({ button }) => button));
    this.above = h('div', { class: 'table-marks', 'aria-hidden': 'true' }, [...this.spots.values()].map(({ mark }) => mark));
    this.#rove(this.here);
  }

  /**
   * @param {Piles} piles
   * @param {Layout} layout
   */
  show(piles, layout) {
    for (const [name, { pile, button, mark }] of this.spots) {
      const cards = piles.get(name) ?? [];
      set(button, pileRect(layout, name, cards));
      set(mark, cardRect(layout, name, cards));
      button.setAttribute('aria-label', pileLabel(pile, pile.kind === 'stock' ? cards.map(() => '--') : cards));
      button.dataset.cards = String(Math.min(cards.length, NEAR_EMPTY));
      button.dataset.spread = layout.piles.get(name)?.spread ?? 'none';
      mark.dataset.count = countOf(pile, cards);
    }
  }

  /**
   * @param {Mark} kind
   * @param {Iterable<string>} names
   */
  mark(kind, names) {
    const marked = new Set(names);
    for (const [name, { mark }] of this.spots) mark.toggleAttribute(`data-${kind}`, marked.has(name));
  }

  /** @param {string | null} name */
  press(name) {
    for (const [each, { button }] of this.spots) {
      if (button.hasAttribute('aria-pressed')) button.setAttribute('aria-pressed', String(each === name));
    }
  }

  /** @param {string} name */
  focus(name) {
    this.#rove(name);
    this.spots.get(name)?.button.focus({ preventScroll: true });
  }

  /**
   * The pile of an element of this table, if it is one's button.
   *
   * @param {EventTarget | null} element
   * @returns {string | null}
   */
  nameOf(element) {
    for (const [name, { button }] of this.spots) if (button === element) return name;
    return null;
  }

  /**
   * The nearest pile that lies in a direction.
   *
   * @param {string} from
   * @param {{x: number, y: number}} way  one of them is 1 or -1
   * @param {Layout} layout
   * @returns {string}
   */
  beside(from, way, layout) {
    const start = layout.piles.get(from);
    if (start === undefined) return from;
    let least = Infinity;
    let found = from;
    for (const [name, place] of layout.piles) {
      const along = (place.x - start.x) * way.x + (place.y - start.y) * way.y;
      const aside = Math.abs((place.x - start.x) * way.y) + Math.abs((place.y - start.y) * way.x);
      if (along > 1 && along + 3 * aside < least) {
        least = along + 3 * aside;
        found = name;
      }
    }
    return found;
  }

  /** @param {string} name */
  #rove(name) {
    this.here = name;
    for (const [each, { button }] of this.spots) button.tabIndex = each === name ? 0 : -1;
  }

  /**
   * @param {Pile} pile
   * @param {boolean} canPlay
   * @returns {Spot}
   */
  #spot(pile, canPlay) {
    const button = h('button', {
      type: 'button', class: 'pile', 'data-kind': pile.kind, 'data-pile': pile.name, 'data-home': pile.home, disabled: !canPlay,
      'aria-pressed': pile.kind === 'stock' ? null : 'false', onfocus: () => this.#rove(pile.name),
    });
    const mark = h('div', { class: 'mark' }, h('span', { class: 'chip' }, pile.name));
    return { pile, button, mark };
  }
}

/**
 * How many cards a pile has, where its top card does not tell.
 *
 * @param {Pile} pile
 * @param {readonly string[]} cards
 */
function countOf(pile, cards) {
  const tells = pile.kind === 'stock' || pile.kind === 'waste' || (pile.hidden === 'below the top' && pile.spread === 'none');
  return tells && cards.length > 1 ? String(cards.length) : '';
}

/**
 * @param {HTMLElement} element
 * @param {import('./geometry.js').Rect} rect
 */
function set(element, { x, y, width, height }) {
  element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  element.style.width = `${width.toFixed(1)}px`;
  element.style.height = `${height.toFixed(1)}px`;
}
