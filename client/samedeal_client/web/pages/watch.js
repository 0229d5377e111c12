/** A race for who watches: boards side by side or one large, lanes, and what has happened. */

import { fill, h } from '../dom.js';
import { Race, isDone } from '../net/race.js';
import { Boards } from '../parts/boards.js';
import { Chat } from '../parts/chat.js';
import { Countdown } from '../parts/countdown.js';
import { Feed, Leader } from '../parts/feed.js';
import { Hosting } from '../parts/hosting.js';
import { Lanes, ranked } from '../parts/lanes.js';
import { takenUp } from '../parts/taken.js';
import { clock, span } from '../words.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../router.js').Page} Page */

const GRID = 9;
const PATIENCE_MS = 5000;
const FEED = 60;

/**
 * @param {Context} context
 * @returns {Promise<Page>}
 */
export async function open(context) {
  const taken = await takenUp(context);
  return taken instanceof Race ? new WatchPage(context, taken).page() : taken;
}

/**
 * @param {Race} race
 * @returns {string} why there is no board
 */
function unseen({ phase, terms }) {
  if (phase !== 'running') return 'The boards come with the deal.';
  if (terms.blind) return 'This race is blind: how they do is shown when it is over.';
  if (terms.mode === 'async') return 'As long as others may enter, only the lanes are shown.';
  if (terms.spectators === 'progress') return 'This race shows spectators the lanes only.';
  return terms.delay ? `Everything is shown ${span(terms.delay)} late.` : 'No board to be seen yet.';
}

class WatchPage {
  /** Whom the visitor picked; null while the leader is followed. @type {number | null} */
  #picked = null;
  /** @type {'grid' | 'focus'} */
  #view = 'grid';
  #leader = new Leader(PATIENCE_MS);
  #isDue = false;
  /** @type {Map<number, string>} */
  #last = new Map();

  /**
   * @param {Context} context
   * @param {Race} race
   */
  constructor(context, race) {
    this.context = context;
    this.race = race;
    this.feed = new Feed(race.game.goal);
    this.boards = new Boards(race.game, context.settings);
    this.lanes = new Lanes(race, { onPick: (entrant) => this.#pick(entrant) });
    this.chat = new Chat(race);
    this.hosting = new Hosting(race);
    this.countdown = new Countdown(context, race);
    this.head = h('p', { class: 'lead', role: 'timer' });
    this.said = h('ol', { class: 'said feed', tabindex: '0', 'aria-label': 'What has happened' });
    this.grid = h('button', { type: 'button', onclick: () => this.#look('grid') }, 'All boards');
    this.focus = h('button', { type: 'button', onclick: () => this.#look('focus') }, 'One board');
    this.follow = h('input', { type: 'checkbox', checked: true, onchange: () => this.#follow() });
    this.lobby = h('a', { class: 'button', href: `/r/${race.code}` }, 'To the lobby');
    const delay = race.terms.delay ? ` · shown ${span(race.terms.delay)} late` : '';
    this.none = h('p', { class: 'quiet', hidden: true });
    this.node = h('div', { class: 'watch' },
      h('div', { class: 'watch-head' },
        h('h1', {}, race.game.name, h('small', { class: 'quiet' }, delay)), this.head,
        h('div', { class: 'row', role: 'group', 'aria-label': 'View' }, this.grid, this.focus, h('label', {}, this.follow, 'Follow the leader'),
          this.lobby)),
      h('div', { class: 'watch-boards' }, this.none, this.boards.node),
      h('aside', { class: 'side', 'aria-label': 'The race' }, this.lanes.node, this.said, this.chat.node, this.hosting.node),
      this.countdown.node);
  }

  /** @returns {Page} */
  page() {
    const { race, context } = this;
    const { signal } = context;
    race.addEventListener('change', () => this.#soon(), { signal });
    race.addEventListener('board', (event) => {
      const { entrant, move } = /** @type {CustomEvent} */ (event).detail;
      this.#last.set(entrant, move ?? '');
    }, { signal });
    race.addEventListener('told', (event) => this.#heard(/** @type {CustomEvent} */ (event).detail), { signal });
    context.fills(true);
    const ticking = window.setInterval(() => this.#tick(), 250);
    this.draw();
    return { title: `Watching ${race.game.name}`, node: this.node, close: () => {
      clearInterval(ticking);
      this.countdown.close();
      this.boards.close();
      race.close();
    } };
  }

  draw() {
    const { race, context } = this;
    if (race.isOver) {
      context.go(`/r/${race.code}`, { replace: true });
      return;
    }
    if (race.me?.state === 'racing') {
      // Whoever still plays has a table of their own.
      context.go(`/r/${race.code}`, { replace: true });
      return;
    }
    this.lobby.hidden = race.phase === 'running' && race.terms.mode !== 'async';
    const order = ranked(race.entrants.values());
    const first = order.find((each) => !isDone(each.state)) ?? order[0];
    const followed = this.#leader.at(first?.entrant ?? null, performance.now());
    const shown = this.#view === 'focus' ? order.filter((each) => each.entrant === (this.#picked ?? followed)) : order.slice(0, GRID);
    const seats = shown.filter((each) => race.boards.has(each.entrant)).sort((a, b) => a.entrant - b.entrant);
    this.boards.draw(seats.map((each) => ({
      key: each.entrant, name: each.name, state: each.state, home: each.home, elapsed_ms: each.elapsed_ms,
      position: race.boards.get(each.entrant) ?? null, last: this.#last.get(each.entrant),
    })));
    this.none.hidden = seats.length > 0;
    fill(this.none, unseen(race));
    this.grid.setAttribute('aria-pressed', String(this.#view === 'grid'));
    this.focus.setAttribute('aria-pressed', String(this.#view === 'focus'));
    this.lanes.draw();
    this.hosting.draw();
    this.chat.draw();
    this.#tick();
  }

  // --- within ---

  #soon() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      if (!this.context.signal.aborted) this.draw();
    });
  }

  #tick() {
    const { race } = this;
    const racing = [...race.entrants.values()].filter((each) => each.state === 'racing' || each.state === 'hidden').length;
    const elapsed = race.elapsed();
    fill(this.head, race.phase === 'running' ? `${elapsed === null ? '' : `${clock(elapsed)} · `}${racing} racing`
      : race.phase === 'countdown' ? `starts in ${clock(race.startsIn())}` : 'waiting for the start');
    this.countdown.draw();
  }

  /** @param {import('../net/link.js').Message} message */
  #heard(message) {
    for (const sentence of this.feed.heard(message, this.race.entrants)) {
      this.said.prepend(h('li', {}, h('span', { class: 'quiet number' }, this.race.elapsed() === null ? '' : clock(this.race.elapsed())), ' ', sentence));
      if (message.type === 'done' || message.type === 'over') this.context.say(sentence);
    }
    while (this.said.childElementCount > FEED) this.said.lastElementChild?.remove();
  }

  /** @param {number} entrant */
  #pick(entrant) {
    this.#picked = entrant;
    this.follow.checked = false;
    this.#look('focus');
  }

  #follow() {
    this.#picked = this.follow.checked ? null : this.#leader.shown;
    this.draw();
  }

  /** @param {'grid' | 'focus'} view */
  #look(view) {
    this.#view = view;
    this.draw();
  }
}
