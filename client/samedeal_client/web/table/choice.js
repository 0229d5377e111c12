/**
 * What a tap means: choosing cards, playing the chosen ones, or the one sensible thing. Pure.
 */

/** @typedef {import('./moves.js').Moves} Moves */
/** @typedef {import('./layout.js').Piles} Piles */
/** @typedef {{pile: string, count: number}} Chosen */
/** @typedef {{chosen: Chosen | null, play: string | null}} Meaning */

/**
 * @param {Moves} moves
 * @param {Piles} piles
 * @param {Chosen | null} chosen  what was chosen before
 * @param {string} pile  that is tapped
 * @param {number} [index]  of the card that is tapped; the top card, unless told
 * @returns {Meaning}
 */
export function tap(moves, piles, chosen, pile, index) {
  const isEmpty = (/** @type {string} */ name) => (piles.get(name) ?? []).length === 0;
  if (chosen !== null) {
    const move =
      chosen.pile === pile
        ? moves.quick(pile, isEmpty, chosen.count)
        : moves.brought(chosen.pile, pile, chosen.count);
    if (move !== null) return { chosen: null, play: move };
  }
  if (moves.kinds.get(pile) === 'stock') return { chosen: null, play: moves.action };
  const from = moves.from(pile);
  // Where cards are only ever cast off, there is nothing to choose.
  if (from.length > 0 && from.every((move) => moves.discards.has(move.target))) {
    return { chosen: null, play: from[0]?.text ?? null };
  }
  const count = liftable(moves, piles, pile, index);
  const isAgain = chosen !== null && chosen.pile === pile && chosen.count === count;
  return { chosen: count === 0 || isAgain ? null : { pile, count }, play: null };
}

/**
 * How many cards come along when a card is taken: those above it, or as near to that as is legal.
 *
 * @param {Moves} moves
 * @param {Piles} piles
 * @param {string} pile
 * @param {number} [index]
 * @returns {number} 0 when none can be moved
 */
export function liftable(moves, piles, pile, index) {
  const cards = piles.get(pile) ?? [];
  const wanted = index === undefined || index < 0 ? 1 : cards.length - index;
  const counts = moves.counts(pile);
  return counts.filter((count) => count <= wanted).at(-1) ?? counts[0] ?? 0;
}
