/** Small choices of a page that a browser remembers, such as the last game. */

import { browserStorage } from '../settings.js';

const PREFIX = 'samedeal.kept.';

/**
 * @param {string} name
 * @param {readonly string[]} values  what it may be
 * @param {string} usual
 * @returns {string}
 */
export function kept(name, values, usual) {
  try {
    const said = browserStorage()?.getItem(PREFIX + name) ?? usual;
    return values.includes(said) ? said : usual;
  } catch {
    return usual;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function keep(name, value) {
  try {
    browserStorage()?.setItem(PREFIX + name, value);
  } catch {
    // A full or forbidden storage: the choice lasts as long as the page.
  }
}
