/**
 * What the server tells of a game (`/api/v1/games/KEY`), and how piles and cards are called. Pure.
 */

/**
 * @typedef {object} Pile
 * @property {string} name  `T3`
 * @property {'foundation' | 'tableau' | 'cell' | 'reserve' | 'stock' | 'waste'} kind
 * @property {number} row  of the grid, from 0
 * @property {number} column
 * @property {'none' | 'down' | 'right'} spread  how its cards lie over each other
 * @property {number} dealt  how many cards the deal gives it
 * @property {'nothing' | 'all' | 'below the top'} hidden
 * @property {boolean} home  whether cards there count as home
 */

/**
 * @typedef {object} Description
 * @property {string} key
 * @property {string} name
 * @property {(string | null)[][]} grid
 * @property {Pile[]} piles  in the order of positions
 * @property {string[]} actions  some of `draw`, `deal`, `redeal`
 * @property {number | null} redeals  how many a player has, where they are counted
 * @property {string[]} counters
 */

export const HIDDEN = '--';

/** @type {Record<string, string>} */
const RANKS = {
  A: 'ace', 2: '2', 3: '3', 4: '4', 5: '5', 6: '6', 7: '7',
  8: '8', 9: '9', T: '10', J: 'jack', Q: 'queen', K: 'king',
};
/** @type {Record<string, string>} */
const SUITS = { C: 'clubs', D: 'diamonds', H: 'hearts', S: 'spades' };
/** @type {Record<Pile['kind'], string>} */
const KINDS = {
  foundation: 'Foundation', tableau: 'Column', cell: 'Cell', reserve: 'Reserve', stock: 'Stock', waste: 'Waste',
};

/**
 * @param {string} card  `7H`
 * @returns {string} `7 of hearts`
 */
export function cardTitle(card) {
  return card === HIDDEN ? 'a hidden card' : `${RANKS[card[0] ?? '']} of ${SUITS[card[1] ?? '']}`;
}

/**
 * @param {Description} game
 * @param {import('./position.js').Position | null} position
 * @returns {number | null} how many redeals are left; null where they are not counted
 */
export function redealsLeft(game, position) {
  if (game.redeals === null) return null;
  return Math.max(0, game.redeals - (position?.counters.get('redeals') ?? 0));
}

/**
 * @param {Pile} pile
 * @returns {string} `Column 3`, `Fan 3`, `Pile 3`, `Waste`: columns, fans and squared piles are told apart
 */
export function pileTitle(pile) {
  const lying = { down: 'Column', right: 'Fan', none: 'Pile' };
  const kind = pile.kind === 'tableau' ? lying[pile.spread] : KINDS[pile.kind];
  return `${kind} ${pile.name.slice(1)}`.trim();
}

/**
 * @param {Pile} pile
 * @param {readonly string[]} cards  bottom first
 * @returns {string} `Column 3: 5 cards, 2 hidden, top 7 of hearts`
 */
export function pileLabel(pile, cards) {
  const title = pileTitle(pile);
  const top = cards.at(-1);
  if (top === undefined) return `${title}: empty`;
  const said = [cards.length === 1 ? '1 card' : `${cards.length} cards`];
  const hidden = cards.filter((card) => card === HIDDEN).length;
  if (hidden === cards.length) said.push('face down');
  else {
    if (hidden > 0) said.push(`${hidden} hidden`);
    said.push(`top ${cardTitle(top)}`);
  }
  return `${title}: ${said.join(', ')}`;
}
