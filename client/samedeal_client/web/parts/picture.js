/** A small picture of a game: its table with a dealt example. */

import { h } from '../dom.js';
import { game } from '../net/api.js';
import { Board } from '../table/board.js';
import { parse } from '../table/position.js';

/** @typedef {import('../router.js').Context} Context */

/**
 * Draws a game when it comes into sight, into a box that has its size from the beginning.
 *
 * @param {Context} context  the picture is given up when its page is left
 * @param {string} key  a game's, or `key:variant`
 * @returns {HTMLElement} for the eye only: readers are told the game's name beside it
 */
export function picture({ settings, signal }, key) {
  const box = h('div', { class: 'picture', 'aria-hidden': 'true', inert: true });
  const draw = async () => {
    try {
      const description = await game(key);
      if (signal.aborted || !box.isConnected) return;
      const board = new Board(description, { settings, mini: true, isPlayable: false, onMove: () => {}, onSay: () => {} });
      signal.addEventListener('abort', () => board.close(), { once: true });
      box.replaceChildren(board.node);
      board.show(parse(description.example), {});
    } catch (fault) {
      // A page reads as well without its pictures; what cannot be reached is said elsewhere.
      console.warn(fault);
    }
  };
  const sight = new IntersectionObserver((seen) => {
    if (!seen.some((each) => each.isIntersecting)) return;
    sight.disconnect();
    draw();
  }, { rootMargin: '200px' });
  sight.observe(box);
  signal.addEventListener('abort', () => sight.disconnect(), { once: true });
  return box;
}
