/** One player: ratings, races, best times, streak, and the arithmetic of the last changes. */

import { fill, h } from '../dom.js';
import { get } from '../net/api.js';
import { catalogue } from '../parts/catalogue.js';
import { choice, field } from '../parts/fields.js';
import { course } from '../parts/course.js';
import { focusTable, grid, pager } from '../parts/grid.js';
import { ownRaces } from '../parts/own.js';
import { dayOf, nothing, person, provisional, refusal } from '../parts/said.js';
import { clock, counted, ordinal, stateWords, when } from '../words.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('../parts/catalogue.js').Catalogue} Catalogue */

/** Races that are shown at a time. */
const LIMIT = 10;
const HIDDEN = 'Races that are unlisted or behind a pass phrase are not shown to others.';

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const name = context.params[0] ?? '';
  const path = `players/${encodeURIComponent(name)}`;
  const { link } = context;
  const asked = [path, racesPath(path, 0)].map((each) => get(each, { signal: context.signal }));
  const [games, sheet, raced] = await Promise.all([catalogue(), ...asked]);
  const isMe = sheet.name === link.name;
  return {
    title: sheet.name,
    node: h('div', { class: 'wide player-page' },
      h('h1', {}, sheet.name, sheet.bot ? [' ', h('span', { class: 'tag' }, 'bot')] : null, isMe ? h('small', { class: 'quiet' }, ' (you)') : null),
      isMe ? h('p', {}, h('a', { href: '/settings' }, 'Change your name')) : null,
      ratings(sheet, games, isMe),
      isMe && link.token !== null ? ownRaces(context, games) : null,
      new Races(context, games, path, raced).node,
      h('div', { class: 'player-facts' }, bests(sheet, games), streak(sheet)),
      new Changes(context, games, path, sheet).node),
  };
}

/**
 * @param {Message} sheet
 * @param {Catalogue} games
 * @param {boolean} isMe
 */
function ratings(sheet, games, isMe) {
  const lines = sheet.ratings ?? [];
  const heading = h('h2', {}, 'Ratings');
  if (lines.length === 0) {
    return h('section', {}, heading, nothing('No rated race yet. ', isMe
      ? h('a', { href: '/new?preset=fair' }, 'Open a rated race') : 'Ratings begin with the first one.'));
  }
  return h('section', {}, heading,
    grid('Ratings', [{ words: 'Game', names: true }, { words: 'Points', number: true }, { words: 'Place', number: true }, { words: 'Races', number: true }, { words: 'Last race', isExtra: true }],
      lines.map((/** @type {Message} */ each) => ({
        cells: [
          each.game ? h('a', { href: `/games/${each.game}` }, games.title(each.game)) : h('b', {}, 'All games together'),
          [h('b', {}, each.points), h('span', { class: 'quiet' }, ` ± ${Math.round(each.sigma)}`)],
          each.place ?? provisional(), each.races, dayOf(each.last_at),
        ],
      })), { isCaptionSpoken: true }));
}

/**
 * @param {Message} sheet
 * @param {Catalogue} games
 */
function bests(sheet, games) {
  const lines = sheet.bests ?? [];
  const heading = h('h2', {}, 'Best times');
  if (lines.length === 0) return h('section', {}, heading, nothing('No finish yet.'));
  return h('section', {}, heading,
    grid('Best times', [{ words: 'Game', names: true }, { words: 'Time', number: true }, { words: 'When' }],
      lines.map((/** @type {Message} */ each) => ({
        cells: [
          h('a', { href: `/games/${each.game}` }, games.title(each.game)), clock(each.elapsed_ms, { tenths: true }),
          each.race ? h('a', { href: `/r/${each.race}/replay` }, dayOf(each.at)) : dayOf(each.at),
        ],
      })), { isCaptionSpoken: true }));
}

/** @param {Message} sheet */
function streak(sheet) {
  const found = sheet.streak;
  return h('section', {}, h('h2', {}, 'Streak'), found
    ? h('p', { class: 'big-number' }, h('b', {}, counted(found.current, 'day')), h('span', { class: 'quiet' }, ` in a row with a finish; longest ${counted(found.longest, 'day')}`))
    : nothing('A streak begins with a finish; each day in a row with one counts.'));
}

/**
 * @param {string} path  of the player
 * @param {number} offset
 */
function racesPath(path, offset) {
  return `${path}/races?limit=${LIMIT}&offset=${offset}`;
}

/** The races that are over, the newest first, some at a time. */
class Races {
  /**
   * @param {Context} context
   * @param {Catalogue} games
   * @param {string} path  of the player
   * @param {Message} raced  the newest
   */
  constructor(context, games, path, raced) {
    this.context = context;
    this.games = games;
    this.path = path;
    this.place = h('div');
    this.node = h('section', {}, h('h2', {}, 'Public races'), this.place);
    this.#draw(raced);
  }

