/**
 * The bracket of an elimination as columns of matches, those that are not paired yet included. Pure.
 *
 * Matches are named by the protocol: `W1.2` is the second of the first round, `L3.1` of the losers',
 * `F` and `F2` are the finals, `T` is for the third place.
 */

import { called, scoresOf } from './words.js';
import { openRace, playersOf } from './ledger.js';

/** @typedef {import('../net/link.js').Message} Message */

/**
 * @typedef {object} Slot  one line of a match
 * @property {number | null} player
 * @property {string} name  `bye`, or empty while nobody is known
 * @property {number | null} seed
 * @property {string} score
 * @property {boolean} isWinner
 * @property {boolean} isYou
 */

/**
 * @typedef {object} Cell
 * @property {string} id
 * @property {[Slot, Slot]} slots
 * @property {'empty' | 'ahead' | 'called' | 'running' | 'open' | 'over' | 'bye'} state  empty: nobody will ever come
 * @property {Message | null} match
 */

/**
 * @typedef {object} Column
 * @property {string} head
 * @property {Cell[]} cells
 * @property {'pairs' | 'straight' | 'end'} leads  how its matches lead to the next column
 */

/** @typedef {{title: string, columns: Column[]}} Part */

const LABELS = /** @type {Record<number, string>} */ ({ 1: 'final', 2: 'semi-final', 4: 'quarter-final' });

/**
 * @param {Message} sheet
 * @returns {Part[]} none before it is drawn
 */
export function bracket(sheet) {
  if (!(sheet.matches ?? []).length) return [];
  const matches = new Map(sheet.matches.map((/** @type {Message} */ each) => [each.match, each]));
  const size = 2 * Math.max(1, ...sheet.matches.map((/** @type {Message} */ each) => Number(/^W1\.(\d+)$/.exec(each.match)?.[1] ?? 0)));
  const parts = sheet.terms.format.format === 'double-elimination'
    ? double(matches, size, sheet.terms.format.reset !== false)
    : single(matches, size);
  const players = playersOf(sheet);
  return parts.map(({ title, columns, heads, into }) => ({
    title,
    columns: columns.map((ids, at) => ({
      head: heads[at] ?? '',
      leads: at === columns.length - 1 ? 'end' : columns[at + 1]?.length === ids.length ? 'straight' : 'pairs',
      cells: ids.map((id, row) => cell(id, feeders(columns, at, row, into), matches, players, sheet.you ?? null)),
    })),
  }));
}

/** @typedef {{title: string, columns: string[][], heads: string[], into?: [string, string | null]}} Plan */

/**
 * @param {Map<string, Message>} matches
 * @param {number} size
 * @returns {Plan[]}
 */
function single(matches, size) {
  const columns = winners(size, 'F');
  const parts = [{ title: '', columns, heads: columns.map((ids) => LABELS[ids.length] ?? `round of ${2 * ids.length}`) }];
  if (matches.has('T')) parts.push({ title: 'Third place', columns: [['T']], heads: [''] });
  return parts;
}

/**
 * @param {Map<string, Message>} matches
 * @param {number} size
 * @param {boolean} isReset
 * @returns {Plan[]}
 */
function double(matches, size, isReset) {
  const upper = winners(size, null);
  /** @type {string[][]} */
  const lower = [];
  for (let count = size / 4; count >= 1; count /= 2) {
    for (const _ of [0, 1]) lower.push(rows(`L${lower.length + 1}`, count));
  }
  const rounds = (/** @type {string[][]} */ columns) => columns.map((_, at) => `round ${at + 1}`);
  const finals = isReset && matches.has('F2') ? [['F'], ['F2']] : [['F']];
  return [
    { title: 'Winners', columns: upper, heads: rounds(upper) },
    ...(lower.length ? [{ title: 'Losers', columns: lower, heads: rounds(lower) }] : []),
    { title: 'Finals', columns: finals, heads: ['final', 'second final'], into: [upper.at(-1)?.[0] ?? '', lower.at(-1)?.[0] ?? null] },
  ];
}

/**
 * @param {number} size
 * @param {string | null} last  what the one match of the last round is called, if not like the others
 */
function winners(size, last) {
  const columns = [];
  for (let count = size / 2; count >= 1; count /= 2) {
    columns.push(count === 1 && last !== null ? [last] : rows(`W${columns.length + 1}`, count));
  }
  return columns;
}

/**
 * @param {string} round
 * @param {number} count
 */
function rows(round, count) {
  return Array.from({ length: count }, (_, at) => `${round}.${at + 1}`);
}

/**
 * The matches whose winners come to the two lines of a match; where a round has as many as the one
 * before, the upper line is for somebody who drops in.
 *
 * @param {string[][]} columns
 * @param {number} at
 * @param {number} row
 * @param {[string, string | null] | undefined} into
 * @returns {[string | null, string | null]}
 */
function feeders(columns, at, row, into) {
  if (at === 0) {
    if (into) return into;
    const round = /^L1\.(\d+)$/.exec(columns[0]?.[row] ?? '');
    return round ? [`W1.${2 * row + 1}`, `W1.${2 * row + 2}`] : [null, null];
  }
  const before = columns[at - 1] ?? [];
  if (into) return [null, null];
  if (before.length === columns[at]?.length) return [null, before[row] ?? null];
  return [before[2 * row] ?? null, before[2 * row + 1] ?? null];
}

/**
 * @param {string} id
 * @param {[string | null, string | null]} from
 * @param {Map<string, Message>} matches
 * @param {Map<number, Message>} players
 * @param {number | null} you
 * @returns {Cell}
 */
function cell(id, from, matches, players, you) {
  const match = matches.get(id) ?? null;
  const slot = (/** @type {number | null} */ player, score = '', name = '') => ({
    player, score, seed: player === null ? null : players.get(player)?.seed ?? null,
    name: player === null ? name : called(players, player),
    isWinner: player !== null && match?.winner === player, isYou: player !== null && player === you,
  });
  if (match === null) {
    const before = from.map((each) => matches.get(each ?? '') ?? null);
    const isDrop = id.startsWith('L1.');
    const isEmpty = isDrop && before.every((each) => each?.ending === 'bye');
    const [one, other] = before.map((each) => (isDrop ? null : each?.winner ?? null));
    return { id, match, state: isEmpty ? 'empty' : 'ahead', slots: [slot(one ?? null), slot(other ?? null)] };
  }
  if (match.players.length < 2) {
    return { id, match, state: 'bye', slots: [slot(match.players[0] ?? null), slot(null, '', 'bye')] };
  }
  const scores = scoresOf(match);
  const state = match.ending ? 'over' : openRace(match)?.state ?? 'open';
  return { id, match, state, slots: [slot(match.players[0], scores[0]), slot(match.players[1], scores[1])] };
}
