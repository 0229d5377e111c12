/** The others' boards, small, as far as one may see them. */

import { h, keyed } from '../dom.js';
import { Board } from '../table/board.js';

/** The mini boards of a race; `draw` shows how they stand now. */
export class Rivals {
  /** @type {Map<number, {board: Board, shown: import('../table/position.js').Position | null}>} */
  #boards = new Map();

  /**
   * @param {import('../router.js').Context} context
   * @param {import('../net/race.js').Race} race
   */
  constructor(context, race) {
    this.context = context;
    this.race = race;
    this.node = h('div', { class: 'rivals', 'aria-hidden': 'true' });
  }

  draw() {
    const { race } = this;
    const others = [...race.boards.keys()].filter((each) => each !== race.you);
    for (const [entrant, { board }] of this.#boards) {
      if (!others.includes(entrant)) {
        board.close();
        this.#boards.delete(entrant);
      }
    }
    keyed(this.node, others, String, (entrant, old) => {
      let known = this.#boards.get(entrant);
      if (known === undefined) {
        known = { board: new Board(race.game, { settings: this.context.settings, mini: true, isPlayable: false }), shown: null };
        this.#boards.set(entrant, known);
      }
      const position = race.boards.get(entrant) ?? null;
      if (position !== null && position !== known.shown) {
        known.board.show(position, {});
        known.shown = position;
      }
      return old ?? h('figure', {}, known.board.node, h('figcaption', {}, race.entrants.get(entrant)?.name));
    });
  }

  close() {
    for (const { board } of this.#boards.values()) board.close();
  }
}
