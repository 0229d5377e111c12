/** Tables of facts, and going from page to page through a long one. */

import { h } from '../dom.js';

/** @typedef {import('../dom.js').Child} Child */

/**
 * @typedef {object} Column
 * @property {string} words
 * @property {boolean} [number]  set flush with its like
 * @property {boolean} [names]  what its line is about
 * @property {boolean} [isExtra]  left out where there is little room
 */

/**
 * @typedef {object} Line
 * @property {(Child | Child[])[]} cells
 * @property {boolean} [own]  about the reader
 */

/**
 * @param {string} caption
 * @param {readonly Column[]} columns
 * @param {readonly Line[]} lines
 * @param {{isCaptionSpoken?: boolean}} [how]  the caption is for readers only, where a heading says the same
 * @returns {HTMLElement}
 */
export function grid(caption, columns, lines, { isCaptionSpoken = false } = {}) {
  return h('div', { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: '0' },
    h('table', {},
      h('caption', {}, isCaptionSpoken ? h('span', { class: 'spoken' }, caption) : caption),
      h('thead', {}, h('tr', {}, columns.map((each) =>
        h('th', { scope: 'col', class: kind(each) }, each.words)))),
      h('tbody', {}, lines.map((line) => h('tr', { class: line.own ? 'own' : null }, line.cells.map((cell, at) => {
        const column = columns[at];
        const of = { class: column ? kind(column) : null };
        const inside = Array.isArray(cell) ? cell : [cell];
        return column?.names ? h('th', { ...of, scope: 'row' }, ...inside) : h('td', of, ...inside);
      }))))));
}

/** @param {Column} column */
function kind({ number, isExtra }) {
  return [number ? 'number' : '', isExtra ? 'extra' : ''].filter(Boolean).join(' ') || null;
}

/**
 * Puts the focus onto the table that another page of it has replaced, with the button that was pressed.
 *
 * @param {Element} place
 */
export function focusTable(place) {
  /** @type {HTMLElement | null} */ (place.querySelector('.scroll'))?.focus();
}

/**
 * @param {{offset: number, limit: number, total: number, onTurn: (offset: number) => void}} page
 * @returns {HTMLElement | null} null where all is on one page
 */
export function pager({ offset, limit, total, onTurn }) {
  if (total <= limit && offset === 0) return null;
  const last = Math.min(offset + limit, total);
  const turn = (/** @type {string} */ words, /** @type {number} */ to, /** @type {boolean} */ is) =>
    h('button', { type: 'button', disabled: !is, onclick: () => onTurn(to) }, words);
  return h('nav', { class: 'row pager', 'aria-label': 'Pages of the table' },
    turn('Before', Math.max(0, offset - limit), offset > 0),
    h('span', { class: 'quiet' }, `${offset + 1}–${last} of ${total}`),
    turn('After', offset + limit, last < total));
}