  /** @param {number} offset */
  async #turn(offset) {
    try {
      this.#draw(await get(racesPath(this.path, offset), { signal: this.context.signal }));
      focusTable(this.place);
    } catch (fault) {
      if (!this.context.signal.aborted) fill(this.place, h('p', { class: 'fault', role: 'alert' }, refusal(fault)));
    }
  }

  /** @param {Message} raced */
  #draw({ races, total, offset = 0 }) {
    if (total === 0) {
      fill(this.place, nothing('No public race of this player is over yet. ', HIDDEN));
      return;
    }
    fill(this.place,
      grid('Races', [{ words: 'Race', names: true }, { words: 'Place', number: true }, { words: 'Result', number: true }, { words: 'Replay', isExtra: true }],
        races.map((/** @type {Message} */ each) => ({ cells: this.#line(each) })), { isCaptionSpoken: true }),
      pager({ offset, limit: LIMIT, total, onTurn: (to) => this.#turn(to) }),
      h('p', { class: 'quiet' }, HIDDEN));
  }

  /** @param {Message} race */
  #line({ race, game, at, place, of, state, elapsed_ms, rated }) {
    const title = this.games.title(game);
    return [
      [h('a', { href: `/r/${race}` }, title), h('span', { class: 'quiet below' }, `${when(at)}${rated ? ', rated' : ''}`)],
      of > 1 ? `${ordinal(place)} of ${of}` : h('span', { class: 'quiet' }, 'alone'),
      state === 'finished' ? clock(elapsed_ms, { tenths: true }) : stateWords(state),
      h('a', { href: `/r/${race}/replay`, 'aria-label': `Replay of ${title}, ${when(at)}` }, 'Replay'),
    ];
  }
}

/** The last changes of one rating, chosen by game. */
class Changes {
  /**
   * @param {Context} context
   * @param {Catalogue} games
   * @param {string} path  of the player
   * @param {Message} sheet
   */
  constructor(context, games, path, sheet) {
    this.context = context;
    this.games = games;
    this.path = path;
    this.place = h('div', { class: 'changes' });
    const played = (sheet.ratings ?? []).map((/** @type {Message} */ each) => /** @type {[string, string]} */ ([each.game ?? '', each.game ? games.title(each.game) : 'All games together']));
    const select = choice('game', played, '');
    select.addEventListener('change', () => this.#load(select.value));
    this.node = h('section', {}, h('h2', {}, 'Last changes'),
      played.length > 1 ? h('div', { class: 'sieves' }, field('Rating', select)) : null, this.place);
    this.#draw(sheet.changes ?? [], select.value);
  }

  /** @param {string} game */
  async #load(game) {
    try {
      const sheet = await get(game ? `${this.path}?game=${encodeURIComponent(game)}` : this.path, { signal: this.context.signal });
      this.#draw(sheet.changes ?? [], game);
    } catch (fault) {
      if (!this.context.signal.aborted) fill(this.place, h('p', { class: 'fault', role: 'alert' }, refusal(fault)));
    }
  }

  /**
   * @param {Message[]} all
   * @param {string} game
   */
  #draw(all, game) {
    const changes = all.filter((each) => (each.game ?? '') === game);
    if (changes.length === 0) {
      fill(this.place, nothing('Rated races will be listed here, with what each changed and why.'));
      return;
    }
    const values = [changes.at(-1)?.before ?? 0, ...changes.map((each) => each.after).reverse()];
    fill(this.place,
      course(values, `From ${Math.round(values[0])} to ${Math.round(values.at(-1) ?? 0)} points in ${counted(changes.length, 'race')}`),
      h('ol', { class: 'change-list' }, changes.map((each) => this.#change(each))));
  }

  /** @param {Message} change */
  #change(change) {
    const gain = signed(change.gain, 1);
    return h('li', { class: 'sheet' },
      h('div', { class: 'spread' },
        h('span', {}, h('b', { class: change.gain >= 0 ? 'gain' : 'loss' }, gain), ` to ${Math.round(change.after)}: ${ordinal(change.place)} of ${change.rivals.length + 1}`,
          change.game ? null : ''),
        h('span', { class: 'quiet' }, change.race ? h('a', { href: `/r/${change.race}` }, when(change.at)) : when(change.at))),
      h('details', {}, h('summary', {}, 'The arithmetic'),
        grid(`What each rival did to the rating, ${when(change.at)}`,
          [{ words: 'Rival', names: true }, { words: 'Result', number: true }, { words: 'Expected', number: true }, { words: 'Points', number: true }],
          change.rivals.map((/** @type {Message} */ rival) => ({
            cells: [person(rival.name), String(rival.actual), rival.expected.toFixed(3), signed(rival.points, 2)],
          })), { isCaptionSpoken: true }),
        h('p', { class: 'quiet' }, `${change.before.toFixed(2)} ${signed(change.gain, 2)} = ${change.after.toFixed(2)}. `
          + `How unsure it is: ${change.sigma_before.toFixed(1)} before, ${change.sigma_after.toFixed(1)} after.`)));
  }
}

/**
 * @param {number} value
 * @param {number} digits
 * @returns {string} with its sign
 */
function signed(value, digits) {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
}
