/** One game: what it looks like, its rules, its variants, its fastest, and the ways to play it. */

import { h } from '../dom.js';
import { game as described, get } from '../net/api.js';
import { catalogue, plainKey, traits, variantOf } from '../parts/catalogue.js';
import { choice, field } from '../parts/fields.js';
import { grid } from '../parts/grid.js';
import { keep, kept } from '../parts/kept.js';
import { picture } from '../parts/picture.js';
import { RIVALS, isRival, raceBot } from '../parts/quick.js';
import { glossaryList, rulesBody } from '../parts/rules.js';
import { Fault, dayOf, deedButton, nothing, person, refusal } from '../parts/said.js';
import { clock } from '../words.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../parts/catalogue.js').Brief} Brief */

const FASTEST = 5;

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const key = context.params[0] ?? '';
  const [games, description, fastest] = await Promise.all([catalogue(), described(key), fastestOf(context, key)]);
  const brief = games.find(key);
  const title = games.title(key);
  const variant = brief?.variants.find((each) => each.key === key);
  return {
    title,
    node: h('article', { class: 'wide game-page' },
      h('p', { class: 'crumb' }, h('a', { href: '/games' }, 'Games'), variantOf(key) ? [' / ', h('a', { href: `/games/${plainKey(key)}` }, games.title(plainKey(key)))] : null),
      h('h1', {}, title),
      variant ? h('p', { class: 'intro' }, variant.words) : null,
      brief ? h('ul', { class: 'chips', 'aria-label': 'What it is like' }, traits(brief).map((words) => h('li', { class: 'chip' }, words))) : null,
      h('div', { class: 'game-top' }, picture(context, key), ways(context, key)),
      h('div', { class: 'game-rest' },
        h('section', {}, h('h2', {}, 'How it is played'), rulesBody(description.rules.split('\n\nVariants\n')[0]), h('h3', {}, 'Words'), glossaryList(description)),
        h('div', {}, variants(brief, key), fastest))),
  };
}

/**
 * @param {Context} context
 * @param {string} key
 */
function ways({ link, go }, key) {
  const fault = new Fault();
  const rival = choice('rival', Object.entries(RIVALS).map(([each, { words }]) => [each, words]), kept('rival', Object.keys(RIVALS), 'greedy'));
  rival.addEventListener('change', () => keep('rival', rival.value));
  const race = deedButton('Race a bot', fault, async () => {
    if (isRival(rival.value)) go(`/r/${await raceBot(link, { game: key, rival: rival.value })}`);
  }, { kind: 'primary', type: 'submit' });
  const seed = h('input', { type: 'text', name: 'seed', maxlength: '64', autocomplete: 'off', placeholder: 'friday-night' });
  const practise = (/** @type {Event} */ event) => {
    event.preventDefault();
    const named = seed.value.trim();
    go(`/practice/${key}${named ? `?seed=${encodeURIComponent(named)}` : ''}`);
  };
  return h('div', { class: 'game-ways' },
    h('form', { class: 'sheet' }, h('h2', {}, 'Race'), field('Rival', rival), h('div', { class: 'row' }, race, h('a', { href: `/new?game=${key}`, class: 'button' }, 'New race with this')), fault.node),
    h('form', { class: 'sheet', onsubmit: practise }, h('h2', {}, 'Practise alone'),
      field('Seed', seed, 'Any words; the same words give the same deal. Empty: a deal by chance.'),
      h('div', { class: 'row' }, h('button', { type: 'submit' }, 'Practise'))));
}

/**
 * @param {Brief | null} brief
 * @param {string} key
 */
function variants(brief, key) {
  if (!brief || brief.variants.length === 0) return null;
  const lines = [{ key: brief.key, words: 'The game as it is usually played.' }, ...brief.variants].filter((each) => each.key !== key);
  return h('section', {}, h('h2', {}, 'Variants'),
    h('ul', {}, lines.map((each) => h('li', {}, h('a', { href: `/games/${each.key}` }, variantOf(each.key) || brief.name), ' – ', each.words))));
}

/**
 * @param {Context} context
 * @param {string} key
 * @returns {Promise<HTMLElement>}
 */
async function fastestOf({ link, signal }, key) {
  const heading = h('h2', {}, 'Fastest times');
  try {
    const board = await get(`leaderboards/fastest/${key}?limit=${FASTEST}`, { signal });
    if (board.lines.length === 0) return h('section', {}, heading, nothing('Nobody has finished it here yet. The first one leads.'));
    return h('section', {}, heading,
      grid('Fastest times', [{ words: 'Place', number: true }, { words: 'Player', names: true }, { words: 'Time', number: true }, { words: 'When' }],
        board.lines.map((/** @type {any} */ line) => ({
          own: line.name === link.name, cells: [line.place, person(line.name), clock(line.elapsed_ms, { tenths: true }), dayOf(line.at)],
        })), { isCaptionSpoken: true }),
      h('p', {}, h('a', { href: `/leaderboards?board=fastest&game=${encodeURIComponent(key)}` }, 'The whole board')));
  } catch (fault) {
    if (signal.aborted) throw fault;
    return h('section', {}, heading, h('p', {}, refusal(fault)));
  }
}
