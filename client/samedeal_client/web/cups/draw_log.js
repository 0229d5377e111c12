/** Draws the log of a tournament: rulings by themselves, or all of it. */

import { h } from '../dom.js';
import { when } from '../words.js';

/** @typedef {import('./logbook.js').Entry} Entry */

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
