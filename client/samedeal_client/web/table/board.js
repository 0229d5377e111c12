/**
 * The card table: shows positions, and tells what the player wants to move.
 *
 * It knows no rules: what may be moved is what the server listed as legal. A position is shown at
 * once and looks its way there later; the newest call wins, and the table can always be played on.
 */

import { fill, h } from '../dom.js';
import { Deck } from './deck.js';
import { redealsLeft } from './description.js';
import { Hand } from './hand.js';
import { Keyboard, isElsewhere } from './keyboard.js';
import { layout } from './layout.js';
import { Moves } from './moves.js';
import { followPointer } from './pointer.js';
import { transfer } from './position.js';
import { Spots } from './spots.js';
import { TextBoard } from './textboard.js';

/** @typedef {import('./description.js').Description} Description */
/** @typedef {import('./position.js').Position} Position */

/**
 * @typedef {object} Preferences
 * @property {(name: any) => string} get
 * @property {(type: 'change', listener: () => void, options?: AddEventListenerOptions) => void} addEventListener
 */

/**
 * @typedef {object} How
 * @property {Preferences} settings
 * @property {(move: string) => void} [onMove]  a move of those that were legal
 * @property {(move: string) => void} [onTry]  a move that was wanted and is not legal
 * @property {(sentence: string) => void} [onRefuse]  why nothing came of what was wanted
 * @property {() => void} [onSendHome]  a long press, or the other mouse button, on the felt or a foundation
 * @property {(text: string, urgent?: boolean) => void} [onSay]
 * @property {boolean} [mini]  a small board to glance at
 * @property {boolean} [isPlayable]
 */

/** How long cards are seen to move, ms. @type {Record<string, number>} */
const MOVE_MS = { normal: 120, fast: 60, off: 0 };
const LAST_MS = 1000;
const HINT_MS = 2500;
const NAMES_MS = 4000;

