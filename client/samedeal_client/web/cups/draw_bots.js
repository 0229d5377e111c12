/** How bots come into a tournament: by a command that anybody may run, and that is there to copy. */

import { fill, h } from '../dom.js';
import { copied } from '../parts/share.js';
import { mayRegister } from './draw_now.js';

/** @typedef {import('../net/link.js').Message} Message */

const COPIED_MS = 2000;

/**
 * What registers a bot and has it play all its races.
 *
 * @param {Message} sheet
 * @param {{protocol: string, host: string}} [place]  where the server is
 * @returns {string}
 */
export function botCommand(sheet, { protocol, host } = location) {
  const phrase = sheet.terms.registration === 'phrase' ? ' --phrase "THE PASS PHRASE"' : '';
  return `samedeal bot greedy --tournament ${sheet.tournament}${phrase} --server ${protocol === 'https:' ? 'wss' : 'ws'}://${host}`;
}

/**
 * @param {Message} sheet
 * @param {{isOpen?: boolean}} [how]  whether it is unfolded at first
 * @returns {HTMLElement | null} null where none may come in, now or at all
 */
export function drawBots(sheet, { isOpen = false } = {}) {
  if (!mayRegister(sheet) || sheet.terms.race.bots === false || sheet.terms.registration === 'invitation') return null;
  return h('details', { class: 'fair bots', 'data-key': 'bots', open: isOpen }, h('summary', {}, 'Have a bot play'),
    h('p', {}, 'In a terminal, this registers a bot that plays every race it is called to, for as long as the command runs; run it again for one more. ',
      'It plays random, greedy or patient: by chance, for what helps at once, or looking ahead.'),
    h('pre', { class: 'to-type', tabindex: '0', role: 'region', 'aria-label': 'The command for a bot' }, botCommand(sheet)),
    h('p', { class: 'row' }, h('button', { type: 'button', 'data-do': 'copy-bots', 'data-key': 'copy-bots' }, 'Copy the command for a bot')));
}

/**
 * Copies it, as its button says.
 *
 * @param {HTMLElement} button
 * @param {Message} sheet
 * @param {(text: string) => void} say
 */
export async function copyBots(button, sheet, say) {
  if (!await copied(botCommand(sheet))) return;
  const words = button.textContent;
  fill(button, 'Copied');
  say('Command copied');
  setTimeout(() => fill(button, words), COPIED_MS);
}
