/** The boards: the strongest, the fastest, the steadiest, and the fastest on one deal. The address says which. */

import { readdress } from '../address.js';
import { fill, h } from '../dom.js';
import { get } from '../net/api.js';
import { catalogue } from '../parts/catalogue.js';
import { choice, field } from '../parts/fields.js';
import { focusTable, grid, pager } from '../parts/grid.js';
import { dayOf, nothing, person, provisional, refusal } from '../parts/said.js';
import { clock, counted } from '../words.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('../parts/grid.js').Column} Column */
/** @typedef {import('../parts/catalogue.js').Catalogue} Catalogue */

const LIMIT = 20;

/**
 * @typedef {object} Kind
 * @property {string} words
 * @property {string} about
 * @property {'any' | 'one' | 'none'} games  whether it is of a game
 * @property {readonly Column[]} columns
 * @property {(line: Message) => (import('../dom.js').Child | import('../dom.js').Child[])[]} cells
 */

const PLACE = { words: 'Place', number: true };
const PLAYER = { words: 'Player', names: true };
const TIMES = {
  columns: [PLACE, PLAYER, { words: 'Time', number: true }, { words: 'When' }, { words: 'Race' }],
  cells: (/** @type {Message} */ line) => [
    line.place, person(line.name), clock(line.elapsed_ms, { tenths: true }), dayOf(line.at),
    line.race
      ? [h('a', { href: `/r/${line.race}/replay` }, 'Replay'), line.attempt > 1 ? ` (their ${ordinalWord(line.attempt)} look at this deal)` : '']
      : h('span', { class: 'quiet' }, 'unlisted'),
  ],
};

/** @type {Record<string, Kind>} */
const KINDS = {
  rating: {
    words: 'Rating', about: 'The strongest by rated races. A rating without a place is provisional: too few races yet to be sure.', games: 'any',
    columns: [PLACE, PLAYER, { words: 'Points', number: true }, { words: 'Races', number: true }, { words: 'Last race', isExtra: true }],
    cells: (line) => [
      line.place ?? provisional(), person(line.name), line.points, line.races, dayOf(line.last_at),
    ],
  },
  fastest: { words: 'Fastest', about: 'Each player’s best time in a game, over all deals.', games: 'one', ...TIMES },
  streaks: {
    words: 'Streaks', about: 'The most days in a row with a finish, in whatever game. A day begins at 0:00 UTC.', games: 'none',
    columns: [PLACE, PLAYER, { words: 'Now', number: true }, { words: 'Longest', number: true }],
    cells: (line) => [line.place, person(line.name), counted(line.current, 'day'), counted(line.longest, 'day')],
  },
  deal: { words: 'One deal', about: 'Each player’s best time on the deal of a race that is over.', games: 'none', ...TIMES },
};

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const page = new Boards(context, await catalogue());
  await page.load();
  return { title: 'Leaderboards', node: page.node };
}