export class Board {
  /**
   * @param {Description} game
   * @param {How} how
   */
  constructor(game, { settings, onMove = () => {}, onTry = () => {}, onSendHome, onSay = () => {}, onRefuse = onSay, mini = false, isPlayable = !mini }) {
    this.game = game;
    this.settings = settings;
    this.onMove = onMove;
    this.onTry = onTry;
    this.onRefuse = onRefuse;
    this.onSendHome = onSendHome;
    this.onSay = onSay;
    this.mini = mini;
    this.canPlay = isPlayable && !mini;
    this.isAtRest = false;
    /** @type {Position | null} */
    this.position = null;
    /** @type {Moves} */
    this.moves = new Moves(game, []);
    this.isWaiting = true;
    /** @type {import('./layout.js').Layout | null} */
    this.layout = null;
    this.size = { width: 0, height: 0 };

    const cards = h('div', { class: 'table-cards', 'aria-hidden': 'true' });
    this.spots = new Spots(game, { canPlay: this.canPlay });
    this.text = new TextBoard(game);
    this.typed = h('output', { class: 'table-typed', 'aria-hidden': 'true' });
    this.button = h('button', {
      type: 'button', class: 'table-redeal', hidden: true, onclick: () => this.hand.ask(),
      onpointerdown: (/** @type {Event} */ event) => event.stopPropagation(), // or the table captures it
    });
    this.node = h(
      'div',
      mini
        ? { class: 'table', 'data-mini': true, 'data-action': '', role: 'img', 'aria-label': `${game.name}: the table` }
        : { class: 'table', role: 'group', 'aria-label': `${game.name}: the table`, 'data-playable': this.canPlay },
      this.spots.below,
      cards,
      mini ? null : this.spots.above,
      mini ? null : this.button,
      mini ? null : this.typed,
      mini ? null : this.text.node,
    );
    this.deck = new Deck(cards, new Set(game.piles.filter(({ kind }) => kind === 'stock').map(({ name }) => name)));
    this.hand = new Hand(this);
    this.keyboard = new Keyboard({
      moves: () => (this.isWaiting ? null : this.moves),
      game,
      piles: () => this.piles(),
      step: (way) => this.#step(way),
      extend: (change) => this.hand.extend(this.spots.here, change),
      letGo: () => this.hand.choose(null),
      choose: (pile) => this.hand.chooseTop(pile),
      quick: (pile) => this.quickPlay(pile),
      play: (move) => this.hand.play(move),
      want: (source, target) => this.hand.want(source, target),
      attempt: (source, target) => this.hand.attempt(source, target),
      say: (sentence) => this.onRefuse(sentence),
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
    const isFirst = this.position === null;
    this.position = position;
    this.isWaiting = legal === null;
    this.moves = new Moves(this.game, legal ?? []);
    if (!this.mini) this.text.show(position.piles);
    this.draw(isFirst ? 0 : this.moveMs());
    if (last !== undefined && last.includes('-')) {
      const { source, target } = transfer(last);
      this.#flash('last', [undone ? source : target], LAST_MS);
    }
    this.hand.follow();
  }

  /** @param {string} move  one that is worth trying */
  hint(move) {
    if (!move.includes('-')) {
      this.#flash('hint', this.game.piles.filter(({ kind }) => kind === 'stock').map(({ name }) => name), HINT_MS);
      return;
    }
    const { source, target, count } = transfer(move);
    this.#flash('hint', [source, target], HINT_MS);
    this.hand.choose({ pile: source, count });
  }

  /**
   * Plays the best move of a pile: home first, else the first in the server's order.
   *
   * @param {string} pile
   */
  quickPlay(pile) {
    this.hand.quick(pile);
  }

  /** Takes no more keys; what was typed or chosen goes from sight, and so do the names of the piles. */
  rest() {
    this.isAtRest = true;
    this.keyboard.close();
    this.hand.choose(null);
    this.typed.textContent = '';
    clearTimeout(this.naming);
    this.node.removeAttribute('data-names');
  }

  focus() {
    this.spots.focus(this.spots.here);
  }

  close() {
    this.closing.abort();
    this.observer?.disconnect();
    this.keyboard.close();
    this.hand.close();
    for (const timer of [this.naming, this.flashing]) clearTimeout(timer);
  }

  #listen() {
    const { signal } = this.closing;
    this.observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      if (width === this.size.width && height === this.size.height) return;
      this.size = { width, height };
      this.draw(0);
    });
    this.observer.observe(this.node);
    this.settings.addEventListener('change', () => this.draw(0), { signal });
    if (!this.canPlay) return;
    const { hand } = this;
    followPointer(this.node, {
      tap: (point) => hand.tapAt(point),
      hold: (point) => {
        if (this.onSendHome === undefined || !hand.isOpen(point)) return false;
        this.onSendHome();
        return true;
      },
      take: (point) => hand.take(point),
      carry: (by) => hand.carry(by),
      drop: (by) => hand.drop(by),
      cancel: () => hand.cancel(),
    });
    this.node.addEventListener('click', (event) => {
      // The pointer's own clicks are taps already; these are the keyboard's and the screen reader's.
      const pile = event.detail === 0 ? this.spots.nameOf(event.target) : null;
      if (pile !== null) hand.tap(pile, hand.chosen?.pile === pile ? this.cards(pile).length - hand.chosen.count : undefined);
    });
    this.node.addEventListener('keydown', (event) => {
      if (this.keyboard.onTable(event)) event.preventDefault();
    });
    document.addEventListener('keydown', (event) => this.#key(event), { signal });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.isAtRest || event.defaultPrevented || isElsewhere(event) || this.node.closest('[inert]')) return;
    if (this.settings.get('shortcuts') === 'off' && event.key !== 'Escape') return;
    if (this.keyboard.anywhere(event)) event.preventDefault();
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

  /**
   * Lays everything where it stands now.
   *
   * @param {number} ms  how long cards are seen to move
   */
  draw(ms) {
    if (this.position === null || this.size.width < 20 || this.size.height < 20) return;
    const { piles } = this.position;
    this.layout = layout(this.game, this.size, piles, {
      scale: this.mini ? 100 : Number(this.settings.get('scale')) || 100,
      mirror: this.settings.get('mirror') === 'on',
      large: this.settings.get('print') === 'large',
      mini: this.mini,
      isPlayable: this.canPlay,
    });
    const { card, face, button } = this.layout;
    this.node.style.setProperty('--card-w', `${card.width}px`);
    this.node.style.setProperty('--card-h', `${card.height}px`);
    this.node.dataset.face = face;
    this.deck.lay(piles, this.layout, ms);
    this.spots.show(piles, this.layout);
    if (this.mini) return;
    this.button.hidden = button === null;
    if (button !== null) {
      this.button.style.transform = `translate(${button.x}px, ${button.y}px)`;
      this.button.style.width = `${button.width}px`;
      this.button.style.height = `${button.height}px`;
      const left = redealsLeft(this.game, this.position);
      fill(this.button, h('span', {}, 'Redeal'), left === null ? null : h('span', {}, `${left} left`));
    }
    this.mark();
  }

  /** Marks what is chosen, and where it may go. */
  mark() {
    if (this.mini) return;
    const { moves } = this;
    const { chosen } = this.hand;
    const shown = this.canPlay ? this.settings.get('targets') : 'off';
    const targets = chosen === null || shown === 'off' ? [] : moves.from(chosen.pile, chosen.count).map(({ target }) => target);
    this.spots.mark('target', targets);
    this.spots.mark('movable', shown === 'always' && chosen === null ? moves.transfers.map(({ source }) => source) : []);
    this.spots.press(chosen?.pile ?? null);
    this.deck.choose(chosen?.pile ?? null, chosen === null ? 0 : this.cards(chosen.pile).length - chosen.count);
    this.node.dataset.action = moves.action ?? '';
    this.button.disabled = moves.action === null && !this.isWaiting;
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

  /** How long cards are seen to move now. */
  moveMs() {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return 0;
    return MOVE_MS[this.settings.get('animation')] ?? 0;
  }

  /** @returns {import('./layout.js').Piles} */
  piles() {
    return this.position?.piles ?? new Map();
  }

  /** @param {string} pile */
  cards(pile) {
    return this.piles().get(pile) ?? [];
  }
}
