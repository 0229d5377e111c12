/** Draws who met whom: rounds with their matches, the cross table, the points of heats. */

import { h } from '../dom.js';
import { matchLine, nameOf, scrolled } from './draw.js';
import { playersOf } from './ledger.js';
import { crossTable, heatTable, rounds } from './tables.js';
import { counted } from '../words.js';

/** @typedef {import('../net/link.js').Message} Message */

const CROSS_MOST = 24;

/**
 * @param {Message} sheet
 * @returns {HTMLElement}
 */
export function drawRounds(sheet) {
  const players = playersOf(sheet);
  const all = rounds(sheet);
  if (!all.length) return h('p', { class: 'nothing' }, 'Nothing is paired yet.');
  return h('div', { class: 'rounds' }, all.map(({ round, label, matches }, at) => h('details', { 'data-key': `round ${round}`, open: at === 0 },
    h('summary', {}, `${label}: ${counted(matches.length, 'match', 'matches')}`),
    h('ul', { class: 'lines' }, matches.map((match) => matchLine(match, players, sheet.you ?? null))))));
}

/**
 * @param {Message} sheet
 * @returns {HTMLElement | null} null where it would say nothing, or be too wide for anybody
 */
export function drawCross(sheet) {
  const rows = crossTable(sheet);
  if (rows.length < 2 || rows.length > CROSS_MOST || !(sheet.matches ?? []).length) return null;
  const players = playersOf(sheet);
  return h('div', { class: 'cross' }, scrolled('Who played whom: 1 won, ½ drew, 0 lost; + and − without a race, * live', 'Cross table',
    h('thead', {}, h('tr', {}, h('th', { scope: 'col', class: 'number' }, 'Seed'), h('th', { scope: 'col' }, 'Player'),
      rows.map((row) => h('th', { scope: 'col', class: 'number' }, h('abbr', { title: row.name }, row.seed))))),
    h('tbody', {}, rows.map((row) => h('tr', { 'data-key': `cross ${row.player}`, class: row.player === sheet.you ? 'own' : '' },
      h('td', { class: 'number' }, row.seed),
      h('th', { scope: 'row' }, nameOf(players, row.player, sheet.you)),
      row.cells.map((cell, at) => h('td', { class: `number${cell.text === '×' ? ' self' : ''}` }, cell.match === null
        ? h('span', {}, h('span', { 'aria-hidden': 'true' }, cell.text), cell.words ? h('span', { class: 'spoken' }, cell.words) : null)
        : h('button', { type: 'button', class: 'plain', 'data-do': 'match', 'data-of': cell.match, 'aria-label': `${cell.words} against ${rows[at]?.name}` }, cell.text))))))));
}

/**
 * @param {Message} sheet
 * @param {Message | null} table
 * @returns {HTMLElement | null}
 */
export function drawHeats(sheet, table) {
  const { rounds: numbers, rows } = heatTable(sheet, table);
  if (!numbers.length) return null;
  const players = playersOf(sheet);
  return h('div', { class: 'cross' }, scrolled('Points by rounds; * is racing now', 'Points by rounds',
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Player'), numbers.map((round) => h('th', { scope: 'col', class: 'number' }, `Round ${round}`)))),
    h('tbody', {}, rows.map((row) => h('tr', { 'data-key': `heat ${row.player}`, class: row.player === sheet.you ? 'own' : '' },
      h('th', { scope: 'row' }, nameOf(players, row.player, sheet.you)),
      row.cells.map((cell) => h('td', { class: 'number' }, cell.text, h('span', { class: 'quiet small' }, ` ${cell.words}`))))))));
}
