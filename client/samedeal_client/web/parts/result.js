/** How a race ended: podium, table, what proves the deal, and what to do next. */

import { fill, h } from '../dom.js';
import { clock, counted, ordinal, stateWords } from '../words.js';
import { openRematch } from './rematch.js';
import { Fault, deedButton, sentence } from './said.js';
import { copied } from './share.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('../net/race.js').Race} Race */

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
 * @typedef {object} Column
 * @property {string} words
 * @property {(line: Message) => import('../dom.js').Child | import('../dom.js').Child[]} cell
 * @property {boolean} [isRare]  left out where it has nothing to tell of anybody, and on a phone
 */

/**
 * @param {Message} game
 * @param {Message[]} standings
 * @param {number | null} you
 * @param {{isFramed?: boolean}} [how]  links out of somebody else's page open a window of their own
 * @returns {HTMLElement}
 */
export function standingsTable(game, standings, you, { isFramed = false } = {}) {
  const best = Math.min(...standings.map((line) => line.elapsed_ms ?? Infinity));
  const name = (/** @type {Message} */ line) => h('a', {
    href: `/players/${encodeURIComponent(line.name)}`, ...(isFramed ? { target: '_blank', rel: 'noopener' } : {}),
  }, h('bdi', {}, line.name));
  /** @type {Column[]} */
  const all = [
    { words: 'Place', cell: (line) => line.place },
    { words: 'Player', cell: (line) => [name(line), line.bot ? h('span', { class: 'quiet' }, ' bot') : null] },
    { words: 'Result', cell: (line) => (line.state === 'finished' ? clock(line.elapsed_ms, { tenths: true }) : stateWords(line.state)) },
    { words: 'Behind', isRare: true, cell: (line) => (line.state === 'finished' && line.elapsed_ms > best ? `+${clock(line.elapsed_ms - best, { tenths: true })}` : '') },
    { words: 'Home', cell: (line) => `${line.home}/${game.goal}` },
    { words: 'Moves', cell: (line) => line.moves },
    { words: 'Penalty', isRare: true, cell: (line) => (line.penalty_ms ? clock(line.penalty_ms) : '') },
  ];
  const columns = all.filter((column) => !column.isRare || standings.some((line) => column.cell(line) !== ''));
  const kind = (/** @type {Column} */ { words, isRare }) => ({ class: words === 'Player' ? null : isRare ? 'number extra' : 'number' });
  return h('div', { class: 'scroll', role: 'region', 'aria-label': 'Standings', tabindex: '0' }, h('table', { class: 'standings' },
    h('caption', { class: 'spoken' }, 'Standings'),
    h('thead', {}, h('tr', {}, columns.map((column) => h('th', { scope: 'col', ...kind(column) }, column.words)))),
    h('tbody', {}, standings.map((line) => h('tr', { class: line.entrant === you ? 'own' : null }, columns.map((column) => {
      const cell = [column.cell(line)].flat();
      return column.words === 'Player' ? h('th', { scope: 'row' }, ...cell) : h('td', kind(column), ...cell);
    }))))));
}

/** How many stand on the podium at most: ties make it wider. */
const PODIUM = 5;

/**
 * The first places; a medal is for who finished.
 *
 * @param {Message} game
 * @param {Message[]} standings
 * @returns {HTMLElement | null} null where there is no contest, or nobody finished and nobody came further
 */
export function podium(game, standings) {
  const best = standings.filter((line) => line.place <= 3).slice(0, PODIUM);
  if (best.length < 2 || (isUnfinished(standings) && standings.every((line) => line.place === 1))) return null;
  return h('ol', { class: 'podium', 'aria-label': 'The first' },
    best.map((line) => h('li', { class: line.state === 'finished' ? `medal-${line.place}` : null },
      h('span', { class: 'rank', 'aria-hidden': 'true' }, String(line.place)),
      h('b', {}, h('bdi', {}, line.name)),
      h('span', { class: 'quiet' }, `${ordinal(line.place)} · ${line.state === 'finished' ? clock(line.elapsed_ms) : `${line.home}/${game.goal} home`}`))));
}

