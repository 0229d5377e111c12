/** Tournaments in the order in which a visitor looks for them. Pure. */

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {{title: string, cards: Message[]}} Group */

const PAST_MOST = 12;

/**
 * @param {Message[]} now  the listed ones that are not over
 * @param {Message[]} past
 * @param {Message[]} mine  those that the visitor plays, hosts or helps with
 * @returns {Group[]} each tournament once; no empty group
 */
export function sortedCards(now, past, mine) {
  const own = new Set(mine.map((card) => card.tournament));
  const others = now.filter((card) => !own.has(card.tournament));
  const isEnded = (/** @type {Message} */ card) => ['over', 'called-off'].includes(card.head.phase);
  const soonest = (/** @type {Message} */ one, /** @type {Message} */ other) => (one.starts ?? Infinity) - (other.starts ?? Infinity) || 0;
  return [
    { title: 'Yours', cards: mine.filter((card) => !isEnded(card)) },
    { title: 'Check-in is open', cards: others.filter((card) => card.head.phase === 'check-in').sort(soonest) },
    { title: 'Running', cards: others.filter((card) => card.head.phase === 'running') },
    { title: 'Open for registration', cards: others.filter((card) => card.head.phase === 'announced').sort(soonest) },
    { title: 'Over', cards: [...past.filter((card) => !own.has(card.tournament)), ...mine.filter(isEnded)].slice(0, PAST_MOST) },
  ].filter(({ cards }) => cards.length);
}
