/** A race that is over as a film: scrubber, speeds, boards side by side, the course of the race. */

import { readdress } from '../address.js';
import { fill, h, svg } from '../dom.js';
import { ApiFault, game as gameOf, get } from '../net/api.js';
import { Boards } from '../parts/boards.js';
import { captions, curve, frameAt, instants, lengthOf, marks, stepped } from '../parts/reel.js';
import { copied } from '../parts/share.js';
import { parse } from '../table/position.js';
import { clock } from '../words.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../router.js').Page} Page */
/** @typedef {import('../parts/reel.js').Run} Run */

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const SIDE_BY_SIDE = 4;
/** Paths in a box of 16: fonts lack these signs. */
const SIGNS = {
  first: 'M2 2h2.4v12H2zM14 2v12L5 8z',
  back: 'M12 2v12L3 8z',
  on: 'M4 2v12l9-6z',
  next: 'M11.6 2H14v12h-2.4zM2 2v12l9-6z',
};

/**
 * @param {Context} context
 * @returns {Promise<Page>}
 */
export async function open(context) {
  const [code] = /** @type {[string]} */ (context.params);
  const reel = await get(`races/${code}/reel`, { signal: context.signal }).catch((fault) => {
    if (fault instanceof ApiFault && fault.code === 'not-over') return null;
    throw fault;
  });
  return reel === null ? early(code) : new ReplayPage(context, code, reel, await gameOf(reel.terms.game)).page();
}

/**
 * @param {string} code  of a race that is not over
 * @returns {Page}
 */
function early(code) {
  return {
    title: 'Not over yet',
    node: h('div', { class: 'narrow' }, h('h1', {}, 'Not over yet'), h('p', {}, 'There is a replay when the race is over.'),
      h('p', { class: 'row' },
        h('a', { href: `/r/${code}`, class: 'button primary' }, 'To the race'),
        h('a', { href: `/r/${code}/watch`, class: 'button' }, 'Watch it'))),
  };
}

class ReplayPage {
  #at = 0;
  #isPlaying = false;
  #speed = 1;
  #before = 0;
  #due = 0;
  /** @type {Set<number>} */
  #chosen;
  /** @type {Map<number, {frame: number, position: import('../table/position.js').Position}>} */
  #positions = new Map();
  /** @type {number | undefined} */
  #noted;

