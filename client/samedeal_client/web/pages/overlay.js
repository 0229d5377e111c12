/**
 * A race for a stream: transparent, in fixed places, without controls or sound.
 *
 * `?layout=lanes|board|podium`, `&players=Ada,Bob` (whose boards, in this order), `&scale=1.5`,
 * `&sort=rank` (else lanes keep their places), `&bg=…` (transparent unless it is a colour's name or #hex).
 */

import { fill, h } from '../dom.js';
import { Race } from '../net/race.js';
import { Boards } from '../parts/boards.js';
import { Lanes } from '../parts/lanes.js';
import { isUnfinished, podium } from '../parts/result.js';
import { takenUp } from '../parts/taken.js';
import { clock } from '../words.js';

/**
 * @param {import('../router.js').Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const race = await takenUp(context);
  if (!(race instanceof Race)) return race;
  const { query, settings, signal } = context;
  const layout = query.get('layout') ?? 'lanes';
  const names = (query.get('players') ?? '').split(',').filter(Boolean);
  const scale = Math.min(4, Math.max(0.5, Number(query.get('scale')) || 1));
  const background = query.get('bg') ?? 'transparent';
  const boards = new Boards(race.game, settings);
  const lanes = new Lanes(race, { isFixed: query.get('sort') !== 'rank' });
  const time = h('p', { class: 'clock' });
  const body = h('div');
  const node = h('div', { class: `overlay overlay-${layout}`, style: { '--overlay': String(scale), background: CSS.supports('color', background) ? background : 'transparent' } }, time, body);
  const draw = () => {
    const elapsed = race.elapsed();
    fill(time, race.phase === 'countdown' ? `−${clock(race.startsIn())}` : elapsed === null ? '' : clock(elapsed));
    const seats = [...race.entrants.values()].filter((each) => race.boards.has(each.entrant) && (!names.length || names.includes(each.name)));
    if (names.length) seats.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
    const first = podium(race.game, race.standings);
    if (race.isOver && layout !== 'board' && first === null) {
      // No contest, or nobody before anybody: how far they came, and nobody is called the first.
      lanes.draw();
      fill(body, h('div', {}, isUnfinished(race.standings) ? h('p', { class: 'lead' }, 'Nobody finished') : null, lanes.node));
    } else if (layout === 'podium' || (race.isOver && layout !== 'board')) {
      fill(body, first ?? h('p', {}, race.game.name));
    } else if (layout === 'board') {
      boards.draw(seats.slice(0, 4).map((each) => ({
        key: each.entrant, name: each.name, state: each.state, home: each.home, elapsed_ms: each.elapsed_ms, position: race.boards.get(each.entrant) ?? null,
      })));
      if (!boards.node.isConnected) fill(body, boards.node);
    } else {
      lanes.draw();
      if (!lanes.node.isConnected) fill(body, lanes.node);
    }
    if (race.isOver) clearInterval(ticking);
  };
  race.addEventListener('change', draw, { signal });
  const ticking = window.setInterval(() => draw(), 250);
  draw();
  return { title: race.game.name, node, close: () => {
    clearInterval(ticking);
    boards.close();
    race.close();
  } };
}
