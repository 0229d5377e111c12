/**
 * The card table: shows positions, and tells what the player wants to move.
 *
 * It knows no rules: what may be moved is what the server listed as legal. A position is shown at
 * once and looks its way there later; the newest call wins, and the table can always be played on.
 */

import { h } from '../dom.js';
import { liftable, tap } from './choice.js';
import { Deck } from './deck.js';
import { pileTitle } from './description.js';
import { cardAt, cardRect, pileUnder } from './geometry.js';
import { Keyboard } from './keyboard.js';
import { layout } from './layout.js';
import { Moves } from './moves.js';
import { followPointer } from './pointer.js';
import { transfer } from './position.js';
import { Spots } from './spots.js';
import { TextBoard } from './textboard.js';

/** @typedef {import('./description.js').Description} Description */
/** @typedef {import('./position.js').Position} Position */
/** @typedef {import('./choice.js').Chosen} Chosen */

/**
 * @typedef {object} Preferences
 * @property {(name: any) => string} get
 * @property {(type: 'change', listener: () => void, options?: AddEventListenerOptions) => void} addEventListener
 */

/**
 * @typedef {object} How
 * @property {Preferences} settings
 * @property {(move: string) => void} [onMove]  a move of those that were legal
 * @property {(text: string, urgent?: boolean) => void} [onSay]
 * @property {boolean} [mini]  a small board to glance at
 * @property {boolean} [isPlayable]
 */

/** How long cards are seen to move, ms. @type {Record<string, number>} */
const MOVE_MS = { normal: 120, fast: 60, off: 0 };
const LAST_MS = 1000;
const HINT_MS = 2500;
const NAMES_MS = 4000;
/** How long a dropped card waits for what became of it. */
const PATIENCE_MS = 1500;

export class Board {
  /**
   * @param {Description} game
   * @param {How} how
   */
  constructor(game, { settings, onMove = () => {}, onSay = () => {}, mini = false, isPlayable = !mini }) {
    this.game = game;
    this.settings = settings;
    this.onMove = onMove;
    this.onSay = onSay;
    this.mini = mini;
    this.canPlay = isPlayable && !mini;
    /** @type {Position | null} */
    this.position = null;
    /** @type {Moves} */
    this.moves = new Moves(game, []);
    this.isWaiting = true;
    /** @type {Chosen | null} */
    this.chosen = null;
    /** What the player wanted while the server was thinking. @type {{source: string, target: string | null, count: number} | null} */
    this.queued = null;
    /** @type {import('./layout.js').Layout | null} */
    this.layout = null;
    this.size = { width: 0, height: 0 };

    this.cards = h('div', { class: 'table-cards', 'aria-hidden': 'true' });
    this.spots = new Spots(game, { canPlay: this.canPlay });
    this.text = new TextBoard(game);
    this.typed = h('output', { class: 'table-typed', 'aria-hidden': 'true' });
    this.button = h('button', {
      type: 'button', class: 'table-redeal', hidden: true, onclick: () => this.#ask(),
      onpointerdown: (/** @type {Event} */ event) => event.stopPropagation(), // or the table captures it
    }, 'Redeal');
    this.node = h(
      'div',
      mini
        ? { class: 'table', 'data-mini': true, role: 'img', 'aria-label': `${game.name}: the table` }
        : { class: 'table', role: 'group', 'aria-label': `${game.name}: the table`, 'data-playable': this.canPlay },
      mini ? null : this.spots.below,
      this.cards,
      mini ? null : this.spots.above,
      mini ? null : this.button,
      mini ? null : this.typed,
      mini ? null : this.text.node,
    );
    this.deck = new Deck(this.cards, new Set(game.piles.filter(({ kind }) => kind === 'stock').map(({ name }) => name)));
    this.keyboard = new Keyboard({
      moves: () => this.moves,
      piles: () => this.#piles(),
      step: (way) => this.#step(way),
      extend: (change) => this.#extend(change),
      letGo: () => this.#choose(null),
      choose: (pile) => this.#choose({ pile, count: liftable(this.moves, this.#piles(), pile) }),
      quick: (pile) => this.quickPlay(pile),
      play: (move) => this.#play(move),
      say: (sentence) => this.onSay(sentence),
      show: (keys) => this.#showTyped(keys),
    });
    this.closing = new AbortController();
    this.#listen();
  }

  /**
   * Shows a position.
   *
   * @param {Position} position
   * @param {object} [what]
   * @param {readonly string[] | null} [what.legal]  null while the server has not told them yet
   * @param {string} [what.last]  the move that led here
   * @param {boolean} [what.undone]  it was taken back
   */
  show(position, { legal = null, last, undone = false } = {}) {
    clearTimeout(this.patience);
    const isFirst = this.position === null;
    this.position = position;
    this.isWaiting = legal === null;
    this.moves = new Moves(this.game, legal ?? []);
    if (this.chosen !== null && !this.isWaiting && this.moves.from(this.chosen.pile, this.chosen.count).length === 0) {
      this.chosen = null;
    }
    this.#draw(isFirst ? 0 : this.#moveMs());
    if (last !== undefined && last.includes('-')) {
      const { source, target } = transfer(last);
      this.#flash('last', [undone ? source : target], LAST_MS);
    }
    if (!this.isWaiting) this.#resolve();
  }