class Boards {
  /**
   * @param {Context} context
   * @param {Catalogue} games
   */
  constructor(context, games) {
    this.context = context;
    const { query } = context;
    const kind = query.get('board') ?? 'rating';
    this.kind = kind in KINDS ? kind : 'rating';
    this.offset = Math.max(0, Number(query.get('offset')) || 0);
    const keys = games.briefs.flatMap((game) => [game.key, ...game.variants.map((each) => each.key)]);
    this.first = keys[0] ?? '';
    const named = keys.map((key) => /** @type {[string, string]} */ ([key, games.title(key)]));
    this.anyGame = choice('game', [['', 'All games together'], ...named], query.get('game') ?? '');
    this.oneGame = choice('game', named, query.get('game') ?? '');
    this.who = choice('bots', [['', 'People'], ['true', 'Bots']], query.get('bots') ? 'true' : '');
    this.deal = h('input', { type: 'text', name: 'deal', value: query.get('deal') ?? '', autocomplete: 'off', spellcheck: 'false' });
    this.anyField = field('Game', this.anyGame);
    this.oneField = field('Game', this.oneGame);
    this.dealField = field('Code of the race', this.deal);
    this.showDeal = h('button', { type: 'submit' }, 'Show');
    for (const select of [this.anyGame, this.oneGame, this.who]) select.addEventListener('change', () => this.#turn(0));
    this.tabs = Object.entries(KINDS).map(([key, { words }]) =>
      h('button', { type: 'button', onclick: () => this.#choose(key) }, words));
    this.about = h('p', { class: 'quiet' });
    this.board = h('div', { class: 'board-place' });
    this.node = h('div', { class: 'wide' },
      h('h1', {}, 'Leaderboards'),
      h('div', { class: 'tabs', role: 'group', 'aria-label': 'Which board' }, this.tabs),
      this.about,
      h('form', { class: 'sieves', 'aria-label': 'What the board is about', onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#turn(0);
      } }, this.anyField, this.oneField, this.dealField, this.showDeal, field('Who', this.who)),
      this.board);
  }

  get #wanted() {
    const { games } = this.#shown;
    const game = games === 'any' ? this.anyGame.value : games === 'one' ? this.oneGame.value || this.first : '';
    return { game, deal: this.kind === 'deal' ? this.deal.value.trim() : '' };
  }

  get #shown() {
    return /** @type {Kind} */ (KINDS[this.kind]);
  }

  /** @param {string} kind */
  #choose(kind) {
    this.kind = kind;
    this.#turn(0);
  }

  /** @param {number} offset */
  #turn(offset) {
    this.offset = offset;
    const { game, deal } = this.#wanted;
    const said = new URLSearchParams({ board: this.kind });
    if (game) said.set('game', game);
    if (deal) said.set('deal', deal);
    if (this.who.value) said.set('bots', 'true');
    if (offset) said.set('offset', String(offset));
    readdress(`/leaderboards?${said}`);
    return this.load();
  }

  async load() {
    const shown = this.#shown;
    const { game, deal } = this.#wanted;
    Object.keys(KINDS).forEach((key, at) => this.tabs[at]?.setAttribute('aria-pressed', String(key === this.kind)));
    fill(this.about, shown.about);
    this.anyField.hidden = shown.games !== 'any';
    this.oneField.hidden = shown.games !== 'one';
    this.dealField.hidden = this.kind !== 'deal';
    this.showDeal.hidden = this.kind !== 'deal';
    if (this.kind === 'deal' && !deal) {
      fill(this.board, nothing('Which deal? Give the code of a race that is over: all who raced on the same seed are compared.'));
      return;
    }
    const path = `leaderboards/${this.kind}${game || deal ? `/${encodeURIComponent(game || deal)}` : ''}`;
    const asked = new URLSearchParams({ limit: String(LIMIT), offset: String(this.offset) });
    if (this.who.value) asked.set('bots', 'true');
    this.asked = `${path}?${asked}`;
    const mine = this.asked;
    try {
      const board = await get(mine, { signal: this.context.signal });
      if (mine === this.asked) this.#draw(board);
    } catch (fault) {
      if (this.context.signal.aborted || mine !== this.asked) return;
      fill(this.board, h('p', { class: 'fault' }, refusal(fault)));
    }
  }

  /** @param {Message} board */
  #draw(board) {
    const shown = this.#shown;
    if (board.lines.length === 0 && this.offset === 0) {
      fill(this.board, nothing('Nobody is on this board yet. ', h('a', { href: this.kind === 'rating' ? '/new?preset=fair' : '/new' }, 'Open a race'), ' and be the first.'));
      return;
    }
    const own = this.context.link.name;
    this.context.say(`${shown.words}: ${counted(board.total, 'player')}`);
    fill(this.board,
      grid(`${shown.words}: ${counted(board.total, 'player')}`, shown.columns,
        board.lines.map((/** @type {Message} */ line) => ({ own: line.name === own, cells: shown.cells(line) })), { isCaptionSpoken: true }),
      pager({ offset: this.offset, limit: LIMIT, total: board.total, onTurn: async (to) => {
        await this.#turn(to);
        focusTable(this.board);
      } }));
  }
}

/** @param {number} n */
function ordinalWord(n) {
  return /** @type {Record<number, string>} */ ({ 2: 'second', 3: 'third' })[n] ?? `${n}th`;
}
