/** Labelled controls of forms. */

import { h } from '../dom.js';

/** @typedef {import('../dom.js').Child} Child */
/** @typedef {readonly (readonly [value: string, words: string])[]} Options */

let count = 0;

/**
 * @param {string} words
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control
 * @param {Child} [note]  more about it, read with it
 * @returns {HTMLElement}
 */
export function field(words, control, note) {
  control.id ||= `field-${++count}`;
  const said = note ? h('span', { class: 'quiet', id: `${control.id}-note` }, note) : null;
  if (said) control.setAttribute('aria-describedby', said.id);
  return h('div', { class: 'field' }, h('label', { for: control.id }, words), control, said);
}

/**
 * @param {string} words
 * @param {HTMLInputElement} control  a checkbox
 * @param {Child} [note]
 * @returns {HTMLElement}
 */
export function tick(words, control, note) {
  control.id ||= `field-${++count}`;
  const said = note ? h('span', { class: 'quiet', id: `${control.id}-note` }, note) : null;
  if (said) control.setAttribute('aria-describedby', said.id);
  return h('div', { class: 'tick' }, control, h('label', { for: control.id }, words), said);
}

/**
 * @param {string} name
 * @param {Options} options
 * @param {string} [value]
 * @param {import('../dom.js').Props} [props]
 * @returns {HTMLSelectElement}
 */
export function choice(name, options, value, props = {}) {
  const select = h('select', { name, ...props }, options.map(([key, words]) => h('option', { value: key }, words)));
  if (value !== undefined && options.some(([key]) => key === value)) select.value = value;
  return select;
}
