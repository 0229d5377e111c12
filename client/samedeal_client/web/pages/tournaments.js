/** The tournaments: those one has to do with first, then those that run, that one can enter, and the past. */

import { h, keyed } from '../dom.js';
import { countdown, tick } from '../cups/draw.js';
import { sortedCards } from '../cups/lists.js';
import { FORMATS, phaseText } from '../cups/words.js';
import { ApiFault, get } from '../net/api.js';
import { Refusal } from '../net/link.js';
import { catalogue } from '../parts/catalogue.js';
import { nothing } from '../parts/said.js';
import { counted, when } from '../words.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('../router.js').Context} Context */

const REFRESH_MS = 5000;

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const games = await catalogue();
  const page = new TournamentsPage(context, (key) => games.title(key));
  await page.refresh();
  page.keepFresh();
  return { title: 'Tournaments', node: page.node, close: () => page.close() };
}

class TournamentsPage {
  /** @type {number | undefined} */
  #again;

  /**
   * @param {Context} context
   * @param {(key: string) => string} gameName
   */
  constructor(context, gameName) {
    this.context = context;
    this.gameName = gameName;
    this.lists = h('div', {});
    this.node = h('div', { class: 'wide cups' },
      h('div', { class: 'spread' }, h('h1', {}, 'Tournaments'), h('a', { class: 'button primary', href: '/tournaments/new' }, 'Host a tournament')),
      this.lists);
    this.ticking = setInterval(() => tick(this.node, Date.now() + context.link.offset), 1000);
  }

  async refresh() {
    const { link, signal } = this.context;
    const [now, past] = await Promise.all(['tournaments', 'tournaments?over=yes'].map((path) => get(path, { signal })));
    /** @type {Message[]} */
    let mine = [];
    if (link.token !== null || link.state === 'up') {
      try {
        mine = (await link.ask('list-tournaments', { mine: true, over: true })).tournaments;
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault;
      }
    }
    this.#draw(sortedCards(now.tournaments, past.tournaments, mine));
  }

  /** Asks again and again, until the page is left. */
  keepFresh() {
    this.#again = window.setTimeout(async () => {
      try {
        await this.refresh();
      } catch (fault) {
        if (this.context.signal.aborted) return;
        if (!(fault instanceof ApiFault)) throw fault;
      }
      this.keepFresh();
    }, REFRESH_MS);
  }

  close() {
    clearInterval(this.ticking);
    clearTimeout(this.#again);
  }

  /** @param {import('../cups/lists.js').Group[]} groups */
  #draw(groups) {
    if (!groups.length) {
      this.lists.replaceChildren(nothing('No tournament is announced. ', h('a', { href: '/tournaments/new' }, 'Host one'), ': it takes a minute.'));
      return;
    }
    this.lists.querySelector(':scope > .nothing')?.remove();
    keyed(this.lists, groups, ({ title }) => title, ({ title, cards }, old) => {
      const group = old ?? h('section', { 'aria-label': title }, h('h2', {}, title), h('ul', { class: 'cards' }));
      keyed(/** @type {Element} */ (group.querySelector('ul')), cards, (card) => card.tournament, (card, before) => this.#card(card, before));
      return group;
    });
    tick(this.node, Date.now() + this.context.link.offset);
  }

  /**
   * @param {Message} card
   * @param {HTMLElement | null} old
   */
  #card(card, old) {
    const said = JSON.stringify(card);
    if (old?.dataset.said === said) return old;
    const { head } = card;
    const cap = card.cap < 512 ? ` of ${card.cap}` : '';
    const isAhead = ['announced', 'check-in'].includes(head.phase);
    const games = card.games.length > 3 ? counted(card.games.length, 'game') : card.games.map(this.gameName).join(', ');
    return h('li', { class: `sheet cup-card ${head.phase}`, 'data-said': said },
      h('h3', {}, h('a', { href: `/t/${card.tournament}`, class: 'whole' }, card.name)),
      h('p', { class: 'quiet' }, `${FORMATS[card.format]?.words ?? card.format} · ${games}`),
      h('p', { class: 'row' }, h('span', { class: `chip ${head.phase === 'running' ? 'live' : ''}` }, `${head.phase === 'running' ? '● ' : ''}${phaseText(head)}`),
        h('span', {}, `${card.players}${cap} ${card.players === 1 && !cap ? 'player' : 'players'}`)),
      card.champion ? h('p', {}, '★ won by ', h('b', {}, card.champion)) : null,
      isAhead ? h('p', { class: 'quiet' }, card.starts ? [h('span', {}, `${when(card.starts)}, in `), countdown(card.starts)] : `${card.host} starts it`) : null,
      h('p', { class: 'quiet host' }, `hosted by ${card.host}`));
  }
}
