/** All games: a picture of each, what sets it apart, and the ways to play it. */

import { readdress } from '../address.js';
import { fill, h } from '../dom.js';
import { catalogue, traits } from '../parts/catalogue.js';
import { choice, field } from '../parts/fields.js';
import { picture } from '../parts/picture.js';
import { nothing } from '../parts/said.js';
import { counted } from '../words.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../parts/catalogue.js').Brief} Brief */

/** @type {readonly {name: string, words: string, options: readonly (readonly [string, string])[], fits: (game: Brief, wish: string) => boolean}[]} */
const SIEVES = [
  {
    name: 'packs', words: 'Packs', options: [['', 'Any'], ['1', 'One'], ['2', 'Two']],
    fits: (game, wish) => game.packs === Number(wish),
  },
  {
    name: 'hidden', words: 'Cards', options: [['', 'Any'], ['no', 'All in sight'], ['yes', 'Some hidden']],
    fits: (game, wish) => game.hides_cards === (wish === 'yes'),
  },
  {
    name: 'luck', words: 'Luck after the deal', options: [['', 'Any'], ['no', 'None'], ['yes', 'Some']],
    fits: (game, wish) => game.luck_after_deal === (wish === 'yes'),
  },
];

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const games = await catalogue();
  const { query } = context;
  const selects = SIEVES.map(({ name, options }) => choice(name, options, query.get(name) ?? ''));
  const count = h('p', { class: 'quiet', role: 'status' });
  const none = nothing('No game is like that. ', h('button', { type: 'button', onclick: () => clear() }, 'Show all games'));
  const tiles = new Map(games.briefs.map((game) => [game, tile(context, game)]));
  const sift = () => {
    let shown = 0;
    for (const [game, node] of tiles) {
      const fits = SIEVES.every((sieve, at) => !selects[at]?.value || sieve.fits(game, selects[at].value));
      node.hidden = !fits;
      shown += Number(fits);
    }
    fill(count, counted(shown, 'game'));
    none.hidden = shown > 0;
  };
  const changed = () => {
    const wished = new URLSearchParams();
    for (const { name, value } of selects) if (value) wished.set(name, value);
    readdress(wished.size ? `/games?${wished}` : '/games');
    sift();
  };
  const clear = () => {
    for (const select of selects) select.value = '';
    changed();
    selects[0]?.focus();
  };
  for (const select of selects) select.addEventListener('change', changed);
  sift();
  return {
    title: 'Games',
    node: h('div', { class: 'wide' },
      h('h1', {}, 'Games'),
      h('form', { class: 'sieves', 'aria-label': 'Show only some games' }, SIEVES.map(({ words }, at) => field(words, /** @type {HTMLSelectElement} */ (selects[at]))), count),
      none,
      h('ul', { class: 'cards tiles' }, [...tiles.values()])),
  };
}

/**
 * @param {Context} context
 * @param {Brief} game
 */
function tile(context, game) {
  const about = (/** @type {string} */ words) => `${words}: ${game.name}`;
  return h('li', { class: 'sheet tile' },
    h('a', { href: `/games/${game.key}`, class: 'tile-picture', tabindex: '-1', 'aria-hidden': 'true' }, picture(context, game.key)),
    h('h2', {}, h('a', { href: `/games/${game.key}` }, game.name)),
    h('p', { class: 'quiet' }, traits(game).join(' · ')),
    h('p', { class: 'row' },
      h('a', { href: `/new?game=${game.key}`, class: 'button primary', 'aria-label': about('New race') }, 'Race'),
      h('a', { href: `/practice/${game.key}`, class: 'button', 'aria-label': about('Practise') }, 'Practise'),
      h('a', { href: `/games/${game.key}`, class: 'button', 'aria-label': about('Rules') }, 'Rules')));
}
