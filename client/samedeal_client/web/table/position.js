/**
 * Positions as the server tells them: text in, text out, and what a move did to them. Pure.
 *
 * Nothing here knows a rule: the server says which cards went where, and which of them show.
 */

import { HIDDEN } from './description.js';

/** @typedef {import('./description.js').Description} Description */

/**
 * Cards are texts such as `TH`, `--` for a hidden one; bottom first, but the stock next card first.
 *
 * @typedef {object} Position
 * @property {string} game  the key
 * @property {Map<string, string[]>} piles
 * @property {number} hiddenStock  how many cards of the stock are hidden
 * @property {Map<string, number>} counters  `redeals`, `base` (1 to 13, once fixed), `plays`, `idle`
 */

/**
 * What `played` and `moved` tell of a move.
 *
 * @typedef {object} Told
 * @property {readonly string[]} [steps]
 * @property {readonly {pile: string, card: string}[]} [turned]
 * @property {readonly string[]} [covered]
 * @property {string | null} [board]
 */

const RANKS = 'A23456789TJQK';
const CARD = /^(?:[A2-9TJQK][CDHS]|--)$/;
const COUNTERS = ['redeals', 'base', 'plays', 'idle'];

/**
 * @param {string} text
 * @returns {Position}
 * @throws {SyntaxError} for what is no position
 */
export function parse(text) {
  const [first = '', ...lines] = text.trim().split(/\s*\n\s*/);
  const game = /^game: *(\S+)$/.exec(first)?.[1];
  if (game === undefined) throw new SyntaxError(`${first.slice(0, 40)} begins no position`);
  /** @type {Map<string, string[]>} */
  const piles = new Map();
  /** @type {Map<string, number>} */
  const counters = new Map();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const label = line.slice(0, colon);
    const rest = line.slice(colon + 1).trim();
    if (COUNTERS.includes(label)) counters.set(label, label === 'base' ? RANKS.indexOf(rest) + 1 : Number(rest));
    else if (/^[FTCRSW]\d*$/.test(label)) piles.set(label, cards(rest));
    else throw new SyntaxError(`${line.slice(0, 40)} is no line of a position`);
  }
  return position(game, piles, counters);
}

/**
 * @param {Position} position
 * @returns {string} as the server writes it
 */
export function print({ game, piles, counters }) {
  const lines = [`game: ${game}`];
  for (const [name, pile] of piles) lines.push([`${name}:`, ...pile].join(' '));
  for (const [name, count] of counters) lines.push(`${name}: ${name === 'base' ? RANKS[count - 1] : count}`);
  return lines.join('\n');
}

/**
 * Carries out what a message tells: its steps, then what is covered, then what is turned up.
 *
 * @param {Position} before
 * @param {Told} told
 * @param {Description} [game]  to keep the counters that steps change
 * @returns {Position}
 * @throws {RangeError} when the position has not the cards that a step takes: ask for the whole board
 */
export function apply(before, { steps = [], turned = [], covered = [], board = null }, game) {
  if (board !== null) return parse(board);
  const piles = new Map([...before.piles].map(([name, pile]) => [name, [...pile]]));
  const counters = new Map(before.counters);
  for (const step of steps) {
    const { source, target, count } = transfer(step);
    const from = piles.get(source) ?? [];
    if (count < 1 || from.length < count) throw new RangeError(`${source} has no ${count} cards for ${step}`);
    const group = source === 'S' ? from.splice(0, count) : from.splice(-count);
    piles.set(target, [...(piles.get(target) ?? []), ...group]);
    if (game?.piles.some((pile) => pile.name === target && pile.home)) keepCounters(counters, game, group);
  }
  for (const name of covered) {
    const pile = piles.get(name) ?? [];
    piles.set(name, pile.map((card, at) => (at < pile.length - 1 ? HIDDEN : card)));
  }
  for (const { pile: name, card } of turned) {
    const pile = piles.get(name) ?? [];
    if (pile.length === 0) throw new RangeError(`${name} has no card to turn up`);
    pile[pile.length - 1] = card;
  }
  return position(before.game, piles, counters);
}

/**
 * The position as a move will most likely leave it, to be shown until the server has told.
 *
 * @param {Position} before
 * @param {string} move
 * @param {Description} [game]
 * @returns {Position | null} null for a stock action, which only the server can carry out
 */
export function play(before, move, game) {
  return move.includes('-') ? apply(before, { steps: [move] }, game) : null;
}

/**
 * @param {string} step  `T3-F1`, `T1-T4:3`
 * @returns {{source: string, target: string, count: number}}
 */
export function transfer(step) {
  const [source = '', rest = ''] = step.split('-');
  const [target = '', count = '1'] = rest.split(':');
  return { source, target, count: Number(count) };
}

/**
 * @param {string} game
 * @param {Map<string, string[]>} piles
 * @param {Map<string, number>} counters
 * @returns {Position}
 */
function position(game, piles, counters) {
  const hiddenStock = (piles.get('S') ?? []).filter((card) => card === HIDDEN).length;
  return { game, piles, hiddenStock, counters };
}

/**
 * @param {string} text  `9H 8C` or `64 cards hidden`
 * @returns {string[]}
 */
function cards(text) {
  const hidden = /^(\d+) cards? hidden$/.exec(text);
  if (hidden) return Array.from({ length: Number(hidden[1]) }, () => HIDDEN);
  const found = text.split(/\s+/).filter(Boolean);
  for (const card of found) if (!CARD.test(card)) throw new SyntaxError(`${card.slice(0, 8)} is no card`);
  return found;
}

/**
 * Keeps the counters as cards come home: the first of them may fix the base rank.
 *
 * @param {Map<string, number>} counters
 * @param {Description} game
 * @param {string[]} group
 */
function keepCounters(counters, game, group) {
  if (game.counters.includes('base') && !counters.has('base')) {
    counters.set('base', RANKS.indexOf(group[0]?.[0] ?? '') + 1);
  }
  if (game.counters.includes('plays')) counters.set('plays', (counters.get('plays') ?? 0) + group.length);
}
