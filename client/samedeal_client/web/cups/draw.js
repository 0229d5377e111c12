/** What all pages of tournaments draw alike: names, ticking clocks, matches. What can be clicked has `data-do`. */

import { h } from '../dom.js';
import { clock } from '../words.js';
import { matchState, versus } from './words.js';

/** @typedef {import('../net/link.js').Message} Message */

/**
 * @param {Map<number, Message>} players
 * @param {number} number
 * @param {number | null} [you]
 * @returns {HTMLElement}
 */
export function nameOf(players, number, you = null) {
  const player = players.get(number);
  if (!player) return h('span', {}, `#${number}`);
  /** @type {HTMLElement[]} */
  const parts = [h('a', { href: `/players/${encodeURIComponent(player.name)}` }, player.name)];
  if (player.bot) parts.push(h('span', { class: 'tag' }, 'bot'));
  if (number === you) parts.push(h('span', { class: 'tag you' }, 'you'));
  return h('span', { class: 'person' }, parts);
}

/**
 * @param {number} until  an instant by the server's clock; `tick` keeps it
 * @returns {HTMLElement}
 */
export function countdown(until) {
  return h('time', { class: 'ticks', 'data-until': until, role: 'timer' }, '');
}

/**
 * Sets all clocks within.
 *
 * @param {Element} root
 * @param {number} now  by the server's clock
 */
export function tick(root, now) {
  for (const each of root.querySelectorAll('[data-until]')) {
    const said = left(Number(each.getAttribute('data-until')) - now);
    if (each.textContent !== said) each.textContent = said;
  }
}

/**
 * @param {number} ms
 * @returns {string} `now`, `3:12`, `2:05:00`, `3 days`
 */
export function left(ms) {
  if (ms <= 0) return '0:00';
  if (ms >= 2 * 86_400_000) return `${Math.floor(ms / 86_400_000)} days`;
  return clock(Math.ceil(ms / 1000) * 1000);
}

/**
 * A match in a line: its players, how it stands, and a button for more.
 *
 * @param {Message} match
 * @param {Map<number, Message>} players
 * @param {number | null} you
 */
export function matchLine(match, players, you) {
  const isOwn = you !== null && match.players.includes(you);
  const others = match.players.length > 2 ? [h('span', {}, versus(match, players))]
    : match.players.flatMap((/** @type {number} */ each, /** @type {number} */ at) => [
      at ? ' – ' : null,
      h('span', { class: match.winner === each ? 'won' : '' }, nameOf(players, each, you), match.winner === each ? h('span', { class: 'ticked-off' }, ' ✓', h('span', { class: 'spoken' }, ' won')) : null),
    ]);
  return h('li', { class: `line${isOwn ? ' own' : ''}`, 'data-key': match.match },
    h('span', { class: 'id quiet' }, match.match),
    h('span', { class: 'those' }, others),
    h('span', { class: 'how' }, stateChip(match), ' ', matchState(match, players)),
    h('button', { type: 'button', class: 'plain', 'data-do': 'match', 'data-of': match.match, 'aria-label': `More about ${match.match}, ${versus(match, players)}` }, 'More'));
}

/** @param {Message} match */
export function stateChip(match) {
  const race = match.ending ? null : (match.races ?? []).at(-1);
  if (race?.state === 'running') return h('span', { class: 'chip live' }, '● live');
  if (race?.state === 'called') return h('span', { class: 'chip called' }, '◔ called');
  return null;
}

/**
 * @param {string} caption
 * @param {string} label
 * @param {...import('../dom.js').Child} rows
 */
export function scrolled(caption, label, ...rows) {
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label, 'data-key': label },
    h('table', {}, h('caption', {}, caption), rows));
}
