/** The log of a tournament as people read it: when, what, by whom and why; everybody by name. Pure. */

import { when } from '../words.js';
import { called } from './words.js';

/** @typedef {import('../net/link.js').Message} Message */

/** Events that staff causes by hand. */
const RULINGS = new Set(['overridden', 'race-voided', 'disqualified', 'reinstated', 'halted', 'continued', 'extended',
  'appointed', 'let-in', 'called-off']);
const NAMED_BESIDE = new Set(['id', 'host_name', 'at', 'event', 'hash', 'by', 'reason', 'terms', 'deals', 'seed', 'salt', 'commitment']);
const INSTANTS = new Set(['ready_by', 'closes', 'bell', 'starts']);
const PLAYERS = new Set(['player', 'winner', 'champion', 'players', 'there']);

/** @typedef {{at: number, what: string, text: string, by: string, why: string, isRuling: boolean}} Entry */

/**
 * @param {string[]} lines  the log from its first on, each JSON
 * @param {Map<number, Message>} players  by number
 * @returns {Entry[]}
 */
export function read(lines, players) {
  /** @type {Map<string, string>} */
  const names = new Map();
  return lines.map((line) => {
    const event = JSON.parse(line);
    learn(names, event);
    const said = Object.entries(event).filter(([key]) => !NAMED_BESIDE.has(key))
      .map(([key, value]) => `${PLAYERS.has(key) ? '' : `${key.replaceAll('_', ' ')} `}${told(key, value, players)}`);
    return {
      at: event.at, what: event.event.replaceAll('-', ' '), text: said.filter(Boolean).join(', '),
      by: names.get(event.by) ?? '', why: event.reason ?? '', isRuling: RULINGS.has(event.event) && Boolean(event.by),
    };
  });
}

/**
 * Takes in who an event says has which id: host, staff, a player, whoever is appointed.
 *
 * @param {Map<string, string>} names
 * @param {Message} event
 */
function learn(names, event) {
  if (event.host && event.host_name) names.set(event.host, event.host_name);
  if (event.id && event.name) names.set(event.id, event.name);
  for (const [id, name] of event.staff ?? []) names.set(id, name);
}

/**
 * @param {string} key
 * @param {unknown} value
 * @param {Map<number, Message>} players
 * @returns {string}
 */
function told(key, value, players) {
  if (PLAYERS.has(key)) return [value].flat().filter((each) => each !== null).map((each) => called(players, Number(each))).join(', ');
  if (INSTANTS.has(key)) return when(Number(value));
  if (Array.isArray(value)) return value.map((each) => told('', each, players)).join('; ');
  if (value !== null && typeof value === 'object') {
    return Object.entries(value).filter(([inner]) => !NAMED_BESIDE.has(inner))
      .map(([inner, each]) => `${PLAYERS.has(inner) ? '' : `${inner} `}${told(inner, each, players)}`).join(' ');
  }
  return String(value);
}