  /** @param {string} move  one that is worth trying */
  hint(move) {
    if (!move.includes('-')) {
      this.#flash('hint', this.game.piles.filter(({ kind }) => kind === 'stock').map(({ name }) => name), HINT_MS);
      return;
    }
    const { source, target, count } = transfer(move);
    this.#flash('hint', [source, target], HINT_MS);
    this.#choose({ pile: source, count });
  }

  /**
   * Plays the best move of a pile: home first, else the first in the server's order.
   *
   * @param {string} pile
   */
  quickPlay(pile) {
    if (this.isWaiting) {
      this.queued = { source: pile, target: null, count: this.chosen?.pile === pile ? this.chosen.count : 1 };
      return;
    }
    const move = this.moves.quick(pile, (name) => this.#cards(name).length === 0);
    if (move === null) this.#refuse(pile);
    else this.#play(move);
  }

  focus() {
    this.spots.focus(this.spots.here);
  }

  close() {
    this.closing.abort();
    this.observer?.disconnect();
    this.keyboard.close();
    for (const timer of [this.patience, this.naming, this.flashing]) clearTimeout(timer);
  }

  #listen() {
    const { signal } = this.closing;
    this.observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      if (width === this.size.width && height === this.size.height) return;
      this.size = { width, height };
      this.#draw(0);
    });
    this.observer.observe(this.node);
    this.settings.addEventListener('change', () => this.#draw(0), { signal });
    if (!this.canPlay) return;
    /** @type {{pile: string, from: number} | null} */
    let carried = null;
    followPointer(this.node, {
      tap: (point) => {
        const at = this.layout && cardAt(this.layout, this.#piles(), point);
        if (!at) this.#choose(null);
        else this.#tap(at.pile, at.index);
      },
      take: (point) => {
        const at = this.layout && cardAt(this.layout, this.#piles(), point);
        if (!at || at.index < 0) return false;
        const count = this.isWaiting ? 1 : liftable(this.moves, this.#piles(), at.pile, at.index);
        if (count === 0) return false;
        this.#choose({ pile: at.pile, count });
        carried = { pile: at.pile, from: this.#cards(at.pile).length - count };
        return true;
      },
      carry: (by) => {
        if (carried) this.deck.lift(carried.pile, carried.from, by);
      },
      drop: (by) => this.#drop(carried, by),
      cancel: () => {
        this.#choose(null);
        this.#draw(this.#moveMs());
      },
    });
    this.node.addEventListener('click', (event) => {
      // The pointer's own clicks are taps already; these are the keyboard's and the screen reader's.
      const pile = event.detail === 0 ? this.spots.nameOf(event.target) : null;
      if (pile !== null) this.#tap(pile, this.chosen?.pile === pile ? this.#cards(pile).length - this.chosen.count : undefined);
    });
    this.node.addEventListener('keydown', (event) => {
      if (this.keyboard.onTable(event)) event.preventDefault();
    });
    document.addEventListener('keydown', (event) => this.#key(event), { signal });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {Element} */ (event.target);
    const isElsewhere = target !== document.body && !this.node.contains(target) && target.matches('input, textarea, select, button, a, [contenteditable], dialog *');
    if (event.defaultPrevented || isElsewhere) return;
    if (this.settings.get('shortcuts') === 'off' && event.key !== 'Escape') return;
    if (this.keyboard.anywhere(event)) event.preventDefault();
  }

  /**
   * @param {string} pile
   * @param {number} [index]
   */
  #tap(pile, index) {
    if (this.isWaiting) {
      const chosen = this.chosen;
      if (chosen !== null) this.queued = { source: chosen.pile, target: chosen.pile === pile ? null : pile, count: chosen.count };
      this.#choose(chosen === null && this.#cards(pile).length > 0 ? { pile, count: 1 } : null);
      return;
    }
    const { chosen, play } = tap(this.moves, this.#piles(), this.chosen, pile, index);
    if (play !== null) this.#play(play);
    else {
      if (chosen === null && this.chosen === null && this.#cards(pile).length > 0) this.#refuse(pile);
      this.#choose(chosen);
    }
  }

  /**
   * @param {{pile: string, from: number} | null} carried
   * @param {{x: number, y: number}} by
   */
  #drop(carried, by) {
    if (carried === null || this.layout === null) return;
    const { pile: source, from } = carried;
    const cards = this.#cards(source);
    const count = cards.length - from;
    const start = cardRect(this.layout, source, cards, from);
    const card = { ...start, x: start.x + by.x, y: start.y + by.y };
    const target = pileUnder(this.layout, this.#piles(), card, (name) =>
      name !== source && (this.isWaiting || this.moves.brought(source, name, count) !== null),
    );
    const move = target === null ? null : this.moves.brought(source, target, count);
    this.deck.release();
    if (move !== null) {
      this.#play(move);
      return;
    }
    if (this.isWaiting && target !== null) this.queued = { source, target, count };
    this.#choose(null);
    this.#draw(this.#moveMs());
  }

  /** @param {string} move */
  #play(move) {
    this.#choose(null);
    clearTimeout(this.patience);
    // Until somebody shows what became of it, a carried card stays where it was dropped.
    this.patience = setTimeout(() => this.#draw(this.#moveMs()), PATIENCE_MS);
    this.onMove(move);
  }

  #ask() {
    if (this.moves.action !== null) this.#play(this.moves.action);
  }

  /** Plays what was wanted while the server was thinking, if it is legal now. */
  #resolve() {
    const wanted = this.queued;
    this.queued = null;
    if (wanted === null) return;
    const { source, target, count } = wanted;
    const move = target === null
      ? this.moves.quick(source, (name) => this.#cards(name).length === 0, count)
      : this.moves.brought(source, target, count);
    if (move !== null) this.#play(move);
  }

  /** @param {string} pile */
  #refuse(pile) {
    const found = this.game.piles.find(({ name }) => name === pile);
    if (found) this.onSay(`${pileTitle(found)} has no legal move.`);
  }

  /** @param {Chosen | null} chosen */
  #choose(chosen) {
    this.chosen = chosen?.count === 0 ? null : chosen;
    this.#mark();
  }

  /** @param {1 | -1} change */
  #extend(change) {
    const pile = this.spots.here;
    const counts = this.moves.counts(pile);
    const at = this.chosen?.pile === pile ? counts.indexOf(this.chosen.count) : -1;
    const count = counts[Math.min(Math.max(at + change, 0), counts.length - 1)];
    if (count === undefined) return;
    this.#choose({ pile, count });
    this.onSay(count === 1 ? '1 card' : `${count} cards`);
  }

  /** @param {{x: number, y: number}} way */
  #step(way) {
    if (this.layout) this.spots.focus(this.spots.beside(this.spots.here, way, this.layout));
  }

  /** @param {string} keys */
  #showTyped(keys) {
    this.typed.textContent = keys;
    clearTimeout(this.naming);
    if (keys === '') {
      this.naming = setTimeout(() => this.node.removeAttribute('data-names'), NAMES_MS);
    } else this.node.setAttribute('data-names', '');
  }

  /** @param {number} ms */
  #draw(ms) {
    if (this.position === null || this.size.width < 20 || this.size.height < 20) return;
    const { piles } = this.position;
    this.layout = layout(this.game, this.size, piles, {
      scale: this.mini ? 100 : Number(this.settings.get('scale')) || 100,
      mirror: this.settings.get('mirror') === 'on',
      large: this.settings.get('print') === 'large',
      mini: this.mini,
    });
    const { card, face, button } = this.layout;
    this.node.style.setProperty('--card-w', `${card.width}px`);
    this.node.style.setProperty('--card-h', `${card.height}px`);
    this.node.dataset.face = face;
    this.deck.lay(piles, this.layout, ms);
    if (this.mini) return;
    this.spots.show(piles, this.layout);
    this.text.show(piles);
    this.button.hidden = button === null;
    if (button !== null) {
      this.button.style.transform = `translate(${button.x}px, ${button.y}px)`;
      this.button.style.width = `${button.width}px`;
      this.button.style.height = `${button.height}px`;
    }
    this.#mark();
  }

  #mark() {
    if (this.mini) return;
    const { chosen, moves } = this;
    const shown = this.canPlay ? this.settings.get('targets') : 'off';
    const targets = chosen === null || shown === 'off' ? [] : moves.from(chosen.pile, chosen.count).map(({ target }) => target);
    this.spots.mark('target', targets);
    this.spots.mark('movable', shown === 'always' && chosen === null ? moves.transfers.map(({ source }) => source) : []);
    this.spots.press(chosen?.pile ?? null);
    this.deck.choose(chosen?.pile ?? null, chosen === null ? 0 : this.#cards(chosen.pile).length - chosen.count);
    this.node.dataset.action = moves.action ?? '';
    this.button.disabled = moves.action === null;
  }

  /**
   * @param {'last' | 'hint'} kind
   * @param {string[]} names
   * @param {number} ms
   */
  #flash(kind, names, ms) {
    clearTimeout(this.flashing);
    this.spots.mark('last', []);
    this.spots.mark('hint', []);
    this.spots.mark(kind, names);
    this.flashing = setTimeout(() => this.spots.mark(kind, []), ms);
  }

  #moveMs() {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return 0;
    return MOVE_MS[this.settings.get('animation')] ?? 0;
  }

  /** @returns {import('./layout.js').Piles} */
  #piles() {
    return this.position?.piles ?? new Map();
  }

  /** @param {string} pile */
  #cards(pile) {
    return this.#piles().get(pile) ?? [];
  }
}
