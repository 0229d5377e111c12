/** The first page: what this is, three ways into a race, and what goes on now. */

import { fill, h, keyed } from '../dom.js';
import { ApiFault, get } from '../net/api.js';
import { catalogue } from '../parts/catalogue.js';
import { choice, field } from '../parts/fields.js';
import { keep, kept } from '../parts/kept.js';
import { picture } from '../parts/picture.js';
import { placeOf } from '../parts/place.js';
import { RIVALS, isRival, raceBot } from '../parts/quick.js';
import { OWN_PLACE, endingWords } from '../parts/own.js';
import { drawRaces, goesOn, ownState } from '../parts/races.js';
import { Fault, deedButton, nothing, refusal } from '../parts/said.js';
import { counted, span } from '../words.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../parts/catalogue.js').Catalogue} Catalogue */
/** @typedef {import('../net/link.js').Message} Message */

const REFRESH_MS = 4000;
/** Which refresh looks at what changes seldom as well. */
const SELDOM = 8;
/** How long the page waits for one's own races, which stand above all else, before it is shown. */
const PATIENCE_MS = 1500;
const SHOWN_TOURNAMENTS = 4;
const SHOWN_RACES = 5;
const SHOWN_PAST = 3;
/** Short, soon told, and won now and then by a bot. */
const USUAL_GAME = 'small-billee';

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const games = await catalogue();
  const news = new News(context, games);
  await Promise.race([news.refresh(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  news.keepFresh();
  const hero = h('div', { class: 'hero' },
    h('div', { class: 'hero-words' },
      h('h1', {}, 'The same deal for everyone. Who brings it home first?'),
      h('p', { class: 'intro' }, 'samedeal is solitaire as a race: all get the same cards at the same instant, and whoever first brings '
        + 'all of them home, as a rule onto the foundations, wins. The server checks every move.')),
    h('div', { class: 'ways' }, botWay(context, games), codeWay(context), newWay()));
  const now = h('div', { class: 'home-now' },
    h('section', { class: 'home-races', 'aria-labelledby': 'races-now' },
      h('h2', { id: 'races-now' }, 'Races now'), news.trouble, news.races, news.noRaces),
    h('div', { class: 'home-side' }, news.past, news.today, news.cups));
  return { title: 'samedeal', node: h('div', { class: 'wide home' }, news.own, hero, now), close: () => news.close() };
}

// --- ways in ---

/**
 * @param {Context} context
 * @param {Catalogue} games
 */
function botWay(context, games) {
  const { link, go } = context;
  const keys = games.briefs.map((game) => game.key);
  const fault = new Fault();
  const game = choice('game', games.briefs.map(({ key, name }) => [key, name]), kept('game', keys, keys.includes(USUAL_GAME) ? USUAL_GAME : keys[0] ?? ''));
  const rival = choice('rival', Object.entries(RIVALS).map(([key, { words }]) => [key, words]), kept('rival', Object.keys(RIVALS), 'greedy'));
  const image = h('div', { class: 'way-picture' });
  const show = () => image.replaceChildren(picture(context, game.value));
  game.addEventListener('change', () => {
    keep('game', game.value);
    show();
  });
  rival.addEventListener('change', () => keep('rival', rival.value));
  show();
  const race = deedButton('Race a bot now', fault, async () => {
    if (!isRival(rival.value)) return;
    keep('game', game.value);
    go(`/r/${await raceBot(link, { game: game.value, rival: rival.value })}`);
  }, { kind: 'primary big', type: 'submit' });
  return h('form', { class: 'sheet way way-bot' },
    image,
    h('div', {},
      h('h2', {}, 'Try it against a bot'),
      h('p', { class: 'quiet' }, 'Nothing to sign up for. The race starts in a few seconds.'),
      h('div', { class: 'fields' }, field('Game', game), field('Rival', rival)),
      h('div', { class: 'row' }, race), fault.node));
}

/** @param {Context} context */
function codeWay({ go }) {
  const fault = new Fault();
  const input = h('input', { type: 'text', name: 'code', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true, placeholder: 'k7m2-x9qd-4vtz' });
  const join = deedButton('Join', fault, async () => {
    const place = placeOf(input.value);
    if (place === null) {
      fault.say('Paste a link to a race, or type its code: letters, digits and dashes.');
      input.focus();
      return;
    }
    await isThere(place);
    go(place);
  }, { type: 'submit' });
  return h('form', { class: 'sheet way', novalidate: true },
    h('h2', {}, 'Join by code'),
    field('Code or link', input, 'Whoever opened the race has both.'),
    h('div', { class: 'row' }, join), fault.node);
}

function newWay() {
  return h('section', { class: 'sheet way' },
    h('h2', {}, 'Open a race'),
    h('p', { class: 'quiet' }, 'For friends or for all: choose a game and how it is raced, then hand on the link.'),
    h('p', { class: 'row' }, h('a', { href: '/new', class: 'button' }, 'New race'), h('a', { href: '/games' }, 'Look at the games')));
}

/**
 * @param {string} place
 * @throws {ApiFault} if nothing is there; one that only its own may see is there
 */
async function isThere(place) {
  const [, kind, code] = place.split('/');
  try {
    await get(`${kind === 't' ? 'tournaments' : 'races'}/${code}`);
  } catch (fault) {
    if (!(fault instanceof ApiFault)) throw fault;
    if (fault.code.startsWith('no-such') || fault.code === 'unreachable') throw fault;
  }
}

// --- what goes on ---

/** What changes while the page is open. */
class News {
  /**
   * @param {Context} context
   * @param {Catalogue} games
   */
  constructor(context, games) {
    this.context = context;
    this.games = games;
    this.own = h('section', { class: 'own-races', 'aria-label': 'Your races', hidden: true });
    this.races = h('ul', { class: 'race-list' });
    this.noRaces = nothing('No race is open to all just now. ', h('a', { href: '/new' }, 'Open one'), ', or race a bot until somebody comes.');
    this.trouble = h('p', { class: 'fault', hidden: true });
    this.past = h('section', { class: 'sheet', hidden: true });
    this.today = h('section', { class: 'sheet' });
    this.cups = h('section', { class: 'sheet' });
    /** @type {number | undefined} */
    this.timer = undefined;
    this.isBusy = false;
    this.looks = 0;
  }

  keepFresh() {
    this.timer = window.setInterval(() => {
      if (document.visibilityState === 'visible' && !this.isBusy) this.refresh();
    }, REFRESH_MS);
  }

  close() {
    clearInterval(this.timer);
  }

  async refresh() {
    this.isBusy = true;
    const isFull = this.looks++ % SELDOM === 0;
    try {
      await Promise.all([
        this.#look(this.trouble, () => this.#races()),
        this.#look(null, () => this.#own()),
        ...(isFull ? [this.#look(this.today, () => this.#today()), this.#look(this.cups, () => this.#cups())] : []),
      ]);
    } finally {
      this.isBusy = false;
    }
  }

  /**
   * What cannot be told now stays as it was; what was never told says why.
   *
   * @param {HTMLElement | null} place
   * @param {() => Promise<void>} deed
   */
  async #look(place, deed) {
    try {
      await deed();
    } catch (fault) {
      if (this.context.signal.aborted) return;
      const words = refusal(fault);
      if (place === null || (place !== this.trouble && place.hasChildNodes())) return;
      fill(place, words);
      place.hidden = false;
    }
  }

  async #races() {
    const { races } = await get('races', { signal: this.context.signal });
    const free = [...races].sort((one, other) => order(one) - order(other) || other.opened_at - one.opened_at);
    drawRaces(this.races, free, { games: this.games, me: this.context.link.name });
    this.trouble.hidden = true;
    this.noRaces.hidden = free.length > 0;
  }

  /** One's own races; a guest who has never played has none, and is not made one by looking. */
  async #own() {
    const { link } = this.context;
    if (link.token === null) return;
    const { races } = await link.ask('mine');
    this.#past(/** @type {Message[]} */ (races).filter((card) => card.phase === 'over' && card.standing));
    const going = /** @type {Message[]} */ (races).filter((card) => goesOn(card, link.name)).slice(0, SHOWN_RACES);
    const own = await Promise.all(going.map(async (card) => ({ card, standing: await this.#standing(card) })));
    const shown = own.filter(({ card, standing }) => !(isDone(standing) && card.terms.mode === 'async'));
    this.own.hidden = shown.length === 0;
    keyed(this.own, shown, ({ card }) => card.race, ({ card, standing }, old) => {
      const line = old ?? h('div', { class: 'own-race' }, h('p', {}), h('a', { class: 'button primary', href: `/r/${card.race}` }, 'Back to your race'));
      fill(/** @type {Element} */ (line.firstElementChild), h('b', {}, this.games.title(card.terms.game)), ` · ${ownState(card, standing)}`);
      return line;
    });
  }

  /** @param {Message[]} cards  one's own races that are over */
  #past(cards) {
    const shown = cards.slice(0, SHOWN_PAST);
    const key = shown.map((card) => card.race).join();
    if (shown.length === 0 || this.past.dataset.said === key) return;
    this.past.dataset.said = key;
    this.past.hidden = false;
    this.#put(this.past, 'Your races',
      h('ul', { class: 'plain' }, shown.map((card) => h('li', {},
        h('a', { href: `/r/${card.race}` }, this.games.title(card.terms.game)), ' ', h('span', { class: 'quiet' }, endingWords(card))))),
      h('p', {}, h('a', { href: `/players/${encodeURIComponent(this.context.link.name ?? '')}#${OWN_PLACE}` }, 'All of them, with replays')));
  }

  /** @param {Message} card */
  async #standing(card) {
    if (card.phase !== 'running') return undefined;
    const sheet = await this.context.link.ask('results', { race: card.race });
    return sheet.standings.find((/** @type {Message} */ each) => each.name === this.context.link.name);
  }

  async #today() {
    const { link, signal } = this.context;
    const sheet = link.token === null || link.state !== 'up'
      ? await get('daily', { signal })
      : await link.ask('daily').catch(() => get('daily', { signal }));
    const said = /** @type {Record<string, string>} */ ({
      entered: 'Your place in it is kept.', playing: 'Your clock runs.', played: 'You have played it.',
    })[sheet.attempt ?? 'none'];
    const left = sheet.closes_in_ms ? `, ${span(Math.ceil(sheet.closes_in_ms / 60_000) * 60)} left` : '';
    const key = [sheet.day, sheet.attempt, sheet.played, left].join();
    if (this.today.dataset.said === key) return;
    this.today.dataset.said = key;
    this.#put(this.today, 'Today’s deal',
      h('p', {}, h('b', {}, this.games.title(sheet.game)), ` · ${counted(sheet.played ?? 0, 'player')} so far${left}`),
      h('p', { class: 'quiet' }, said ?? 'One deal a day for everybody, one attempt each.'),
      h('p', {}, h('a', { href: '/daily', class: 'button' }, sheet.attempt === 'played' ? 'See how others did' : 'To today’s deal')));
  }

  async #cups() {
    const { tournaments } = await get('tournaments', { signal: this.context.signal });
    const key = JSON.stringify(tournaments);
    if (this.cups.dataset.said === key) return;
    this.cups.dataset.said = key;
    const lines = /** @type {Message[]} */ (tournaments).slice(0, SHOWN_TOURNAMENTS);
    this.#put(this.cups, 'Tournaments',
      lines.length === 0
        ? nothing('None is announced. ', h('a', { href: '/tournaments/new' }, 'Announce one'), '.')
        : h('ul', { class: 'plain' }, lines.map((each) => h('li', {},
          h('a', { href: `/t/${each.tournament}` }, each.name), ' ',
          h('span', { class: 'quiet' }, `${each.format.replaceAll('-', ' ')}, ${counted(each.players, 'player')}`)))),
      tournaments.length > lines.length ? h('p', {}, h('a', { href: '/tournaments' }, `All ${tournaments.length} tournaments`)) : null);
  }

  /**
   * @param {HTMLElement} section
   * @param {string} heading
   * @param {...import('../dom.js').Child} children
   */
  #put(section, heading, ...children) {
    const hadFocus = section.contains(document.activeElement);
    section.replaceChildren(h('h2', {}, heading), ...children.filter((each) => each instanceof Node));
    if (hadFocus) section.querySelector('a')?.focus();
  }
}

/** Those that one may enter come first. @param {Message} card */
function order({ phase, terms }) {
  if (phase === 'open') return 0;
  return terms.mode === 'async' ? 1 : 2;
}

/** @param {Message | undefined} standing */
function isDone(standing) {
  return standing !== undefined && !['entered', 'ready', 'racing'].includes(standing.state);
}
