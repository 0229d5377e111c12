/** One's own races, those too that nobody else finds: how each went, and the ways back to it. */

import { fill, h } from '../dom.js';
import { clock, ordinal, stateWords, when } from '../words.js';
import { grid } from './grid.js';
import { nothing, refusal } from './said.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('./catalogue.js').Catalogue} Catalogue */

/** Where they stand on one's own page. */
export const OWN_PLACE = 'your-races';

/** @type {Record<string, string>} */
const HIDDEN = { unlisted: 'not listed', phrase: 'behind a pass phrase' };
/** @type {Record<string, string>} */
const PHASES = { open: 'open', countdown: 'about to start', running: 'running', cancelled: 'called off' };

/**
 * @param {Message} card  of `mine`
 * @returns {string} how the race goes, or went for the reader
 */
export function endingWords({ phase, entrants = [], standing }) {
  if (phase !== 'over') return PHASES[phase] ?? phase;
  if (!standing) return 'not entered';
  const how = standing.state === 'finished' ? clock(standing.elapsed_ms, { tenths: true }) : stateWords(standing.state);
  return entrants.length > 1 ? `${ordinal(standing.place)} of ${entrants.length}, ${how}` : how;
}

/**
 * @param {Pick<import('../router.js').Context, 'link' | 'signal'>} context
 * @param {Catalogue} games
 * @returns {HTMLElement} the newest races as a table, as soon as the server has told them
 */
export function ownRaces({ link, signal }, games) {
  const place = h('div', {}, h('p', { class: 'quiet' }, 'Loading …'));
  link.ask('mine').then(({ races }) => fill(place, ...table(races, games)), (fault) => {
    if (!signal.aborted) fill(place, h('p', { class: 'fault', role: 'alert' }, refusal(fault)));
  });
  return h('section', { id: OWN_PLACE }, h('h2', {}, 'Your last races'), place);
}

/**
 * @param {readonly Message[]} cards  of `mine`, the newest first
 * @param {Catalogue} games
 */
function table(cards, games) {
  if (cards.length === 0) return [nothing('You have not raced yet. ', h('a', { href: '/' }, 'Race a bot'), '.')];
  const columns = [{ words: 'Race', names: true }, { words: 'Result' }, { words: 'Replay' }];
  return [
    grid('Your last races', columns, cards.map((card) => ({ cells: line(card, games.title(card.terms.game)) })), { isCaptionSpoken: true }),
    h('p', { class: 'quiet' }, 'Only you see this list.'),
  ];
}

/**
 * @param {Message} card
 * @param {string} title
 */
function line(card, title) {
  const { race, terms, phase, opened_at } = card;
  const about = [when(opened_at), terms.rated ? 'rated' : '', HIDDEN[terms.visibility] ?? ''].filter(Boolean).join(', ');
  // A replay is a page for everybody, so there is none behind a pass phrase.
  const hasReplay = phase === 'over' && terms.visibility !== 'phrase';
  return [
    [h('a', { href: `/r/${race}` }, title), h('span', { class: 'quiet below' }, about)],
    endingWords(card),
    hasReplay ? h('a', { href: `/r/${race}/replay`, 'aria-label': `Replay of ${title}, ${when(opened_at)}` }, 'Replay') : '',
  ];
}
