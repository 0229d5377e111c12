/** The league of a week: points of its seven daily deals, as far as their days are over. */

import { fill, h } from '../dom.js';
import { ApiFault, get } from '../net/api.js';
import { Refusal } from '../net/link.js';
import { catalogue } from '../parts/catalogue.js';
import { choice, field } from '../parts/fields.js';
import { dayAfter, dayWords, weekOf } from '../parts/days.js';
import { focusTable, grid, pager } from '../parts/grid.js';
import { nothing, person, refusal } from '../parts/said.js';
import { counted } from '../words.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../net/link.js').Message} Message */

const LIMIT = 50;

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const { link, signal, params } = context;
  const games = await catalogue();
  const who = choice('bots', [['', 'People'], ['true', 'Bots']], '');
  const place = h('div', { class: 'board-place' });
  const asked = async (/** @type {number} */ offset) => {
    const bots = who.value === 'true';
    const week = params[0];
    if (link.token === null) return get(`league${week ? `/${week}` : ''}${bots ? '/bots' : ''}`, { signal });
    try {
      return await link.ask('league', { ...(week ? { week } : {}), bots, offset, limit: LIMIT });
    } catch (fault) {
      if (fault instanceof Refusal) throw new ApiFault(fault.code, fault.message);
      throw fault;
    }
  };
  const show = async (/** @type {number} */ offset) => {
    try {
      draw(await asked(offset), offset);
    } catch (fault) {
      if (!signal.aborted) fill(place, h('p', { class: 'fault', role: 'alert' }, refusal(fault)));
    }
  };
  const draw = (/** @type {Message} */ table, /** @type {number} */ offset) => {
    const lines = table.lines ?? [];
    if (lines.length === 0) {
      fill(place, nothing('No day of it is over yet, or nobody played. ', h('a', { href: '/daily' }, 'Play today’s deal'), ' to be in it.'));
      return;
    }
    const own = table.own && !lines.some((/** @type {Message} */ each) => each.name === table.own.name) ? [table.own] : [];
    fill(place,
      grid(`The league of ${table.week}`, [
        { words: 'Place', number: true }, { words: 'Player', names: true }, { words: 'Points', number: true },
        ...table.days.map((/** @type {Message} */ each) => ({ words: dayWords(each.day, 'short'), number: true })),
      ], [...lines, ...own].map((/** @type {Message} */ line) => ({
        own: line.name === link.name,
        cells: [line.place, person(line.name), h('b', {}, line.points), ...line.days.map((/** @type {number | null} */ points) => points ?? h('span', { class: 'quiet' }, '–'))],
      })), { isCaptionSpoken: true }),
      pager({ offset, limit: Math.max(LIMIT, lines.length), total: table.total, onTurn: async (to) => {
        await show(to);
        focusTable(place);
      } }));
  };
  who.addEventListener('change', () => show(0));
  const table = await asked(0);
  draw(table, 0);
  const today = new Date(Date.now() + link.offset).toISOString().slice(0, 10).replaceAll('-', '');
  const monday = table.days[0]?.day ?? '';
  const weekLink = (/** @type {number} */ days, /** @type {string} */ words) => {
    const week = weekOf(dayAfter(monday, days));
    return h('a', { href: `/league/${week}`, class: 'button' }, `${words}: ${week}`);
  };
  return {
    title: `League ${table.week}`,
    node: h('div', { class: 'wide' },
      h('h1', {}, `The league of ${table.week}`),
      h('p', {}, 'Seven daily deals, points for places: 25 for the first, 20 for the second, 16, 13, 11, 10, and one less each down to 1. ',
        'A day counts when it is over. ', h('a', { href: '/daily' }, 'Today’s deal')),
      h('ol', { class: 'week' }, table.days.map((/** @type {Message} */ each) => h('li', { class: each.is_over ? 'is-over' : '' },
        h('span', { class: 'quiet' }, dayWords(each.day, 'short')),
        h('a', { href: each.is_over ? `/daily/${each.day}` : `/games/${each.game}` }, games.title(each.game)),
        h('span', { class: 'quiet' }, each.is_over ? counted(each.played ?? 0, 'player') : each.day === today ? 'today' : 'to come')))),
      h('div', { class: 'spread' }, h('h2', {}, table.is_over ? 'The table' : 'The table so far'), h('div', { class: 'sieves' }, field('Who', who))),
      place,
      h('p', { class: 'row' }, weekLink(-7, 'Before'), params[0] && table.is_over ? weekLink(7, 'After') : null)),
  };
}
