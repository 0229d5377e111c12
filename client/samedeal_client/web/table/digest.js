/**
 * The digest of a position, which the server sends with every move: by it a board is known to be the
 * one that was meant. It is BLAKE2b with 8 bytes of output over what docs/protocol.md, "Moves", lists.
 * Pure.
 */

import { blake2b } from './blake2b.js';
import { HIDDEN } from './description.js';
import { apply } from './position.js';

/** @typedef {import('./position.js').Position} Position */

const RANKS = 'A23456789TJQK';
const SUITS = 'CDHS';
const COUNTERS = ['redeals', 'base', 'plays', 'idle'];
const END_OF_PILE = 63;

/**
 * The board after a move, as it was told.
 *
 * @param {Position} before
 * @param {Record<string, any>} message  `played` or `moved`
 * @param {import('./description.js').Description} game
 * @returns {Position | null} null where it is not the board that the server has
 */
export function followed(before, message, game) {
  const turned = (message.turned ?? []).map((/** @type {[string, string]} */ [pile, card]) => ({ pile, card }));
  try {
    const board = apply(before, { ...message, turned }, game);
    return digest(board) === message.digest ? board : null;
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
    return null;
  }
}

/**
 * @param {Position} position
 * @returns {string} 16 hex digits
 */
export function digest({ game, piles, counters }) {
  const bytes = [...new TextEncoder().encode(game), 0, ...COUNTERS.map((name) => counters.get(name) ?? 0)];
  for (const pile of piles.values()) bytes.push(...pile.map(code), END_OF_PILE);
  return [...blake2b(Uint8Array.from(bytes), 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {string} card */
function code(card) {
  return card === HIDDEN ? 0 : SUITS.indexOf(card.charAt(1)) * 16 + RANKS.indexOf(card.charAt(0)) + 1;
}
