/** Draws one match with all that is known of it. */

import { h } from '../dom.js';
import { countdown, nameOf, stateChip } from './draw.js';
import { playersOf } from './ledger.js';
import { matchState } from './words.js';

/** @typedef {import('../net/link.js').Message} Message */

const RACES = /** @type {Record<string, string>} */ ({ called: 'is called', running: 'is on', over: 'is over', void: 'is void' });

/**
 * @param {Message} sheet
 * @param {Message} match
 * @param {(key: string) => string} gameName
 * @returns {HTMLElement}
 */
export function drawMatch(sheet, match, gameName) {
  const players = playersOf(sheet);
  const places = match.places ?? [];
  return h('div', { class: 'match-sheet' },
    h('h2', { id: 'match-head' }, `${match.label} `, h('span', { class: 'quiet' }, match.match)),
    h('ul', { class: 'those' }, match.players.map((/** @type {number} */ each) => h('li', {}, nameOf(players, each, sheet.you),
      match.winner === each ? h('b', {}, ' ✓ won') : null))),
    h('p', {}, stateChip(match), ' ', matchState(match, players), (match.best_of ?? 1) > 1 ? `; best of ${match.best_of}` : ''),
    places.length ? h('ol', { class: 'places' }, places.map((/** @type {Message} */ each) => h('li', { value: each.place ?? null },
      nameOf(players, each.player, sheet.you), ` ${each.points ?? '0'} points${each.place ? '' : ' (did not place)'}`))) : null,
    (match.races ?? []).length ? h('ul', { class: 'races' }, match.races.map((/** @type {Message} */ race) => h('li', { 'data-key': race.race },
      h('span', {}, `Race ${race.number}, ${gameName(race.game)}, ${RACES[race.state] ?? race.state}${race.reason ? `: ${race.reason}` : ''}`),
      race.state === 'called' && race.ready_by ? [' ', countdown(race.ready_by)] : null, ' ', linkOf(race)))) : null,
    sheet.role ? h('p', {}, h('a', { href: `/t/${sheet.tournament}/host` }, 'Rule on it in the console')) : null);
}

/** @param {Message} race */
function linkOf(race) {
  if (race.state === 'running') return h('a', { href: `/r/${race.race}/watch` }, 'Watch');
  if (race.state === 'over') return h('a', { href: `/r/${race.race}/replay` }, 'Replay');
  return null;
}
