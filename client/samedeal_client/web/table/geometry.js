/** Which card is under a finger, and over which pile a card is held. Pure. */

import { stepsTo } from './layout.js';

/** @typedef {import('./layout.js').Layout} Layout */
/** @typedef {import('./layout.js').Piles} Piles */
/** @typedef {{x: number, y: number, width: number, height: number}} Rect */

/**
 * Where a card of a pile lies; of an empty pile, where its first card would.
 *
 * @param {Layout} layout
 * @param {string} name
 * @param {readonly string[]} cards
 * @param {number} [index]  the top card, unless told
 * @returns {Rect}
 */
export function cardRect({ piles, card }, name, cards, index = cards.length - 1) {
  const place = piles.get(name);
  if (place === undefined) throw new RangeError(`the table has no pile ${name}`);
  const along = place.step * stepsTo(cards, index);
  return {
    x: place.x + (place.spread === 'right' ? along : 0),
    y: place.y + (place.spread === 'down' ? along : 0),
    ...card,
  };
}

/**
 * All that a pile covers.
 *
 * @param {Layout} layout
 * @param {string} name
 * @param {readonly string[]} cards
 * @returns {Rect}
 */
export function pileRect(layout, name, cards) {
  const first = cardRect(layout, name, cards, 0);
  const last = cardRect(layout, name, cards);
  return { x: first.x, y: first.y, width: last.x + last.width - first.x, height: last.y + last.height - first.y };
}

/**
 * What counts as the pile for a card that is brought to it: its column or fan as far as it may grow.
 *
 * @param {Layout} layout
 * @param {string} name
 * @param {readonly string[]} cards
 * @returns {Rect}
 */
function dropRect(layout, name, cards) {
  const rect = pileRect(layout, name, cards);
  const place = layout.piles.get(name);
  if (place?.spread === 'down') rect.height = Math.max(rect.height, place.reach - rect.y);
  if (place?.spread === 'right') rect.width = Math.max(rect.width, place.reach - rect.x);
  return rect;
}

/**
 * The pile and card at a point.
 *
 * @param {Layout} layout
 * @param {Piles} piles
 * @param {{x: number, y: number}} point
 * @returns {{pile: string, index: number} | null} index -1 for the place of an empty pile
 */
export function cardAt(layout, piles, point) {
  for (const name of layout.piles.keys()) {
    const cards = piles.get(name) ?? [];
    if (!holds(pileRect(layout, name, cards), point)) continue;
    for (let index = cards.length - 1; index >= 0; index -= 1) {
      if (holds(cardRect(layout, name, cards, index), point)) return { pile: name, index };
    }
    return { pile: name, index: -1 };
  }
  return null;
}

/**
 * The pile whose zone a card covers most.
 *
 * @param {Layout} layout
 * @param {Piles} piles
 * @param {Rect} card
 * @param {(pile: string) => boolean} isTarget
 * @returns {string | null}
 */
export function pileUnder(layout, piles, card, isTarget) {
  let most = 0;
  let found = null;
  for (const name of layout.piles.keys()) {
    const covered = overlap(dropRect(layout, name, piles.get(name) ?? []), card);
    if (covered > most && isTarget(name)) {
      most = covered;
      found = name;
    }
  }
  return found;
}

/**
 * @param {Rect} one
 * @param {Rect} other
 * @returns {number} the area that both cover
 */
export function overlap(one, other) {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return Math.max(0, width) * Math.max(0, height);
}

/**
 * @param {Rect} rect
 * @param {{x: number, y: number}} point
 */
function holds(rect, { x, y }) {
  return x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
}
