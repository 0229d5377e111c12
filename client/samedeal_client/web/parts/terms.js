/** The terms of a race in a person's words: chips to see at a glance, and lines to read. */

import { h } from '../dom.js';
import { counted, span, when } from '../words.js';

/** @typedef {import('../net/link.js').Message} Message */

/** @type {Record<string, (terms: Message) => string>} */
const UNDO = {
  free: () => 'Undo as you like',
  'not-past-a-reveal': () => 'Undo, but not past a turned card',
  none: () => 'No undo',
  penalty: (terms) => `Each undo costs ${counted(terms.undo_penalty ?? 5, 'second')}`,
};

/**
 * @param {Message} terms
 * @returns {string[]}
 */
export function termsWords(terms) {
  const isAsync = terms.mode === 'async';
  const limit = terms.limit === undefined ? 3600 : terms.limit;
  const words = [
    isAsync ? `Play when you like, within ${span(terms.closes ?? 86_400)}` : 'All start together',
    (UNDO[terms.undo ?? 'not-past-a-reveal'] ?? UNDO.none)(terms),
    limit === null ? 'No time limit' : `Time limit ${span(limit)}`,
  ];
  if (!isAsync && terms.start === 'host') words.push('The host starts it');
  if (!isAsync && terms.start === 'at') words.push(`Starts ${when(terms.start_at)}`);
  if (!isAsync && (terms.start ?? 'all-ready') === 'all-ready') words.push('Starts by itself when all are ready');
  if (terms.rated) words.push('Counts for ratings');
  if (terms.hints) words.push('Hints allowed');
  if (terms.blind) words.push('Blind: rivals’ progress is hidden until you are done');
  if (terms.bots === false) words.push('People only');
  if (terms.visibility === 'unlisted') words.push('Unlisted: by link only');
  if (terms.visibility === 'phrase') words.push('With a pass phrase');
  const sight = terms.spectators ?? 'boards';
  if (sight === 'none') words.push('No spectators');
  else if (terms.delay) words.push(`Spectators see it ${span(terms.delay)} late`);
  return words;
}

/**
 * @param {Message} terms
 * @returns {HTMLElement}
 */
export function termsChips(terms) {
  return h('ul', { class: 'chips', 'aria-label': 'Terms' },
    termsWords(terms).map((each) => h('li', { class: 'chip' }, each)));
}
