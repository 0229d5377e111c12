/** Getting into a race by its address: back to one's own place, or as a spectator, or by its pass phrase. */

import { h } from '../dom.js';
import { ApiFault, game as gameOf, get } from '../net/api.js';
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

/**
 * Takes up one's own place in the race that the address names, or watches it.
 *
 * @param {Context} context
 * @returns {Promise<Race | Page>} the page that asks for the pass phrase, if it needs one
 * @throws {Refusal | ApiFault}
 */
export async function takenUp(context) {
  const [code] = /** @type {[string]} */ (context.params);
  const sheet = await get(`races/${code}`, { signal: context.signal }).catch((fault) => {
    if (fault instanceof ApiFault && fault.code === 'no-such-race') throw fault;
    return null; // of a race behind a pass phrase a stranger is told nothing
  });
  return (await followed(context, code, sheet)) ?? phrasePage(context, code);
}

/**
 * @param {Context} context
 * @param {string} code
 * @param {import('../net/link.js').Message | null} sheet
 * @returns {Promise<Race | null>} null if a pass phrase is needed first
 */
async function followed({ link }, code, sheet) {
  const phrase = phrases.get(code);
  const how = phrase === undefined ? {} : { phrase };
  /** @type {Refusal | null} */
  let refused = null;
  for (const way of ['resume', 'watch']) {
    try {
      const snapshot = await link.ask(way, { race: code, ...how });
      const race = new Race(link, code, await gameOf(snapshot.terms.game), how);
      race.begin(snapshot);
      return race;
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      refused = fault;
    }
  }
  if (refused?.code === 'wrong-phrase') return null;
  if (sheet === null) throw refused;
  // Without spectators one sees what the sheet says, and may still enter.
  const race = new Race(link, code, await gameOf(sheet.terms.game), how);
  race.begin({ ...sheet, seq: 0, host: '', entrants: sheet.standings ?? [] });
  return race;
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
