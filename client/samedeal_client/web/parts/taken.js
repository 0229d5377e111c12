/** Getting into a race by its address: back to one's own place, or as a spectator, or by its pass phrase. */

import { h } from '../dom.js';
import { game as gameOf, get } from '../net/api.js';
import { Refusal } from '../net/link.js';
import { Race } from '../net/race.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../router.js').Page} Page */

/** Pass phrases that were typed, by race: never in an address. @type {Map<string, string>} */
const phrases = new Map();

/**
 * Spares a host from typing the pass phrase of a race that they have just opened.
 *
 * @param {string} code
 * @param {string} phrase
 */
export function knows(code, phrase) {
  phrases.set(code, phrase);
}

/** How often one looks whether a race that has no spectators is over. */
const LOOK_MS = 10_000;

/**
 * Takes up one's own place in the race that the address names, or watches it.
 *
 * @param {Context} context
 * @returns {Promise<Race | Page>} a page that says what is in the way, if anything is
 * @throws {Refusal | import('../net/api.js').ApiFault}
 */
export async function takenUp(context) {
  const [code] = /** @type {[string]} */ (context.params);
  const { link, signal } = context;
  const phrase = phrases.get(code);
  const how = phrase === undefined ? {} : { phrase };
  try {
    const snapshot = await link.ask('resume', { race: code, ...how });
    const race = new Race(link, code, await gameOf(snapshot.terms.game), how);
    race.begin(snapshot);
    return race;
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    if (fault.code === 'wrong-phrase') return phrasePage(context, code);
    if (fault.code !== 'no-spectators') throw fault;
  }
  // One sees what the sheet says, and may still enter.
  const sheet = await get(`races/${code}`, { signal });
  const game = await gameOf(sheet.terms.game);
  if (sheet.phase === 'running' && sheet.terms.mode !== 'async') return unseenPage(context, game);
  const race = new Race(link, code, game, how);
  race.begin({ ...sheet, seq: 0, host: '', entrants: sheet.standings ?? [] });
  return race;
}

/**
 * @param {Context} context
 * @param {import('../net/link.js').Message} game
 * @returns {Page}
 */
function unseenPage({ go, signal }, game) {
  const looking = setTimeout(() => go(location.pathname + location.search, { replace: true }), LOOK_MS);
  signal.addEventListener('abort', () => clearTimeout(looking));
  return {
    title: game.name,
    node: h('div', { class: 'narrow' }, h('h1', {}, game.name),
      h('p', { class: 'lead' }, 'This race is on, and has no spectators.'),
      h('p', {}, 'Who won, and how, is shown here when it is over.')),
  };
}

/**
 * @param {Context} context
 * @param {string} code
 * @returns {Page}
 */
function phrasePage(context, code) {
  const isWrong = phrases.has(code);
  const field = h('input', { id: 'phrase', type: 'password', maxlength: '64', autocomplete: 'off', required: true });
  return {
    title: 'Pass phrase',
    node: h('div', { class: 'narrow' }, h('h1', {}, 'This race has a pass phrase'),
      isWrong ? h('p', { class: 'fault', role: 'alert' }, 'That is not this race’s pass phrase.') : null,
      h('form', { onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        phrases.set(code, field.value);
        context.go(location.pathname, { replace: true });
      } }, h('div', { class: 'field' }, h('label', { for: 'phrase' }, 'Pass phrase'), field), h('button', { type: 'submit', class: 'primary' }, 'Go in'))),
  };
}
