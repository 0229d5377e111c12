/** Tournaments as tables: cross table, rounds, what each player has played, standings. Pure. */

import { called, outcome, scoresOf } from './words.js';
import { openRace, playersOf } from './ledger.js';

/** @typedef {import('../net/link.js').Message} Message */

/** So many meetings of two stand one by one; more are counted. */
const APART_MOST = 3;
const NEWEST = 12;

/**
 * Who played whom: a row and a column for each player, by seed number.
 *
 * @param {Message} sheet
 * @returns {{seed: number, name: string, player: number, cells: {text: string, words: string, match: string | null}[]}[]}
 */
export function crossTable(sheet) {
  const field = (sheet.players ?? []).filter((/** @type {Message} */ each) => each.seed)
    .sort((/** @type {Message} */ one, /** @type {Message} */ other) => one.seed - other.seed);
  /** @type {Map<string, {texts: string[], words: string[], match: string}>} */
  const results = new Map();
  for (const match of sheet.matches ?? []) {
    if (match.players.length !== 2) continue;
    const texts = pointsOf(match);
    match.players.forEach((/** @type {number} */ player, /** @type {number} */ at) => {
      const key = `${player} ${match.players[1 - at]}`;
      /** @type {{texts: string[], words: string[], match: string}} */
      const known = results.get(key) ?? { texts: [], words: [], match: match.match };
      known.texts.push(texts[at] ?? '');
      known.words.push(outcome(match, player).words);
      results.set(key, { ...known, match: match.match });
    });
  }
  const players = playersOf(sheet);
  return field.map((/** @type {Message} */ row) => ({
    seed: row.seed,
    name: called(players, row.player),
    player: row.player,
    cells: field.map((/** @type {Message} */ column) => {
      if (row === column) return { text: '×', words: '', match: null };
      const known = results.get(`${row.player} ${column.player}`);
      return known ? { text: summed(known), words: known.words.join(', '), match: known.match }
        : { text: '·', words: 'have not met', match: null };
    }),
  }));
}

/**
 * @param {{texts: string[], words: string[]}} results  of two who have met, once or often
 * @returns {string} `1`, `1 0`; of many `+3 =2 −1`: won, drawn, lost
 */
function summed({ texts, words }) {
  if (texts.length <= APART_MOST) return texts.join(' ');
  const count = (/** @type {string} */ how) => words.filter((each) => each.startsWith(how)).length;
  return `+${count('won')} =${count('drew')} −${count('lost')}`;
}

/**
 * @param {Message} match
 * @returns {[string, string]} what a match says of each of its two: `1`, `½`, `0`; in a longer one, its races
 */
function pointsOf(match) {
  if (!match.ending) return openRace(match)?.state === 'running' ? ['*', '*'] : ['·', '·'];
  const [one, other] = match.players;
  if (match.ending !== 'played') return [match.winner === one ? '+' : '−', match.winner === other ? '+' : '−'];
  const scores = scoresOf(match);
  if ((match.best_of ?? 1) > 1 && scores[0] && scores[1]) return [`${scores[0]}:${scores[1]}`, `${scores[1]}:${scores[0]}`];
  if (!match.winner) return ['½', '½'];
  return match.winner === one ? ['1', '0'] : ['0', '1'];
}

/**
 * @param {Message} sheet
 * @returns {{round: number, label: string, matches: Message[]}[]} the newest round first; a ladder has none: there
 *   the newest matches, then all before
 */
export function rounds(sheet) {
  if (sheet.terms.format.format === 'ladder') {
    const all = (sheet.matches ?? []).toReversed();
    return [{ round: 2, label: 'Newest', matches: all.slice(0, NEWEST) }, { round: 1, label: 'Before', matches: all.slice(NEWEST) }]
      .filter((each) => each.matches.length);
  }
  /** @type {Map<number, {round: number, label: string, matches: Message[]}>} */
  const found = new Map();
  for (const match of sheet.matches ?? []) {
    /** @type {{round: number, label: string, matches: Message[]}} */
    const known = found.get(match.round) ?? { round: match.round, label: `Round ${match.round}`, matches: [] };
    known.matches.push(match);
    found.set(match.round, known);
  }
  return [...found.values()].sort((one, other) => other.round - one.round);
}

/**
 * @param {Message} sheet
 * @returns {Message[]} the matches that are open; those of the last round where none is
 */
export function current(sheet) {
  const matches = sheet.matches ?? [];
  const open = matches.filter((/** @type {Message} */ each) => !each.ending);
  if (open.length) return open;
  const last = Math.max(0, ...matches.map((/** @type {Message} */ each) => each.round));
  return matches.filter((/** @type {Message} */ each) => each.round === last);
}

/**
 * @param {Message} sheet
 * @param {number} player
 * @returns {{round: number, match: string, rivals: string, words: string, mark: string, score: string}[]} a player's matches
 */
export function played(sheet, player) {
  const players = playersOf(sheet);
  return (sheet.matches ?? []).filter((/** @type {Message} */ each) => each.players.includes(player)).map((/** @type {Message} */ match) => {
    const rivals = match.players.filter((/** @type {number} */ each) => each !== player);
    const place = (match.places ?? []).find((/** @type {Message} */ each) => each.player === player);
    const heat = place ? { mark: 'heat', words: `${place.place ? `place ${place.place}` : 'no place'}, ${place.points ?? '0'} points` } : null;
    const { mark, words } = heat ?? outcome(match, player);
    const scores = scoresOf(match);
    const own = match.players.indexOf(player);
    return {
      round: match.round, match: match.match, mark, words,
      rivals: rivals.map((/** @type {number} */ each) => called(players, each)).join(', '),
      score: rivals.length === 1 && match.ending === 'played' && scores[0] ? `${scores[own]}–${scores[1 - own]}` : '',
    };
  });
}

/**
 * What heats brought: a row for each player in the order of the standings, a column for each round.
 *
 * @param {Message} sheet
 * @param {Message | null} table
 * @returns {{rounds: number[], rows: {player: number, name: string, cells: {text: string, words: string}[]}[]}}
 */
export function heatTable(sheet, table) {
  const players = playersOf(sheet);
  const numbers = [...new Set((sheet.matches ?? []).map((/** @type {Message} */ each) => each.round))].sort((one, other) => one - other);
  const order = table?.lines.map((/** @type {Message} */ line) => line.player)
    ?? (sheet.players ?? []).filter((/** @type {Message} */ each) => each.seed).map((/** @type {Message} */ each) => each.player);
  const cellOf = (/** @type {number} */ player, /** @type {number} */ round) => {
    const match = sheet.matches.find((/** @type {Message} */ each) => each.round === round && each.players.includes(player));
    if (!match) return { text: '·', words: 'not there' };
    const place = (match.places ?? []).find((/** @type {Message} */ each) => each.player === player);
    if (!place) return { text: openRace(match)?.state === 'running' ? '*' : '·', words: match.ending ? match.ending : 'races' };
    return { text: place.points ?? '0', words: place.place ? `place ${place.place}` : 'no place' };
  };
  return {
    rounds: numbers,
    rows: order.map((/** @type {number} */ player) => ({
      player, name: called(players, player), cells: numbers.map((round) => cellOf(player, round)),
    })),
  };
}

/**
 * @param {Message} table  a `tournament-table`
 * @returns {string[]} what the columns are headed by
 */
export function markHeads(table) {
  const longest = (table.lines ?? []).reduce((/** @type {Message[]} */ most, /** @type {Message} */ line) =>
    ((line.marks ?? []).length > most.length ? line.marks : most), []);
  return longest.map((/** @type {Message} */ mark) => mark.what);
}