  /**
   * @param {Context} context
   * @param {string} code
   * @param {import('../net/link.js').Message} reel
   * @param {any} game
   */
  constructor(context, code, reel, game) {
    this.context = context;
    this.code = code;
    this.game = game;
    /** @type {Run[]} */
    this.runs = reel.entrants.filter((/** @type {Run} */ run) => run.frames?.length);
    const order = (/** @type {Run} */ run) => reel.standings.findIndex((/** @type {any} */ line) => line.entrant === run.entrant);
    this.runs.sort((a, b) => order(a) - order(b));
    this.length = lengthOf(this.runs);
    this.instants = instants(this.runs);
    this.marks = marks(this.runs);
    this.captions = captions(this.runs);
    this.#chosen = new Set();
    this.#hear();
    this.boards = new Boards(game, context.settings);
    this.slider = h('input', {
      type: 'range', min: '0', max: String(this.length), step: '100', value: String(this.#at), 'aria-label': 'Time in the race',
      oninput: () => this.#seek(Number(this.slider.value)),
    });
    this.play = h('button', { type: 'button', class: 'primary', onclick: () => this.#toggle() }, 'Play');
    this.time = h('output', { class: 'clock' });
    this.what = h('p', { class: 'quiet what' });
    const speed = h('select', { 'aria-label': 'Speed', onchange: () => { this.#speed = Number(speed.value); } },
      SPEEDS.map((each) => h('option', { value: each, selected: each === 1 }, `${each}×`)));
    const step = (/** @type {string} */ path, /** @type {string} */ label, /** @type {() => void} */ deed) =>
      h('button', { type: 'button', class: 'icon', 'aria-label': label, title: label, onclick: deed },
        svg('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, svg('path', { d: path })));
    this.cursor = svg('line', { x1: 0, x2: 0, y1: 0, y2: 100, class: 'cursor', 'vector-effect': 'non-scaling-stroke' });
    const link = h('button', { type: 'button', onclick: async () => {
      fill(link, await copied(this.#address()) ? 'Copied' : this.#address());
    } }, 'Copy link to this moment');
    this.node = h('div', { class: 'replay' },
      h('div', { class: 'watch-head spread' }, h('h1', {}, game.name, h('small', { class: 'quiet' }, ` replay of ${code}`)),
        h('p', { class: 'row' }, h('a', { href: `/r/${code}` }, 'Result'), link)),
      h('div', { class: 'watch-boards' }, this.runs.length ? this.boards.node : h('p', {}, 'Nobody opened the deal.')),
      h('div', { class: 'replay-bar' },
        h('div', { class: 'plot-box' }, this.#plot(), h('span', { class: 'quiet plot-words', 'aria-hidden': 'true' }, 'Cards home over time')),
        this.slider,
        h('div', { class: 'row' },
          this.play,
          step(SIGNS.first, 'To the deal', () => this.#seek(0)),
          step(SIGNS.back, 'One move back', () => this.#step(-1)),
          step(SIGNS.on, 'One move on', () => this.#step(1)),
          step(SIGNS.next, 'To the next mark', () => this.#seek(this.marks.find((each) => each.at > this.#at + 50)?.at ?? this.length)),
          speed, this.time, this.what),
        this.#who()));
  }

  /** @returns {Page} */
  page() {
    const { signal } = this.context;
    document.addEventListener('keydown', (event) => this.#key(event), { signal });
    window.addEventListener('hashchange', () => {
      this.#hear();
      for (const [at, box] of this.node.querySelectorAll('.who-boards input').entries()) {
        /** @type {HTMLInputElement} */ (box).checked = this.#chosen.has(this.runs[at]?.entrant ?? 0);
      }
      this.draw();
    }, { signal });
    this.context.fills(true);
    this.draw();
    return { title: `Replay: ${this.game.name}`, node: this.node, close: () => {
      cancelAnimationFrame(this.#due);
      clearTimeout(this.#noted);
      this.boards.close();
    } };
  }

  draw() {
    const shown = this.runs.filter((run) => this.#chosen.has(run.entrant));
    this.boards.draw(shown.map((run) => {
      const frames = run.frames ?? [];
      const index = Math.max(0, frameAt(frames, this.#at));
      const [, move, home] = /** @type {import('../parts/reel.js').Frame} */ (frames[index]);
      const isOver = run.ended_ms !== null && run.ended_ms !== undefined && this.#at >= run.ended_ms;
      return {
        key: run.entrant, name: run.name, home, elapsed_ms: run.ended_ms ?? null,
        state: isOver ? run.state : 'racing', position: this.#position(run, index), last: move === 'undo' ? '' : move,
      };
    }));
    fill(this.time, `${clock(this.#at, { tenths: true })} / ${clock(this.length)}`);
    if (document.activeElement !== this.slider || this.#isPlaying) this.slider.value = String(this.#at);
    this.slider.setAttribute('aria-valuetext', clock(this.#at));
    const x = String((100 * this.#at) / Math.max(1, this.length));
    this.cursor.setAttribute('x1', x);
    this.cursor.setAttribute('x2', x);
    fill(this.what, this.captions.findLast((each) => each.at <= this.#at)?.words ?? '');
    fill(this.play, this.#isPlaying ? 'Pause' : 'Play');
  }

  // --- within ---

  /** Goes to the moment and the boards that the address names; what it does not name is as usual. */
  #hear() {
    const said = new URLSearchParams(location.hash.slice(1));
    const wanted = (said.get('p') ?? '').split(',').filter(Boolean);
    const named = this.runs.filter((run) => wanted.includes(run.name));
    this.#chosen = new Set((named.length ? named : this.runs.slice(0, SIDE_BY_SIDE)).map((run) => run.entrant));
    this.#at = Math.min(this.length, Math.max(0, Number(said.get('t')) * 1000 || 0));
  }

  /**
   * A position is parsed once for as long as it shows, so that boards see whether it is another.
   *
   * @param {Run} run
   * @param {number} index
   */
  #position(run, index) {
    const known = this.#positions.get(run.entrant);
    if (known?.frame === index) return known.position;
    const position = parse(/** @type {import('../parts/reel.js').Frame} */ (run.frames?.[index])[3]);
    this.#positions.set(run.entrant, { frame: index, position });
    return position;
  }

  #plot() {
    const { goal } = this.game;
    return svg('svg', { class: 'plot', viewBox: '0 0 100 100', preserveAspectRatio: 'none', role: 'img', 'aria-label': 'Cards home over time',
      onclick: (/** @type {MouseEvent} */ event) => {
        const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
        this.#seek(((event.clientX - box.left) / box.width) * this.length);
      } },
    ...this.marks.map((each) => svg('line', { class: 'moment', x1: (100 * each.at) / this.length, x2: (100 * each.at) / this.length, y1: 0, y2: 100, 'vector-effect': 'non-scaling-stroke' })),
    ...this.runs.map((run, at) => svg('polyline', { class: `course course-${at % 8}`, points: curve(run, this.length, goal), 'vector-effect': 'non-scaling-stroke' })),
    this.cursor);
  }

  #who() {
    if (this.runs.length < 2) return null;
    return h('div', { class: 'row who-boards', role: 'group', 'aria-labelledby': 'who-boards' }, h('b', { id: 'who-boards' }, 'Boards'), this.runs.map((run, at) => {
      const box = h('input', { type: 'checkbox', checked: this.#chosen.has(run.entrant), onchange: () => {
        if (box.checked) this.#chosen.add(run.entrant);
        else this.#chosen.delete(run.entrant);
        this.#note();
        this.draw();
      } });
      return h('label', {}, box, svg('svg', { class: 'course-key', viewBox: '0 0 32 8', 'aria-hidden': 'true' }, svg('line', { class: `course course-${at % 8}`, x1: 0, x2: 32, y1: 4, y2: 4 })), run.name);
    }));
  }

  /** @param {number} at */
  #seek(at) {
    this.#at = Math.min(this.length, Math.max(0, at));
    this.#note();
    this.draw();
  }

  /** @param {1 | -1} way */
  #step(way) {
    this.#isPlaying = false;
    this.#seek(stepped(this.instants, this.#at, way));
  }

  #toggle() {
    this.#isPlaying = !this.#isPlaying;
    if (this.#isPlaying) {
      if (this.#at >= this.length) this.#at = 0;
      this.#before = performance.now();
      this.#due = requestAnimationFrame((now) => this.#frame(now));
    }
    this.draw();
  }

  /** @param {number} now */
  #frame(now) {
    if (!this.#isPlaying) return;
    this.#at = Math.min(this.length, this.#at + Math.max(0, now - this.#before) * this.#speed);
    this.#before = now;
    if (this.#at >= this.length) {
      this.#isPlaying = false;
      this.#note();
    } else {
      this.#due = requestAnimationFrame((next) => this.#frame(next));
    }
    this.draw();
  }

  /** The address says where one is, but not at every frame: browsers limit that. */
  #note() {
    clearTimeout(this.#noted);
    this.#noted = window.setTimeout(() => readdress(this.#address()), 250);
  }

  #address() {
    const names = this.runs.filter((run) => this.#chosen.has(run.entrant)).map((run) => encodeURIComponent(run.name));
    return `${location.origin}/r/${this.code}/replay#t=${(this.#at / 1000).toFixed(3)}&p=${names.join(',')}`;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.target instanceof HTMLElement && event.target.closest('input, select, button')) return;
    if (!this.context.settings.is('shortcuts') || event.ctrlKey || event.altKey || event.metaKey) return;
    /** @type {Record<string, () => void>} */
    const deeds = { ' ': () => this.#toggle(), ',': () => this.#step(-1), '.': () => this.#step(1), ArrowLeft: () => this.#step(-1), ArrowRight: () => this.#step(1) };
    const deed = deeds[event.key];
    if (deed === undefined) return;
    event.preventDefault();
    deed();
  }
}
