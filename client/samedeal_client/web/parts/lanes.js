/** The race as lanes: one line an entrant, its bar as long as its cards home; one's own on top. */

import { fill, h, keyed } from '../dom.js';
import { clock, counted, stateWords } from '../words.js';

/** @typedef {import('../net/race.js').Entrant} Entrant */

const SHOWN = 8;

/**
 * The entrants as lanes are ordered: finishers by time, then the others by cards home.
 *
 * @param {Iterable<Entrant>} entrants
 * @returns {Entrant[]}
 */
export function ranked(entrants) {
  return [...entrants]
    .filter((each) => each.state !== 'withdrawn')
    .sort((a, b) => (a.elapsed_ms ?? Infinity) - (b.elapsed_ms ?? Infinity)
      || (b.home ?? -1) - (a.home ?? -1) || a.entrant - b.entrant);
}

/**
 * How one entrant stands to the best of the others, in words.
 *
 * @param {Entrant} entrant
 * @param {Iterable<Entrant>} entrants
 * @returns {string} '' where it is not known
 */
export function gapWords(entrant, entrants) {
  const others = [...entrants].filter((each) => each.entrant !== entrant.entrant && each.home !== null);
  if (entrant.home === null || !others.length) return '';
  const best = Math.max(...others.map((each) => each.home ?? 0));
  if (entrant.home === best) return 'level with the leader';
  return entrant.home > best
    ? `${counted(entrant.home - best, 'card')} ahead` : `${counted(best - entrant.home, 'card')} behind`;
}

/** The lanes of a race; `draw` shows how it stands now. */
export class Lanes {
  /**
   * @param {import('../net/race.js').Race} race
   * @param {{onPick?: (entrant: number) => void, isFixed?: boolean}} [how]  what a click on a lane does; whether lanes keep their places
   */
  constructor(race, { onPick, isFixed = false } = {}) {
    this.race = race;
    this.onPick = onPick;
    this.isFixed = isFixed;
    this.list = h('ol', { class: 'lanes' });
    this.more = h('p', { class: 'quiet more', hidden: true });
    this.node = h('section', { class: 'lanes-box', 'aria-label': 'Lanes' }, this.list, this.more);
  }

  draw() {
    const { race } = this;
    const goal = race.game.goal;
    let lanes = this.isFixed
      ? [...race.entrants.values()].filter((each) => each.state !== 'withdrawn') : ranked(race.entrants.values());
    const leader = Math.max(0, ...lanes.map((each) => each.home ?? 0));
    lanes = [...lanes.filter((each) => each.entrant === race.you), ...lanes.filter((each) => each.entrant !== race.you)];
    const rest = Math.max(0, lanes.length - SHOWN);
    keyed(this.list, lanes.slice(0, SHOWN), (each) => String(each.entrant), (each, old) => this.#lane(each, old, goal, leader));
    this.more.hidden = rest === 0;
    fill(this.more, `and ${rest} more`);
  }

  /**
   * @param {Entrant} each
   * @param {HTMLElement | null} old
   * @param {number} goal
   * @param {number} leader
   */
  #lane(each, old, goal, leader) {
    const lane = old ?? this.#blank(each);
    const isOwn = each.entrant === this.race.you;
    const isLobby = each.state === 'entered' || each.state === 'ready';
    const home = isLobby ? 0 : each.home;
    lane.classList.toggle('own', isOwn);
    lane.classList.toggle('away', each.away);
    lane.style.setProperty('--done', String((home ?? 0) / goal));
    const [name, tail] = /** @type {HTMLElement[]} */ ([lane.querySelector('.name'), lane.querySelector('.tail')]);
    fill(name, each.name, each.bot ? h('span', { class: 'quiet' }, ' bot') : null, isOwn ? h('span', { class: 'spoken' }, ' (you)') : null);
    fill(tail, ...this.#tail(each, goal, leader));
    return lane;
  }

  /** @param {Entrant} each */
  #blank(each) {
    const inside = [h('span', { class: 'name' }), h('span', { class: 'bar', 'aria-hidden': 'true' }), h('span', { class: 'tail' })];
    const pick = this.onPick;
    if (pick === undefined) return h('li', { class: 'lane' }, inside);
    return h('li', { class: 'lane' }, h('button', { type: 'button', class: 'lane-pick', onclick: () => pick(each.entrant) }, inside));
  }

  /**
   * @param {Entrant} each
   * @param {number} goal
   * @param {number} leader
   * @returns {(string | HTMLElement)[]}
   */
  #tail(each, goal, leader) {
    if (each.state === 'finished') return [`finished ${clock(each.elapsed_ms)}`];
    if (each.state === 'entered' || each.state === 'ready') return [stateWords(each.state)];
    if (each.home === null) return [each.away ? 'away' : stateWords(each.state)];
    const behind = leader - each.home;
    const parts = [h('span', { class: 'count' }, `${each.home}/${goal}`)];
    if (each.state !== 'racing' && each.state !== 'hidden') parts.push(h('span', { class: 'state' }, ` ${stateWords(each.state)}`));
    else if (each.away) parts.push(h('span', { class: 'state' }, ' away'));
    else if (behind > 0) parts.push(h('span', { class: 'quiet' }, ` −${behind}`));
    return parts;
  }
}
