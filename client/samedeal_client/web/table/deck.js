/**
 * The cards that lie on the table: one element each, which keeps its identity as it moves.
 *
 * The elements follow the position at once; what a viewer sees of the way is a CSS transition of
 * `transform`, which a newer move simply turns elsewhere. So nothing ever waits for an animation.
 */

import { cardNode, dress } from './cards.js';
import { HIDDEN } from './description.js';
import { cardRect } from './geometry.js';

/** @typedef {import('./layout.js').Layout} Layout */
/** @typedef {import('./layout.js').Piles} Piles */
/** @typedef {{pile: string, index: number, card: string, x: number, y: number}} Spot */
/** @typedef {Spot & {node: HTMLElement, until: number}} Lying */

/** Of piles that are squared up only this many cards are drawn: the rest cannot be seen. */
const SHOWN = 2;
const ALOFT = 1000;

export class Deck {
  /**
   * @param {HTMLElement} node  holds the cards
   * @param {ReadonlySet<string>} closed  piles that lie face down even where their cards are known
   */
  constructor(node, closed) {
    this.node = node;
    this.closed = closed;
    /** @type {Lying[]} */
    this.lying = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.landing = undefined;
  }

  /**
   * Lays the cards as a position has them.
   *
   * @param {Piles} piles
   * @param {Layout} layout
   * @param {number} ms  how long cards are seen to move
   */
  lay(piles, layout, ms) {
    const spots = this.#spots(piles, layout);
    const old = this.#matched(spots);
    const now = performance.now();
    const birthplace = [...this.closed].map((name) => layout.piles.get(name)).find(Boolean);
    this.node.style.setProperty('--card-ms', `${ms}ms`);
    /** @type {Lying[]} */
    const born = [];
    this.lying = spots.map((spot, at) => {
      const before = old[at];
      if (before === undefined) {
        const node = cardNode();
        const from = ms > 0 && birthplace && !this.closed.has(spot.pile) && this.lying.length > 0 ? birthplace : spot;
        dress(node, spot.card, layout.face, layout.index);
        move(node, from.x, from.y);
        this.node.append(node);
        const lying = { ...spot, node, until: from === spot ? 0 : now + ms };
        if (from !== spot) born.push(lying);
        return lying;
      }
      const hasMoved = before.pile !== spot.pile || before.x !== spot.x || before.y !== spot.y;
      if (before.card === HIDDEN && spot.card !== HIDDEN && ms > 0) turn(before.node);
      dress(before.node, spot.card, layout.face, layout.index);
      before.node.removeAttribute('data-lifted');
      move(before.node, spot.x, spot.y);
      return { ...spot, node: before.node, until: hasMoved && before.pile !== spot.pile ? now + ms : before.until };
    });
    const kept = new Set(this.lying.map(({ node }) => node));
    for (const child of [...this.node.children]) if (!kept.has(/** @type {HTMLElement} */ (child))) child.remove();
    if (born.length > 0) {
      void this.node.offsetWidth; // the browser has to have seen where they come from
      for (const { node, x, y } of born) move(node, x, y);
    }
    this.#order(now);
    clearTimeout(this.landing);
    if (ms > 0) this.landing = setTimeout(() => this.#order(Infinity), ms + 30);
  }

  /**
   * Holds the top cards of a pile away from where they lie.
   *
   * @param {string} pile
   * @param {number} from  the index of the first
   * @param {{x: number, y: number}} by
   */
  lift(pile, from, by) {
    for (const { node, x, y, index } of this.#of(pile, from)) {
      node.setAttribute('data-lifted', '');
      node.style.zIndex = String(2 * ALOFT + index);
      move(node, x + by.x, y + by.y);
    }
  }

  /** Lets go of what is lifted: it stays where it is until the cards are laid again. */
  release() {
    for (const { node } of this.lying) node.removeAttribute('data-lifted');
  }

  /**
   * Marks the top cards of a pile as chosen, and no others.
   *
   * @param {string | null} pile
   * @param {number} from
   */
  choose(pile, from) {
    for (const lying of this.lying) {
      lying.node.toggleAttribute('data-chosen', lying.pile === pile && lying.index >= from);
    }
  }

  /**
   * @param {string} pile
   * @param {number} from
   */
  #of(pile, from) {
    return this.lying.filter((lying) => lying.pile === pile && lying.index >= from);
  }

  /**
   * @param {Piles} piles
   * @param {Layout} layout
   * @returns {Spot[]}
   */
  #spots(piles, layout) {
    /** @type {Spot[]} */
    const spots = [];
    for (const [pile, { spread }] of layout.piles) {
      const cards = piles.get(pile) ?? [];
      const isClosed = this.closed.has(pile);
      for (let index = spread === 'none' ? Math.max(0, cards.length - SHOWN) : 0; index < cards.length; index += 1) {
        const { x, y } = cardRect(layout, pile, cards, index);
        spots.push({ pile, index, card: isClosed ? HIDDEN : (cards[index] ?? HIDDEN), x, y });
      }
    }
    return spots;
  }

  /**
   * Which card that lies here goes to which spot: the same card in place, then the same card from
   * elsewhere, then a hidden one that may be it, from its own pile first, then the closed ones.
   *
   * @param {Spot[]} spots
   * @returns {(Lying | undefined)[]}
   */
  #matched(spots) {
    const free = new Set(this.lying);
    /** @type {(Lying | undefined)[]} */
    const found = Array.from({ length: spots.length });
    /** @type {((spot: Spot, lying: Lying) => boolean)[]} */
    const ways = [
      (spot, lying) => lying.card === spot.card && lying.pile === spot.pile && lying.index === spot.index,
      (spot, lying) => lying.card === spot.card && spot.card !== HIDDEN,
      (spot, lying) => lying.card === HIDDEN && lying.pile === spot.pile && lying.index === spot.index,
      (spot, lying) => lying.card === HIDDEN && this.closed.has(lying.pile) && spot.card !== HIDDEN,
      (spot, lying) => spot.card === HIDDEN && lying.pile === spot.pile && lying.index === spot.index,
    ];
    for (const isIt of ways) {
      spots.forEach((spot, at) => {
        if (found[at] !== undefined) return;
        for (const lying of free) {
          if (isIt(spot, lying)) {
            found[at] = lying;
            free.delete(lying);
            return;
          }
        }
      });
    }
    return found;
  }

  /** @param {number} now  cards on their way are above the others */
  #order(now) {
    for (const { node, index, until } of this.lying) {
      node.style.zIndex = String(index + (until > now ? ALOFT : 0));
    }
  }
}

/**
 * @param {HTMLElement} node
 * @param {number} x
 * @param {number} y
 */
function move(node, x, y) {
  node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
}

/** @param {HTMLElement} node */
function turn(node) {
  node.setAttribute('data-turning', '');
  node.addEventListener('animationend', () => node.removeAttribute('data-turning'), { once: true });
}
