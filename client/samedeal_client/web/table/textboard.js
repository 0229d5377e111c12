/** The table as a list, for those who do not see it: a line a pile, every card that shows by its name. */

import { fill, h } from '../dom.js';
import { HIDDEN, cardTitle, pileTitle } from './description.js';

/** @typedef {import('./description.js').Description} Description */
/** @typedef {import('./layout.js').Piles} Piles */

/**
 * What a pile's line says.
 *
 * @param {import('./description.js').Pile} pile
 * @param {readonly string[]} cards  bottom first
 * @returns {string} `Column 3: 2 hidden cards, 9 of hearts, 8 of clubs`
 */
export function pileLine(pile, cards) {
  const hidden = pile.kind === 'stock' ? cards.length : cards.filter((card) => card === HIDDEN).length;
  const said = pile.kind === 'stock' ? [] : cards.filter((card) => card !== HIDDEN).map(cardTitle);
  if (hidden > 0) said.unshift(hidden === 1 ? '1 hidden card' : `${hidden} hidden cards`);
  return `${pileTitle(pile)}: ${said.join(', ') || 'empty'}`;
}

export class TextBoard {
  /** @param {Description} game */
  constructor(game) {
    this.piles = game.piles;
    this.lines = new Map(game.piles.map((pile) => [pile.name, h('li')]));
    this.node = h('ul', { class: 'spoken', 'aria-label': `${game.name}, pile by pile` }, [...this.lines.values()]);
  }

  /** @param {Piles} piles */
  show(piles) {
    for (const pile of this.piles) {
      const line = this.lines.get(pile.name);
      if (line) fill(line, pileLine(pile, piles.get(pile.name) ?? []));
    }
  }
}
