/** A game alone, on any seed, untimed by others: an ordinary race of one, with undo and hints. */

import { readdress } from '../address.js';
import { h } from '../dom.js';
import { game as gameOf } from '../net/api.js';
import { Race } from '../net/race.js';
import { Playing } from '../parts/playing.js';

const TERMS = {
  mode: 'async', entrants_min: 1, entrants_max: 1, undo: 'free', hints: true, visibility: 'unlisted',
  spectators: 'none', limit: 604_800, closes: 604_800,
};

/**
 * @param {import('../router.js').Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const [key] = /** @type {[string]} */ (context.params);
  const { link, query } = context;
  const game = await gameOf(key);
  const code = query.get('race') ?? await begun(context, key);
  const race = new Race(link, code, game);
  try {
    await race.join();
    if (race.me?.state === 'entered') await race.ask('begin');
  } catch (fault) {
    race.close();
    throw fault;
  }
  const again = h('button', { type: 'button', onclick: () => anew(race.seed) }, 'New deal');
  /** @param {string | null} seed */
  const anew = (seed) => context.go(`/practice/${key}${seed === null ? '' : `?seed=${encodeURIComponent(seed)}`}`);
  const over = h('div', { class: 'done', hidden: true });
  const playing = new Playing(context, race, { deeds: [again] });
  again.onclick = () => anew(null);
  playing.node.querySelector('.table-box')?.append(over);
  const draw = () => {
    playing.draw();
    over.hidden = !race.isOver;
    if (race.isOver && !over.childElementCount) {
      const line = race.standings[0];
      over.append(
        h('p', { class: 'lead' }, line?.state === 'finished' ? 'All home. Well played!' : 'That was it.'),
        h('p', { class: 'row' },
          h('button', { type: 'button', class: 'primary', onclick: () => anew(null) }, 'New deal'),
          h('button', { type: 'button', onclick: () => anew(race.seed) }, 'The same deal again'),
          h('a', { class: 'button', href: `/r/${race.code}/replay` }, 'Replay')));
    }
  };
  race.addEventListener('change', draw, { signal: context.signal });
  context.fills(true);
  draw();
  setTimeout(() => playing.focus()); // when the page is shown
  return { title: `Practice: ${game.name}`, node: h('div', { class: 'race' }, h('div', { class: 'race-body' }, playing.node)), close: () => {
    playing.close();
    race.close();
  } };
}

/**
 * Opens the race of one; the address then names it, so that a reload comes back to the same board.
 *
 * @param {import('../router.js').Context} context
 * @param {string} key
 * @returns {Promise<string>}
 */
async function begun({ link, query, signal }, key) {
  const seed = query.get('seed');
  const { race } = await link.ask('create', { terms: { ...TERMS, game: key }, ...(seed ? { seed } : {}) });
  if (!signal.aborted) readdress(`/practice/${key}?race=${race}`);
  return race;
}
