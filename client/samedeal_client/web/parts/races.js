/** Lists of races: one line each that says what it is, who is in it, and what one can do. */

import { fill, h, keyed } from '../dom.js';
import { counted, span, stateWords, when } from '../words.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('./catalogue.js').Catalogue} Catalogue */

/** @type {Record<string, string>} */
const PHASES = { open: 'Open', countdown: 'About to start', running: 'Running', over: 'Over', cancelled: 'Called off' };
const NAMED = 4;

/**
 * Keeps a list in step with cards, without touching what has not changed: what has the focus keeps it.
 *
 * @param {Element} list
 * @param {readonly Message[]} cards  the server's, as `listed` has them
 * @param {{games: Catalogue, me: string | null}} how  `me`: the reader's name
 */
export function drawRaces(list, cards, { games, me }) {
  keyed(list, cards, (card) => card.race, (card, old) => {
    const said = JSON.stringify([card, me]);
    if (old?.dataset.said === said) return old;
    const line = old ?? h('li', { class: 'race-line' });
    line.dataset.said = said;
    line.classList.toggle('is-running', card.phase !== 'open');
    const hadFocus = line.contains(document.activeElement);
    fill(line, ...raceLine(card, { games, me }));
    if (hadFocus) /** @type {HTMLElement | null} */ (line.querySelector('a'))?.focus();
    return line;
  });
}

/**
 * @param {Message} card
 * @param {{games: Catalogue, me: string | null}} how
 */
function raceLine(card, { games, me }) {
  const { race, terms, phase } = card;
  const title = games.title(terms.game);
  const entrants = card.entrants ?? [];
  return [
    h('div', { class: 'race-what' },
      h('h3', {}, title, ' ', h('span', { class: 'tag' }, PHASES[phase] ?? phase)),
      h('p', { class: 'quiet' }, whoIsIn(entrants, terms, me)),
      h('ul', { class: 'chips', 'aria-label': 'Terms' }, shortTerms(card).map((words) => h('li', { class: 'chip' }, words)))),
    deed(card, me, title, race, entrants),
  ];
}

/**
 * @param {string[]} entrants
 * @param {Message} terms
 * @param {string | null} me
 */
function whoIsIn(entrants, terms, me) {
  if (entrants.length === 0) return `Nobody is in yet; room for ${terms.entrants_max ?? 8}`;
  const names = entrants.slice(0, NAMED).map((name) => (name === me ? 'you' : name));
  const more = entrants.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} · ${entrants.length} of ${terms.entrants_max ?? 8}`;
}

/**
 * What is not as usual, so that the eye finds it.
 *
 * @param {Message} card
 * @returns {string[]}
 */
export function shortTerms({ terms, tournament, seeded }) {
  const undo = /** @type {Record<string, string>} */ ({
    free: 'Free undo', none: 'No undo', penalty: `Undo costs ${terms.undo_penalty ?? 5} s`,
  });
  const found = [
    terms.mode === 'async' ? 'Each on their own clock' : terms.start === 'at' ? `Starts ${when(terms.start_at)}` : 'All start together',
    terms.rated ? 'Counts for ratings' : '',
    terms.blind ? 'Rivals hidden until you are done' : '',
    undo[terms.undo] ?? '',
    terms.hints ? 'Hints allowed' : '',
    terms.limit === undefined || terms.limit === 3600 ? '' : terms.limit === null ? 'No time limit' : `Limit ${span(terms.limit)}`,
    terms.visibility === 'phrase' ? 'Pass phrase' : '',
    terms.bots === false ? 'People only' : '',
    seeded ? 'The host may know the deal' : '',
    tournament ? 'Tournament' : '',
  ];
  return found.filter((words) => words !== '');
}

/**
 * @param {Message} card
 * @param {string | null} me
 * @param {string} title
 * @param {string} race
 * @param {string[]} entrants
 */
function deed({ phase, terms, tournament }, me, title, race, entrants) {
  const isIn = me !== null && entrants.includes(me);
  const isOpen = phase === 'open' || (phase === 'running' && terms.mode === 'async');
  const to = (/** @type {string} */ words, /** @type {string} */ path, kind = '') =>
    h('a', { href: path, class: `button ${kind}`, 'aria-label': `${words}: ${title}, race ${race}` }, words);
  if (isIn) return to('Back to it', `/r/${race}`, 'primary');
  if (isOpen && !tournament && entrants.length < (terms.entrants_max ?? 8)) return to('Join', `/r/${race}`, 'primary');
  if (terms.spectators === 'none') return h('span', { class: 'quiet' }, 'No spectators');
  return to('Watch', `/r/${race}/watch`);
}

/**
 * @param {Message} card  of a player's own list
 * @param {string | null} me
 * @returns {boolean} whether the race goes on, with them in it
 */
export function goesOn({ phase, entrants = [] }, me) {
  return phase !== 'over' && phase !== 'cancelled' && me !== null && entrants.includes(me);
}

/**
 * @param {Message} card
 * @param {Message | undefined} standing  the reader's own, where they may know it
 * @returns {string}
 */
export function ownState({ phase, entrants = [], terms }, standing) {
  if (phase === 'open' || phase === 'countdown') {
    const most = terms.entrants_max ?? 8;
    return `${PHASES[phase]}, ${entrants.length} of ${most} in`;
  }
  if (standing === undefined) return terms.mode === 'async' ? 'Open to play' : 'Running';
  if (standing.state === 'racing') return `Your clock runs; ${counted(standing.home, 'card')} home`;
  if (standing.state === 'entered' || standing.state === 'ready') return 'You have not opened the deal yet';
  return `You are done (${stateWords(standing.state)}); others still race`;
}
