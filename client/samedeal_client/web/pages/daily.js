/** A day's deal: playing it, who did how as far as one may know, and the days around it. */

import { fill, h } from '../dom.js';
import { ApiFault, get } from '../net/api.js';
import { Refusal } from '../net/link.js';
import { catalogue } from '../parts/catalogue.js';
import { choice, field } from '../parts/fields.js';
import { dayAfter, dayWords } from '../parts/days.js';
import { focusTable, grid, pager } from '../parts/grid.js';
import { picture } from '../parts/picture.js';
import { Fault, deedButton, nothing, person, refusal } from '../parts/said.js';
import { clock, counted, stateWords } from '../words.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('../parts/catalogue.js').Catalogue} Catalogue */

const LIMIT = 20;
const TICK_MS = 1000;

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const page = new Day(context, await catalogue());
  const sheet = await page.load(0);
  return { title: context.params[0] ? `The deal of ${dayWords(sheet.day)}` : 'Daily deal', node: page.node, close: () => page.close() };
}

class Day {
  /**
   * @param {Context} context
   * @param {Catalogue} games
   */
  constructor(context, games) {
    this.context = context;
    this.games = games;
    this.day = context.params[0] || null;
    this.node = h('div', { class: 'wide daily-page' });
    this.left = h('b', { class: 'number' });
    this.who = choice('bots', [['', 'People'], ['true', 'Bots']], '');
    this.who.addEventListener('change', () => this.#reload(0));
    this.board = h('div', { class: 'board-place' });
    this.ends = 0;
    this.ticking = window.setInterval(() => this.#tick(), TICK_MS);
  }

  close() {
    clearInterval(this.ticking);
  }

  /**
   * @param {number} offset
   * @returns {Promise<Message>}
   */
  async load(offset) {
    const sheet = await this.#asked(offset);
    this.ends = performance.now() + (sheet.closes_in_ms ?? 0);
    this.#drawBoard(sheet, offset);
    if (!this.node.hasChildNodes()) this.#draw(sheet);
    this.#tick();
    return sheet;
  }

  /** @param {number} offset */
  async #reload(offset) {
    try {
      await this.load(offset);
    } catch (fault) {
      if (!this.context.signal.aborted) fill(this.board, h('p', { class: 'fault', role: 'alert' }, refusal(fault)));
    }
  }

  /**
   * A guest who has never played is told what strangers are: looking makes nobody a player.
   *
   * @param {number} offset
   * @returns {Promise<Message>}
   */
  async #asked(offset) {
    const { link, signal } = this.context;
    const bots = this.who.value === 'true';
    if (link.token !== null) {
      try {
        return await link.ask('daily', { ...(this.day ? { day: this.day } : {}), bots, offset, limit: LIMIT });
      } catch (fault) {
        if (fault instanceof Refusal) throw new ApiFault(fault.code, fault.message);
        throw fault;
      }
    }
    return get(`daily${this.day ? `/${this.day}` : ''}${bots ? '/bots' : ''}`, { signal });
  }

  /** @param {Message} sheet */
  #draw(sheet) {
    const title = this.games.title(sheet.game);
    const streak = sheet.streak ? h('li', { class: 'chip' }, `Your streak: ${counted(sheet.streak, 'day')}`) : null;
    this.node.append(
      h('p', { class: 'crumb' }, sheet.is_over ? [h('a', { href: '/daily' }, 'Today’s deal'), ' / '] : null, dayWords(sheet.day)),
      h('h1', {}, sheet.is_over ? `The deal of ${dayWords(sheet.day)}` : 'Today’s deal'),
      h('div', { class: 'game-top' }, this.#picture(sheet),
        h('div', { class: 'sheet day-deed' },
          h('h2', {}, title),
          h('p', {}, h('a', { href: `/games/${sheet.game}` }, 'Rules')),
          h('ul', { class: 'chips', 'aria-label': 'About this deal' }, h('li', { class: 'chip' }, `${counted(sheet.played ?? 0, 'player')}${sheet.is_over ? '' : ' so far'}`), streak),
          sheet.is_over ? this.#proof(sheet) : this.#play(sheet))),
      h('section', {},
        h('div', { class: 'spread' }, h('h2', {}, 'Who did how'), sheet.is_hidden ? null : h('div', { class: 'sieves' }, field('Who', this.who))), this.board),
      this.#around(sheet),
      h('section', { class: 'rules' }, h('h2', {}, 'How it works'),
        h('ul', {},
          h('li', {}, 'One deal a day for everybody, from 0:00 to 24:00 UTC, and one attempt each. Your clock starts when you open the deal.'),
          h('li', {}, 'An attempt takes an hour at most. No hints; no move is taken back past a card that it showed.'),
          h('li', {}, 'How the others did is hidden until you have played or the day is over.'),
          h('li', {}, 'Each day gives points for the league of its week. It is unrated.'))));
  }

  /**
   * The game, not the deal: of today's nobody sees a card before they open it.
   *
   * @param {Message} sheet
   */
  #picture(sheet) {
    const title = this.games.title(sheet.game);
    const words = sheet.is_over ? `${title}, with other cards than that day’s.` : `${title}, with other cards than today’s: those you see when you open the deal.`;
    return h('figure', { class: 'pictured' }, picture(this.context, sheet.game), h('figcaption', { class: 'quiet' }, words));
  }

