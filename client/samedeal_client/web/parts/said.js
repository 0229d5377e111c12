/** What a page tells when the server refuses, when there is nothing yet, and whom it names. */

import { fill, h } from '../dom.js';
import { ApiFault } from '../net/api.js';
import { Refusal } from '../net/link.js';

/**
 * The server's sentence as one: with a capital and a full stop.
 *
 * @param {unknown} fault  a refusal; anything else is thrown again
 * @returns {string}
 */
export function refusal(fault) {
  if (!(fault instanceof Refusal) && !(fault instanceof ApiFault)) throw fault;
  return sentence(fault.message.trim());
}

/**
 * @param {string} words
 * @returns {string} with a capital and a full stop
 */
export function sentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?…]$/.test(words) ? '' : '.');
}

/** A place for the one refusal that a form or a button may meet; it is said when it appears. */
export class Fault {
  constructor() {
    this.node = h('p', { class: 'fault', role: 'alert', hidden: true });
  }

  /** @param {unknown} fault */
  show(fault) {
    this.say(refusal(fault));
  }

  /** @param {string} words */
  say(words) {
    fill(this.node, words);
    this.node.hidden = false;
  }

  clear() {
    this.node.hidden = true;
    fill(this.node, '');
  }
}

/**
 * A button that does one thing at a time and says why not.
 *
 * @param {string} words
 * @param {Fault} fault
 * @param {() => Promise<unknown>} deed
 * @param {{kind?: string, type?: 'button' | 'submit'}} [how]
 * @returns {HTMLButtonElement}
 */
export function deedButton(words, fault, deed, { kind = '', type = 'button' } = {}) {
  const button = h('button', { type, class: kind }, words);
  const run = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (button.getAttribute('aria-busy')) return;
    button.setAttribute('aria-busy', 'true');
    fault.clear();
    try {
      await deed();
    } catch (refused) {
      fault.show(refused);
    } finally {
      button.removeAttribute('aria-busy');
    }
  };
  button.addEventListener('click', run);
  return button;
}

/**
 * @param {string} name
 * @param {boolean} [isBot]
 * @returns {HTMLElement}
 */
export function person(name, isBot = false) {
  const link = h('a', { href: `/players/${encodeURIComponent(name)}` }, name);
  return isBot ? h('span', {}, link, ' ', h('span', { class: 'tag' }, 'bot')) : link;
}

/**
 * @param {number} ms  UTC
 * @returns {HTMLElement} the day, in the reader's own zone; the hour on asking
 */
export function dayOf(ms) {
  const at = new Date(ms);
  return h('time', { datetime: at.toISOString(), title: at.toLocaleString() }, at.toLocaleDateString(undefined, { dateStyle: 'medium' }));
}

/** @returns {HTMLElement} what stands in the place of a rating that has none yet */
export function provisional() {
  return h('abbr', { class: 'quiet', title: 'provisional: too few races yet to be sure' }, 'prov.');
}

/**
 * What is shown where there is nothing yet: why, and what to do next.
 *
 * @param {...import('../dom.js').Child} children
 * @returns {HTMLElement}
 */
export function nothing(...children) {
  return h('p', { class: 'nothing' }, ...children);
}