/**
 * @param {Message[]} standings
 * @returns {boolean} whether the places tell only who came how far
 */
export function isUnfinished(standings) {
  return standings.length > 0 && standings.every((line) => line.state !== 'finished');
}

/**
 * @param {Message[]} standings
 * @param {number | null} you
 * @returns {string}
 */
function headingOf(standings, you) {
  const own = standings.find((line) => line.entrant === you);
  if (own?.state === 'finished') return `${ordinal(own.place)} in ${clock(own.elapsed_ms)}`;
  if (isUnfinished(standings)) {
    if (!own || standings.length < 2) return 'Nobody finished';
    const isShared = standings.some((line) => line !== own && line.place === own.place);
    return `Nobody finished. You: ${isShared ? 'shared ' : ''}${ordinal(own.place)} by cards home`;
  }
  if (own) return `${ordinal(own.place)} of ${standings.length}, ${stateWords(own.state)}`;
  const first = standings.filter((line) => line.place === 1);
  return first.length === 1 && standings.length > 1 ? `${first[0]?.name} came first` : 'Result';
}

/**
 * The result of a race that is over.
 *
 * @param {Context} context
 * @param {Race} race
 * @param {{chat: HTMLElement, onward?: HTMLElement | null}} parts  how its tournament goes on
 * @returns {HTMLElement}
 */
export function result(context, race, { chat, onward = null }) {
  const own = race.standings.find((line) => line.entrant === race.you);
  const fault = new Fault();
  const again = own || race.isHost
    ? deedButton('Rematch on a fresh deal', fault, async () => context.go(`/r/${await openRematch(race)}`), { kind: 'primary' })
    : h('a', { class: 'button primary', href: '/new' }, 'New race');
  const line = resultLine(race.game, race.code, race.standings, race.you);
  const copy = h('button', { type: 'button', onclick: async () => {
    fill(copy, await copied(line) ? 'Copied' : line);
  } }, 'Copy the result');
  const heading = race.phase === 'cancelled' ? 'Called off' : headingOf(race.standings, race.you);
  if (race.phase === 'cancelled') {
    return h('div', { class: 'narrow result' }, h('h1', {}, heading), h('p', {}, race.reason ? sentence(race.reason) : 'The race was not run.'), onward,
      h('p', { class: 'row' }, race.tournament ? h('a', { class: 'button primary', href: `/t/${race.tournament}` }, 'Back to the tournament') : h('a', { class: 'button primary', href: '/new' }, 'New race'), h('a', { class: 'button', href: '/' }, 'First page')),
      chat);
  }
  return h('div', { class: 'wide result' },
    h('p', { class: 'quiet' }, h('a', { href: `/games/${race.terms.game}` }, race.game.name), ` · ${race.code}`, race.tournament ? [' · ', h('a', { href: `/t/${race.tournament}` }, 'the tournament')] : null),
    h('h1', {}, heading),
    podium(race.game, race.standings),
    onward,
    h('div', { class: 'row no-print' },
      race.tournament ? h('a', { class: 'button primary', href: `/t/${race.tournament}` }, 'Back to the tournament') : again,
      h('a', { class: 'button', href: `/r/${race.code}/replay` }, 'Replay'),
      race.seed === null ? null : h('a', { class: 'button', href: `/practice/${race.terms.game}?seed=${encodeURIComponent(race.seed)}` }, 'Same deal again, alone'),
      copy),
    fault.node,
    standingsTable(race.game, race.standings, race.you),
    race.seed === null ? null : h('details', {}, h('summary', {}, 'What proves the deal'),
      h('p', {}, 'Before the start the server promised this SHA-256 of seed and salt. ',
        h('a', { href: `/api/v1/races/${race.code}/replay`, download: true }, 'The replay file'), ' holds everything; ', h('code', {}, 'samedeal verify'), ' checks it.'),
      h('dl', { class: 'proof' }, h('dt', {}, 'Seed'), h('dd', { class: 'code' }, race.seed), h('dt', {}, 'Salt'), h('dd', { class: 'code' }, race.salt ?? ''), h('dt', {}, 'Promised'), h('dd', { class: 'code' }, race.commitment))),
    chat);
}
