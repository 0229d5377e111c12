/** A race inside somebody else's page: to be looked at, with a link to the whole of it. */

import { fill, h } from '../dom.js';
import { Race } from '../net/race.js';
import { Boards } from '../parts/boards.js';
import { Lanes, ranked } from '../parts/lanes.js';
import { standingsTable } from '../parts/result.js';
import { takenUp } from '../parts/taken.js';
import { clock } from '../words.js';

/**
 * @param {import('../router.js').Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const race = await takenUp(context);
  if (!(race instanceof Race)) return race;
  const boards = new Boards(race.game, context.settings);
  const lanes = new Lanes(race);
  const state = h('span', { class: 'quiet' });
  const body = h('div', { class: 'embed-body' });
  const node = h('div', { class: 'embed sheet' },
    h('p', { class: 'spread' }, h('b', {}, race.game.name), state,
      h('a', { href: `/r/${race.code}/watch`, target: '_blank', rel: 'noopener' }, 'samedeal')), body);
  const draw = () => {
    fill(state, race.isOver ? 'over' : race.phase === 'running' ? clock(race.elapsed()) : 'not started');
    if (race.isOver) {
      if (!body.querySelector('table')) fill(body, standingsTable(race.game, race.standings, null, { isFramed: true }));
      return;
    }
    if (!lanes.node.isConnected) fill(body, boards.node, lanes.node);
    lanes.draw();
    const first = ranked(race.entrants.values()).find((each) => race.boards.has(each.entrant));
    boards.draw(first === undefined ? [] : [{
      key: first.entrant, name: first.name, state: first.state, home: first.home, elapsed_ms: first.elapsed_ms, position: race.boards.get(first.entrant) ?? null,
    }]);
  };
  race.addEventListener('change', draw, { signal: context.signal });
  const ticking = window.setInterval(draw, 500);
  draw();
  return { title: race.game.name, node, close: () => {
    clearInterval(ticking);
    boards.close();
    race.close();
  } };
}