  /** @param {Message} sheet */
  #play(sheet) {
    const { link, go } = this.context;
    const fault = new Fault();
    const words = /** @type {Record<string, string>} */ ({ entered: 'To your place', playing: 'Back to your attempt', played: 'Look at your attempt' });
    const attempt = sheet.attempt ?? 'none';
    const deed = deedButton(words[attempt] ?? 'Play today’s deal', fault, async () => {
      if (attempt !== 'none' && sheet.race) {
        go(`/r/${sheet.race}`);
        return;
      }
      const { race } = await link.ask('daily', { join: true });
      await link.ask('join', { race });
      go(`/r/${race}`);
    }, { kind: attempt === 'played' ? '' : 'primary big' });
    return h('div', {},
      h('p', {}, 'Time left today: ', this.left),
      attempt === 'none' ? h('p', { class: 'quiet' }, 'You take a place first; your clock starts only when you open the deal.') : null,
      h('p', { class: 'row' }, deed), fault.node);
  }

  /** @param {Message} sheet */
  #proof(sheet) {
    if (!sheet.seed) return h('p', { class: 'quiet' }, 'Nobody asked for this deal, so it was never drawn.');
    return h('div', {},
      h('p', { class: 'row' }, h('a', { href: `/practice/${sheet.game}?seed=${encodeURIComponent(sheet.seed)}`, class: 'button' }, 'Practise this deal')),
      h('details', {}, h('summary', {}, 'Check the deal'),
        h('p', { class: 'quiet' }, 'SHA-256 of seed and salt is what every room showed from the beginning.'),
        h('dl', { class: 'facts' },
          h('dt', {}, 'Seed'), h('dd', { class: 'code' }, sheet.seed),
          h('dt', {}, 'Salt'), h('dd', { class: 'code' }, sheet.salt),
          h('dt', {}, 'Commitment'), h('dd', { class: 'code' }, sheet.commitment))));
  }

  /**
   * @param {Message} sheet
   * @param {number} offset
   */
  #drawBoard(sheet, offset) {
    const lines = sheet.lines ?? [];
    if (sheet.is_hidden) {
      fill(this.board, nothing('Hidden until you have played, so that nobody knows what there is to beat.'));
    } else if (lines.length === 0) {
      fill(this.board, nothing(sheet.is_over ? 'Nobody played it.' : 'Nobody has played it yet.'));
    } else {
      const own = sheet.own && !lines.some((/** @type {Message} */ each) => each.name === sheet.own.name) ? [sheet.own] : [];
      fill(this.board,
        grid('Who did how', [{ words: 'Place', number: true }, { words: 'Player', names: true }, { words: 'Result', number: true }, { words: 'Home', number: true }, { words: 'Moves', number: true }, { words: 'Replay' }],
          [...lines, ...own].map((/** @type {Message} */ line) => ({
            own: line.name === this.context.link.name,
            cells: [
              line.place, person(line.name), line.elapsed_ms ? clock(line.elapsed_ms, { tenths: true }) : stateWords(line.state), line.home, line.moves,
              sheet.is_over ? h('a', { href: `/r/${line.race}/replay`, 'aria-label': `Replay of ${line.name}` }, 'Replay') : h('span', { class: 'quiet' }, 'after the day'),
            ],
          })), { isCaptionSpoken: true }),
        pager({ offset, limit: Math.max(LIMIT, lines.length), total: sheet.played ?? lines.length, onTurn: async (to) => {
          await this.#reload(to);
          focusTable(this.board);
        } }));
    }
  }

  /** The days before and after, and the league that all of them count for. @param {Message} sheet */
  #around(sheet) {
    const to = (/** @type {string} */ day) => h('a', { href: `/daily/${day}`, class: 'button' }, dayWords(day, 'short'));
    const before = [5, 4, 3, 2, 1].map((days) => to(dayAfter(sheet.day, -days)));
    return h('nav', { class: 'day-nav', 'aria-label': 'Other days' },
      h('h2', {}, 'Other days'),
      h('p', { class: 'row' }, before, sheet.is_over ? [to(dayAfter(sheet.day, 1)), h('a', { href: '/daily', class: 'button' }, 'Today')] : null),
      h('p', {}, h('a', { href: `/league/${sheet.week}` }, `The league of ${sheet.week}`)));
  }

  #tick() {
    const left = this.ends - performance.now();
    fill(this.left, left > 0 ? clock(left) : 'over – the next one has begun');
  }
}
