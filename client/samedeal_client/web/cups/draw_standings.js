/** Draws standings with their arithmetic: a line opens to the player's matches and how every mark is reckoned. */

import { h } from '../dom.js';
import { nameOf, scrolled } from './draw.js';
import { playersOf } from './ledger.js';
import { markHeads, played } from './tables.js';
import { TIE_BREAKS, capital } from './words.js';

/** @typedef {import('../net/link.js').Message} Message */

const MARKS = /** @type {Record<string, string>} */ ({ won: '✓', lost: '✗', drawn: '½', open: '…', bye: '–' });

/**
 * @param {Message} sheet
 * @param {Message | null} table
 * @param {Set<number>} opened  players whose arithmetic is shown
 * @returns {HTMLElement}
 */
export function drawStandings(sheet, table, opened) {
  if (table === null || !table.lines?.length) return h('p', { class: 'nothing' }, 'There are no standings yet: they begin with the first round.');
  const heads = markHeads(table);
  const players = playersOf(sheet);
  const body = table.lines.flatMap((/** @type {Message} */ line) => rowsOf(line, { sheet, players, opened, heads }));
  return h('div', { class: 'standings' },
    scrolled(table.final ? 'Final standings' : 'Standings so far', 'Standings',
      h('thead', {}, h('tr', {}, h('th', { scope: 'col', class: 'number' }, 'Place'), h('th', { scope: 'col' }, 'Player'),
        heads.map((what) => h('th', { scope: 'col', class: what === 'reached' ? '' : 'number' }, headOf(what))))),
      h('tbody', {}, body)),
    legend(heads));
}

/** @param {string} what */
function headOf(what) {
  const known = TIE_BREAKS[what];
  if (known) return h('abbr', { title: `${what}: ${known.explained}` }, known.short);
  return capital(what);
}

/** @param {string[]} heads */
function legend(heads) {
  const known = heads.filter((what) => TIE_BREAKS[what]);
  if (!known.length) return null;
  return h('details', { class: 'legend', 'data-key': 'legend' }, h('summary', {}, 'How ties are broken'),
    h('p', {}, 'Equal points go by these, one after the other, each only among those who are still level:'),
    h('dl', {}, known.flatMap((what) => [
      h('dt', {}, `${capital(what)} (${TIE_BREAKS[what]?.short})`), h('dd', {}, TIE_BREAKS[what]?.explained ?? '')])));
}

/**
 * @param {Message} line
 * @param {{sheet: Message, players: Map<number, Message>, opened: Set<number>, heads: string[]}} known
 * @returns {HTMLElement[]}
 */
function rowsOf(line, { sheet, players, opened, heads }) {
  const isOpen = opened.has(line.player);
  const marks = line.marks ?? [];
  const id = `why-${line.player}`;
  const name = players.get(line.player)?.name ?? `#${line.player}`;
  const button = h('button', {
    type: 'button', class: 'plain why', 'data-do': 'why', 'data-of': line.player, 'aria-expanded': String(isOpen), 'aria-controls': id,
    'aria-label': `Why ${name} stands here`,
  }, isOpen ? '▾' : '▸');
  const row = h('tr', { 'data-key': `line ${line.player}`, class: line.player === sheet.you ? 'own' : '', 'data-do': 'why', 'data-of': line.player },
    h('td', { class: 'number place' }, line.place),
    h('th', { scope: 'row' }, h('span', { class: 'row tight' }, button, nameOf(players, line.player, sheet.you))),
    heads.map((what, at) => h('td', { class: what === 'reached' ? '' : 'number' }, marks[at]?.value ?? '')));
  if (!isOpen) return [row];
  return [row, h('tr', { 'data-key': `why ${line.player}`, class: 'because', id },
    h('td', { colspan: heads.length + 2 }, h('div', { class: 'arithmetic' }, matchesOf(sheet, line.player), reckoned(marks))))];
}

/**
 * @param {Message} sheet
 * @param {number} player
 */
function matchesOf(sheet, player) {
  const matches = played(sheet, player);
  if (!matches.length) return null;
  return h('ul', { class: 'met' }, matches.map(({ round, match, rivals, words, mark, score }) => h('li', { class: mark },
    sheet.terms.format.format === 'ladder' ? null : h('span', { class: 'quiet' }, `Round ${round}: `),
    h('span', { class: 'ticked-off', 'aria-hidden': 'true' }, `${MARKS[mark] ?? ''} `),
    rivals && mark !== 'bye' ? `${words} ${mark === 'heat' ? 'with' : 'against'} ${rivals}${score ? `, ${score}` : ''} ` : `${words} `,
    h('button', { type: 'button', class: 'plain', 'data-do': 'match', 'data-of': match, 'aria-label': `More about ${match}` }, match))));
}

/** @param {Message[]} marks */
function reckoned(marks) {
  return h('dl', { class: 'marks' }, marks.flatMap((mark) => [
    h('dt', {}, capital(mark.what), ' ', h('b', {}, mark.value)), mark.arithmetic === mark.value ? null : h('dd', {}, mark.arithmetic)]));
}
