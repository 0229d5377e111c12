/** Draws the log of a tournament: rulings by themselves, or all of it; and how to check it. */

import { h } from '../dom.js';
import { counted, when } from '../words.js';

/** @typedef {import('./logbook.js').Entry} Entry */
/** @typedef {import('../net/link.js').Message} Message */

/**
 * What checks a log that was saved, once it is published how it ends.
 *
 * @param {Message} sheet
 * @param {Message} table  its standings
 * @returns {string | null}
 */
export function check(sheet, table) {
  return table.chain ? `samedeal verify ${logName(sheet)} --head ${table.chain}` : null;
}

/** @param {Message} sheet */
export function logName(sheet) {
  return `${sheet.tournament}.jsonl`;
}

/**
 * What was promised before, what has become known since, and how to check the one by the other.
 *
 * @param {Message} sheet
 * @param {Message | null} table  its standings, if they are known yet
 * @returns {HTMLElement}
 */
export function drawFairness(sheet, table) {
  const line = (/** @type {string} */ what, /** @type {string} */ said) => [h('dt', {}, what), h('dd', { class: 'code' }, said)];
  const command = table && check(sheet, table);
  return h('details', { class: 'fair', 'data-key': 'fair' }, h('summary', {}, 'How to check that it was fair'),
    h('p', {}, `Everything drawn by lot, and every deal, follows from one seed. ${sheet.seed ? '' : 'It is shown when it is over; until then there is a commitment to it.'}`),
    h('dl', {}, sheet.seed ? [...line('Seed', sheet.seed), ...line('Salt', sheet.salt)] : null, line('Commitment', sheet.commitment)),
    table && command ? h('div', { 'data-key': 'check' },
      h('p', {}, 'Save the log, and this command makes every lot, result and place anew, and says whether the file is the log that ended here, to its last event:'),
      h('dl', {}, line(`End of the log’s chain, after ${counted(table.seq, 'event')}`, table.chain)),
      h('pre', { class: 'to-type', tabindex: '0', role: 'region', 'aria-label': 'The command' }, command),
      h('p', { class: 'row no-print' },
        h('button', { type: 'button', 'data-do': 'save-log' }, 'Save the log'),
        h('button', { type: 'button', 'data-do': 'copy-check' }, 'Copy the command')),
      h('p', { class: 'quiet' }, 'Keep the command, or its number alone: whoever has it can tell later on whether a log was changed.')) : null);
}

/**
 * @param {Entry[]} entries
 * @returns {HTMLElement}
 */
export function drawRulings(entries) {
  const rulings = entries.filter((entry) => entry.isRuling);
  if (!rulings.length) return h('p', { class: 'nothing' }, 'Nothing has been ruled by hand.');
  return drawn(rulings.toReversed(), 'Rulings, the newest first');
}

/**
 * @param {Entry[]} entries
 * @returns {HTMLElement}
 */
export function drawAll(entries) {
  return drawn(entries.toReversed(), 'Everything, the newest first');
}

/**
 * @param {Entry[]} entries
 * @param {string} caption
 */
function drawn(entries, caption) {
  return h('div', { class: 'scroll log', tabindex: '0', role: 'region', 'aria-label': caption, 'data-key': caption }, h('table', {},
    h('caption', {}, caption),
    h('thead', {}, h('tr', {}, ['When', 'What', 'Who', 'Why'].map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', {}, entries.map((entry, at) => h('tr', { 'data-key': `entry ${entries.length - at}` },
      h('td', { class: 'at' }, when(entry.at)),
      h('td', {}, h('b', {}, entry.what), entry.text ? ` ${entry.text}` : ''),
      h('td', {}, entry.by),
      h('td', {}, entry.why))))));
}
