/** Boards of a race side by side or one of them large, as a spectator may see them. */

import { fill, h, keyed } from '../dom.js';
import { Board } from '../table/board.js';
import { clock, stateWords } from '../words.js';

/** @typedef {import('../table/position.js').Position} Position */

/** @typedef {{key: number, name: string, state: string, home: number | null, elapsed_ms: number | null, position: Position | null, last?: string}} Seat */

/** Draws as many boards as it is given; a board is made once for each key. */
export class Boards {
  /** @type {Map<number, {board: Board, figure: HTMLElement, shown: Position | null}>} */
  #made = new Map();

  /**
   * @param {import('../table/description.js').Description & import('../net/link.js').Message} game
   * @param {import('../settings.js').Settings} settings
   */
  constructor(game, settings) {
    this.game = game;
    this.settings = settings;
    this.node = h('div', { class: 'boards' });
  }

  /** @param {Seat[]} seats */
  draw(seats) {
    const keys = new Set(seats.map((seat) => seat.key));
    for (const [key, { board }] of this.#made) {
      if (!keys.has(key)) {
        board.close();
        this.#made.delete(key);
      }
    }
    this.node.dataset.count = String(seats.length);
    keyed(this.node, seats, (seat) => String(seat.key), (seat) => this.#figure(seat));
  }

  close() {
    for (const { board } of this.#made.values()) board.close();
    this.#made.clear();
  }

  /** @param {Seat} seat */
  #figure(seat) {
    let made = this.#made.get(seat.key);
    if (made === undefined) {
      const board = new Board(this.game, { settings: this.settings, isPlayable: false });
      const figure = h('figure', { class: 'seat' }, h('figcaption', { class: 'spread' }, h('b'), h('span', { class: 'number' })), board.node);
      made = { board, figure, shown: null };
      this.#made.set(seat.key, made);
    }
    if (seat.position !== null && seat.position !== made.shown) {
      made.board.show(seat.position, { last: seat.last });
      made.shown = seat.position;
    }
    const [name, state] = /** @type {[HTMLElement, HTMLElement]} */ ([...made.figure.querySelectorAll('figcaption > *')]);
    fill(name, seat.name);
    const home = seat.home === null ? '' : `${seat.home}/${this.game.goal}`;
    fill(state, seat.state === 'finished' ? `finished ${clock(seat.elapsed_ms)}` : seat.state === 'racing' ? home : `${stateWords(seat.state)} ${home}`);
    return made.figure;
  }
}
