/** Draws the bracket of an elimination: rounds as columns, in a box of its own that scrolls. */

import { h } from '../dom.js';
import { bracket } from './bracket.js';
import { decided, replaysOf, versus } from './words.js';
import { playersOf } from './ledger.js';
import { counted } from '../words.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('./bracket.js').Cell} Cell */
/** @typedef {import('./bracket.js').Slot} Slot */

const STATES = /** @type {Record<string, string>} */ ({ running: '● live', called: '◔ called', open: 'to be played' });

/**
 * @param {Message} sheet
 * @returns {HTMLElement}
 */
export function drawBracket(sheet) {
  const parts = bracket(sheet);
  if (!parts.length) return h('p', { class: 'nothing' }, 'The bracket is drawn when the tournament starts.');
  const players = playersOf(sheet);
  return h('div', { class: 'brackets' }, parts.map(({ title, columns }) => h('section', { class: 'part', 'data-key': `part ${title}` },
    title ? h('h3', {}, title) : null,
    h('div', { class: 'scroll bracket-box', tabindex: '0', role: 'region', 'aria-label': `Bracket${title ? `: ${title}` : ''}` },
      h('ol', { class: 'bracket' }, columns.map((column, at) => h('li', { class: `column ${column.leads}`, 'data-key': `column ${at}` },
        h('p', { class: 'head' }, column.head),
        h('ol', { class: 'matches', 'aria-label': `${title} ${column.head}`.trim() }, column.cells.map((cell) => drawn(cell, players))))))))));
}

/**
 * @param {Cell} cell
 * @param {Map<number, Message>} players
 */
function drawn(cell, players) {
  const { id, slots, state, match } = cell;
  const isOwn = slots.some((slot) => slot.isYou);
  const props = { class: `cell ${state}${isOwn ? ' own' : ''}`, 'data-key': id };
  if (state === 'empty') return h('li', { ...props, 'aria-hidden': 'true' }, h('span', { class: 'box' }));
  const note = match === null ? null : levelNote(match);
  const below = note ?? STATES[state];
  const lines = [h('span', { class: 'slots' }, slots.map(slotLine)), below ? h('span', { class: 'state' }, below) : null];
  if (match === null || state === 'bye') return h('li', props, h('span', { class: 'box' }, lines));
  return h('li', props, h('button', {
    type: 'button', class: 'box', 'data-do': 'match', 'data-of': id, 'aria-label': [said(cell, versus(match, players)), note].filter(Boolean).join(', '),
  }, lines));
}

/**
 * @param {Message} match
 * @returns {string | null} `by seed number, 3 replays`, for a match that was level; there is little room
 */
function levelNote(match) {
  const how = decided(match);
  const replays = replaysOf(match);
  return how && `by ${how.replace(/^the better /, '')}${replays ? `, ${counted(replays, 'replay')}` : ''}`;
}

/** @param {Slot} slot */
function slotLine(slot) {
  return h('span', { class: `slot${slot.isWinner ? ' won' : ''}${slot.isYou ? ' you' : ''}` },
    h('span', { class: 'seed' }, slot.seed ?? ''),
    h('span', { class: slot.player === null ? 'nobody' : 'name' }, slot.name || '…'),
    h('span', { class: 'score' }, slot.score),
    h('span', { class: 'ticked-off' }, slot.isWinner ? '✓' : ''));
}

/**
 * @param {Cell} cell
 * @param {string} who
 */
function said({ id, slots, state }, who) {
  const winner = slots.find((slot) => slot.isWinner);
  const score = slots[0].score && slots[1].score ? `, ${slots[0].score} to ${slots[1].score}` : '';
  const how = winner ? `${winner.name} won` : state === 'running' ? 'live' : state === 'called' ? 'race is called' : state === 'over' ? 'nobody won' : 'to be played';
  return `${id}: ${who}${score}: ${how}`;
}
