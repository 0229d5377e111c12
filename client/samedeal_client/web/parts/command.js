/** A field for whole moves, for those who speak them, or read the page with a screen reader: no single key is needed. */

import { h } from '../dom.js';

/**
 * @param {import('../table/board.js').Board} table
 * @returns {HTMLElement} out of sight until it has the focus
 */
export function commandField(table) {
  const field = h('input', { type: 'text', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', 'aria-label': 'Type a move', placeholder: 't3 f, 3 4, d' });
  return h('form', { class: 'command', onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    table.keyboard.line(field.value);
    field.value = '';
  } }, field, h('button', { type: 'submit' }, 'Play'));
}
