/** How a race ended: podium, table, what proves the deal, and what to do next. */

import { fill, h } from '../dom.js';
import { Refusal } from '../net/link.js';
import { clock, counted, ordinal, stateWords } from '../words.js';
import { copied } from './share.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../net/link.js').Message} Message */

/**
 * One line to hand on, which gives nothing of the deal away.
 *
 * @param {Message} game
 * @param {string} code
 * @param {Message[]} standings
 * @param {number | null} you
 * @returns {string}
 */
export function resultLine(game, code, standings, you) {
  const own = standings.find((line) => line.entrant === you);
  const field = counted(standings.length, 'entrant');
  if (!own) {
    const first = standings[0];
    return `samedeal · ${game.name} · ${first ? `${first.name} came first of ${field}` : 'no entrants'} · ${code}`;
  }
  const time = own.state === 'finished' ? clock(own.elapsed_ms) : `${own.home}/${game.goal} home`;
  return `samedeal · ${game.name} · ${ordinal(own.place)} of ${field} · ${time} · ${counted(own.moves, 'move')} · ${code}`;
}

/**
 * @param {Message} game
 * @param {Message[]} standings
 * @param {number | null} you
 * @returns {HTMLElement}
 */
export function standingsTable(game, standings, you) {
  const best = Math.min(...standings.map((line) => line.elapsed_ms ?? Infinity));
  return h('div', { class: 'scroll' }, h('table', { class: 'standings' },
    h('caption', { class: 'spoken' }, 'Standings'),
    h('thead', {}, h('tr', {},
      ['Place', 'Player', 'Time', 'Behind', 'Home', 'Moves', 'Penalty'].map((word, at) => h('th', { scope: 'col', class: at > 1 || at === 0 ? 'number' : '' }, word)))),
    h('tbody', {}, standings.map((line) => h('tr', { class: line.entrant === you ? 'own' : '' },
      h('td', { class: 'number' }, line.place),
      h('th', { scope: 'row' }, h('a', { href: `/players/${encodeURIComponent(line.name)}` }, line.name), line.bot ? h('span', { class: 'quiet' }, ' bot') : null),
      h('td', { class: 'number' }, line.state === 'finished' ? clock(line.elapsed_ms, { tenths: true }) : stateWords(line.state)),
      h('td', { class: 'number' }, line.state === 'finished' && line.elapsed_ms > best ? `+${clock(line.elapsed_ms - best, { tenths: true })}` : ''),
      h('td', { class: 'number' }, `${line.home}/${game.goal}`),
      h('td', { class: 'number' }, line.moves),
      h('td', { class: 'number' }, line.penalty_ms ? clock(line.penalty_ms) : ''))))));
}

/**
 * @param {Message} game
 * @param {Message[]} standings
 * @returns {HTMLElement | null}
 */
export function podium(game, standings) {
  const best = standings.filter((line) => line.place <= 3).slice(0, 3);
  if (best.length < 2) return null;
  return h('ol', { class: 'podium', 'aria-label': 'The first three' },
    best.map((line) => h('li', { class: `place-${line.place}` },
      h('span', { class: 'medal', 'aria-hidden': 'true' }, String(line.place)),
      h('b', {}, line.name),
      h('span', { class: 'quiet' }, `${ordinal(line.place)} · ${line.state === 'finished' ? clock(line.elapsed_ms) : `${line.home}/${game.goal} home`}`))));
}

/**
 * The result of a race that is over.
 *
 * @param {Context} context
 * @param {{code: string, game: Message, terms: Message, standings: Message[], seed: string | null, salt: string | null, commitment: string, you: number | null, reason?: string, phase: string, tournament?: string | null}} race
 * @returns {HTMLElement}
 */
export function result(context, race) {
  const own = race.standings.find((line) => line.entrant === race.you);
  const fault = h('p', { class: 'fault', role: 'alert', hidden: true });
  const again = h('button', { type: 'button', class: 'primary', onclick: async () => {
    again.disabled = true;
    try {
      const { race: next } = await context.link.ask('rematch', { race: race.code });
      context.go(`/r/${next}`);
    } catch (refused) {
      if (!(refused instanceof Refusal)) throw refused;
      fill(fault, refused.message);
      fault.hidden = false;
      again.disabled = false;
    }
  } }, 'Rematch on a fresh deal');
  const line = resultLine(race.game, race.code, race.standings, race.you);
  const copy = h('button', { type: 'button', onclick: async () => {
    fill(copy, await copied(line) ? 'Copied' : line);
  } }, 'Copy the result');
  const heading = race.phase === 'cancelled' ? 'Called off'
    : own ? (own.state === 'finished' ? `${ordinal(own.place)} in ${clock(own.elapsed_ms)}` : `${ordinal(own.place)}, ${stateWords(own.state)}`) : 'Result';
  if (race.phase === 'cancelled') {
    return h('div', { class: 'narrow result' }, h('h1', {}, heading), h('p', {}, race.reason || 'The race was not run.'),
      h('p', { class: 'row' }, h('a', { class: 'button primary', href: '/new' }, 'New race'), h('a', { class: 'button', href: '/' }, 'First page')));
  }
  return h('div', { class: 'wide result' },
    h('p', { class: 'quiet' }, h('a', { href: `/games/${race.terms.game}` }, race.game.name), ` · ${race.code}`, race.tournament ? [' · ', h('a', { href: `/t/${race.tournament}` }, 'the tournament')] : null),
    h('h1', {}, heading),
    podium(race.game, race.standings),
    h('p', { class: 'row no-print' },
      race.tournament ? h('a', { class: 'button primary', href: `/t/${race.tournament}` }, 'Back to the tournament') : again,
      h('a', { class: 'button', href: `/r/${race.code}/replay` }, 'Replay'),
      race.seed === null ? null : h('a', { class: 'button', href: `/practice/${race.terms.game}?seed=${encodeURIComponent(race.seed)}` }, 'The same deal again, unrated'),
      copy),
    fault,
    standingsTable(race.game, race.standings, race.you),
    race.seed === null ? null : h('details', {}, h('summary', {}, 'What proves the deal'),
      h('p', {}, 'Before the start the server promised this SHA-256 of seed and salt. ',
        h('a', { href: `/api/v1/races/${race.code}/replay`, download: true }, 'The replay file'), ' holds everything; ', h('code', {}, 'samedeal verify'), ' checks it.'),
      h('dl', { class: 'proof' }, h('dt', {}, 'Seed'), h('dd', { class: 'code' }, race.seed), h('dt', {}, 'Salt'), h('dd', { class: 'code' }, race.salt ?? ''), h('dt', {}, 'Promised'), h('dd', { class: 'code' }, race.commitment))));
}
