/** What is taken elsewhere: a link and a code, what is copied, a file. */

import { fill, h } from '../dom.js';

/**
 * @param {string} path  of this server
 * @param {string} code
 * @param {(text: string) => void} say
 * @returns {HTMLElement}
 */
export function share(path, code, say) {
  const address = location.origin + path;
  const field = h('input', { type: 'text', readonly: true, value: address, 'aria-label': 'Link to this race', class: 'code', onfocus: () => field.select() });
  const copy = h('button', { type: 'button', onclick: async () => {
    if (await copied(address)) {
      fill(copy, 'Copied');
      say('Link copied');
      setTimeout(() => fill(copy, 'Copy link'), 2000);
    } else {
      field.focus();
    }
  } }, 'Copy link');
  return h('div', { class: 'share' }, h('p', { class: 'row' }, field, copy),
    h('p', { class: 'quiet' }, 'Or tell them the code: ', h('b', { class: 'code' }, code)));
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} false where the browser forbids it
 */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedAsSelected(text); // without https there is no other way
  }
}

/** @param {string} text */
function copiedAsSelected(text) {
  const before = document.activeElement;
  const field = h('textarea', { class: 'spoken', readonly: true, value: text });
  // In an open dialog nothing beside it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isCopied;
}

/**
 * Hands a file over, as a download.
 *
 * @param {string} text
 * @param {string} name
 */
export function saved(text, name) {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // it may be read late
}
