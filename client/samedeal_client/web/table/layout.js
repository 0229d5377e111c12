/**
 * Where every pile and card of a table stands, in pixels. Pure: the drawing and a size in, places out.
 *
 * The laws it keeps: the whole table fits; all cards have one size, which the game's usual columns
 * decide, so that it does not change as piles grow; a column that grows is pressed together, but
 * never so far that the corner with rank and suit is covered; only then do all cards shrink.
 */

import { arrangements, railsOf } from './arrangement.js';
import { HIDDEN } from './description.js';

/** @typedef {import('./description.js').Description} Description */
/** @typedef {import('./description.js').Pile} Pile */

/**
 * @typedef {object} Place
 * @property {number} x  of its first card's left upper corner
 * @property {number} y
 * @property {Pile['spread']} spread  which may be another than the drawing's where that gives larger cards
 * @property {number} step  how far apart its cards lie
 * @property {number} reach  to where its column or fan may grow: the far side of its last card
 */

/**
 * @typedef {object} Layout
 * @property {{width: number, height: number}} card
 * @property {'full' | 'large'} face  large: a large index and one suit sign
 * @property {'row' | 'stack'} index  how rank and suit stand in a card's corner
 * @property {Map<string, Place>} piles
 * @property {{x: number, y: number, width: number, height: number} | null} button
 *   where a redeal is asked for on a table that has no stock to tap
 */

/**
 * @typedef {object} Wishes
 * @property {number} [scale]  80 to 140 %
 * @property {boolean} [mirror]
 * @property {boolean} [large]  large print, whatever the size
 * @property {boolean} [mini]  a board to glance at: no room is kept for growing columns
 * @property {boolean} [isPlayable]  false: nobody plays here, so that no redeal needs a place to be asked for
 */

/** @typedef {import('./arrangement.js').Arrangement} Arrangement */
/** @typedef {import('./arrangement.js').Stand} Stand */
/** @typedef {Map<string, readonly string[]>} Piles */
/** @typedef {{arrangement: Arrangement, width: number}} Choice */

const RATIO = 1.4;
const SMALLEST = 3;
const LARGEST = 150;
/** Cards narrower than this get the large print. */
const LEGIBLE = 78;
/** How many cards columns usually grow by. */
const GROWTH = 3;
/** What of a covered card must show, by face and direction: shares of its height or width. */
const CORNER = { full: { down: 0.225, right: 0.28 }, large: { down: 0.35, right: 0.48 } };
/** What shows where there is room. */
const COMFORT = { full: { down: 0.29, right: 0.29 }, large: { down: 0.44, right: 0.54 } };
/** A hidden card shows this share of what a visible one does. */
const HIDDEN_SHARE = 0.5;
/** What a finger hits. */
const FINGER = 26;
/** How much room the word on the button of redeals takes, px. */
const WORD = 72;
/** @type {WeakMap<Description, {key: string, choice: Choice}>} */
const KNOWN = new WeakMap();

/**
 * @param {Description} game
 * @param {{width: number, height: number}} size  of the table, in pixels
 * @param {Piles} piles  what lies there now
 * @param {Wishes} [wishes]
 * @returns {Layout}
 */
export function layout(game, size, piles, wishes = {}) {
  const now = new Map(game.piles.map((pile) => [pile.name, weight(piles.get(pile.name) ?? [])]));
  const { arrangement, width } = best(game, size, wishes);
  let fitting = width;
  while (fitting > SMALLEST && !fits(arrangement, fitting, size, now, wishes)) fitting -= 1;
  return placed(arrangement, fitting, size, now, wishes);
}

/**
 * How far the cards of a pile reach beyond the first, in steps; hidden ones count less.
 *
 * @param {readonly string[]} cards
 */
function weight(cards) {
  return stepsTo(cards, cards.length - 1);
}

/**
 * How many steps from the first card of a pile the card with that index lies.
 *
 * @param {readonly string[]} cards
 * @param {number} index
 */
export function stepsTo(cards, index) {
  let steps = 0;
  for (let at = 0; at < index; at += 1) steps += cards[at] === HIDDEN ? HIDDEN_SHARE : 1;
  return steps;
}

/**
 * @param {Pile} pile
 * @param {Wishes} wishes
 * @returns {number} the steps that it needs room for whatever lies there now
 */
function nominal(pile, { scale = 100, mini = false }) {
  const growth = pile.spread === 'down' && !mini && scale <= 100 ? GROWTH : 0;
  return Math.max(0, pile.dealt + growth - 1);
}

/**
 * The arrangement of the table that gives the largest cards, and their width; remembered, since it
 * does not depend on what lies there.
 *
 * @param {Description} game
 * @param {{width: number, height: number}} size
 * @param {Wishes} wishes
 * @returns {Choice}
 */
function best(game, size, wishes) {
  const key = JSON.stringify([size, wishes]);
  const known = KNOWN.get(game);
  if (known?.key === key) return known.choice;
  const dealt = new Map(game.piles.map((pile) => [pile.name, nominal(pile, wishes)]));
  const scale = (wishes.scale ?? 100) / 100;
  const found = arrangements(game, wishes).map((arrangement) => {
    let width = Math.round(Math.min(LARGEST * Math.max(1, scale), size.width / Math.max(1, arrangement.columns), size.height / RATIO));
    while (width > SMALLEST && !fits(arrangement, width, size, dealt, wishes)) width -= 1;
    return { arrangement, width };
  });
  // As it is drawn, unless another way is clearly better.
  const choice = found.reduce((one, other) => (other.width > one.width * 1.06 ? other : one));
  if (scale < 1) choice.width = Math.max(SMALLEST, Math.round(choice.width * scale));
  KNOWN.set(game, { key, choice });
  return choice;
}

/**
 * @param {number} width
 * @param {Wishes} wishes
 */
function measures(width, { large = false, mini = false, scale = 100 }) {
  const height = Math.round(width * RATIO);
  const face = /** @type {'full' | 'large'} */ (large || width < LEGIBLE ? 'large' : 'full');
  const gap = Math.max(mini ? 1 : 3, Math.round(width * (scale > 100 ? 0.05 : 0.09)));
  return { width, height, face, gap, edge: mini ? 2 : Math.max(5, gap) };
}

/**
 * The widths of the columns and the least heights of the rows, of those alone that have any.
 *
 * @param {Arrangement} arrangement
 * @param {ReturnType<typeof measures>} card
 * @param {Map<string, number>} steps
 */
function extents({ stands, columns, rows, button }, card, steps) {
  const corner = CORNER[card.face];
  const widths = Array.from({ length: Math.ceil(columns) }, () => card.width);
  const heights = Array.from({ length: rows }, () => 0);
  const rails = railsOf(stands);
  for (const { pile, row, column, spread } of stands) {
    // A fan's width is that of the deal, so that the table does not move as fans are played off.
    const fan = Math.max(steps.get(pile.name) ?? 0, pile.dealt - 1);
    if (spread === 'right') widths[column] = Math.max(widths[column] ?? 0, Math.ceil(card.width * (1 + fan * corner.right)));
    const beyond = spread === 'down' ? Math.ceil((steps.get(pile.name) ?? 0) * corner.down * card.height) : 0;
    if (!rails.has(column)) heights[row] = Math.max(heights[row] ?? 0, card.height + beyond);
  }
  if (button) heights[button.row] = Math.max(heights[button.row] ?? 0, buttonHeight(card));
  const rail = Math.max(0, ...stands.filter(({ column }) => rails.has(column)).map(({ row }) => row + 1));
  return { widths, heights, rails, rail: rail * card.height + Math.max(0, rail - 1) * card.gap };
}

/** @param {{height: number}} card */
function buttonHeight(card) {
  return Math.round(Math.min(card.height, Math.max(30, Math.min(48, card.height * 0.45))));
}

/**
 * @param {Arrangement} arrangement
 * @param {number} width
 * @param {{width: number, height: number}} size
 * @param {Map<string, number>} steps
 * @param {Wishes} wishes
 */
function fits(arrangement, width, size, steps, wishes) {
  const card = measures(width, wishes);
  const { widths, heights, rail } = extents(arrangement, card, steps);
  const across = sum(widths) + (widths.length - 1) * card.gap + 2 * card.edge;
  const down = Math.max(rail, sum(heights) + (heights.filter(Boolean).length - 1) * card.gap) + 2 * card.edge;
  return across <= size.width && down <= size.height;
}

/**
 * @param {Arrangement} arrangement
 * @param {number} width
 * @param {{width: number, height: number}} size
 * @param {Map<string, number>} steps
 * @param {Wishes} wishes
 * @returns {Layout}
 */
function placed(arrangement, width, size, steps, wishes) {
  const card = measures(width, wishes);
  const { widths, heights, rails, rail } = extents(arrangement, card, steps);
  const { stands } = arrangement;
  const spare = size.width - 2 * card.edge - sum(widths);
  const across = widths.length > 1 ? clamp(Math.floor(spare / (widths.length - 1)), 1, Math.round(width * 0.3)) : 0;
  const left = Math.round((size.width - sum(widths) - across * (widths.length - 1)) / 2);
  const spreadsDown = stands.some(({ spread }) => spread === 'down');

  const used = heights.filter(Boolean).length;
  const room = size.height - 2 * card.edge;
  const least = sum(heights) + (used - 1) * card.gap;
  const down = spreadsDown
    ? clamp(card.gap + Math.floor((room - least) / (8 * used)), card.gap, Math.round(card.height * 0.2))
    : clamp(Math.floor((room - sum(heights)) / Math.max(1, used - 1)), 1, Math.round(card.height * 0.36));
  if (spreadsDown) grow(arrangement, heights, rails, room - (used - 1) * down, card, wishes);
  const tall = Math.max(sum(heights) + (used - 1) * down, rail);
  const top = spreadsDown ? Math.min(card.edge + Math.max(0, (room - tall) / 2), card.edge + card.height * 0.12) : (size.height - tall) / 2;

  const rowTops = tops(heights, Math.round(top), down);
  const x = (/** @type {number} */ column) => {
    const whole = Math.floor(column);
    const before = sum(widths.slice(0, whole)) + whole * across;
    return left + before + Math.round((column - whole) * (card.width + across));
  };
  const pitch = railPitch(rowTops, card, down, size.height - card.edge - top);

  /** @type {Map<string, Place>} */
  const piles = new Map();
  for (const { pile, row, column, spread } of stands) {
    const isRail = rails.has(column);
    const y = isRail ? Math.round(top + row * pitch) : (rowTops[row] ?? 0);
    // What is squared up stands in the middle of a column of fans.
    const inset = spread === 'none' ? Math.floor(((widths[column] ?? card.width) - card.width) / 2) : 0;
    const at = x(column) + inset;
    const beyond = spread === 'down' ? (heights[row] ?? 0) - card.height : spread === 'right' ? (widths[column] ?? 0) - card.width : 0;
    const reach = spread === 'down' ? y + (heights[row] ?? 0) : spread === 'right' ? at + (widths[column] ?? 0) : 0;
    piles.set(pile.name, { x: at, y, spread, step: stepOf(spread, beyond, steps.get(pile.name) ?? 0, card), reach });
  }
  let button = null;
  if (arrangement.button) {
    const { row, column, span } = arrangement.button;
    const cell = { width: widths[column] ?? 0, height: Math.max(heights[row] ?? 0, 1) };
    // Where one place is too narrow for the word, it takes of the free ones beside it.
    const free = sum(widths.slice(column, column + span)) + (span - 1) * across;
    const wide = Math.min(free, Math.max(Math.min(cell.width, card.width * 1.6), WORD));
    const high = buttonHeight(card);
    button = {
      x: x(column) + Math.max(0, (cell.width - wide) / 2),
      y: (rowTops[row] ?? 0) + (cell.height - high) / 2,
      width: wide,
      height: high,
    };
  }
  const layout = { card: { width, height: card.height }, face: card.face, index: indexOf(stands), piles, button };
  if (wishes.mirror) mirror(layout, size.width);
  return layout;
}

/**
 * How far apart the piles of a rail stand: so that it ends level with the table, if that is close.
 *
 * @param {number[]} rowTops
 * @param {ReturnType<typeof measures>} card
 * @param {number} gap
 * @param {number} room
 */
function railPitch(rowTops, card, gap, room) {
  const most = (room - card.height) / Math.max(1, rowTops.length - 1);
  const level = ((rowTops.at(-1) ?? 0) - (rowTops[0] ?? 0)) / Math.max(1, rowTops.length - 1);
  return level > card.height && level < card.height * 1.3 ? level : Math.min(most, card.height + Math.min(gap, card.gap * 2));
}

/**
 * @param {Stand[]} stands
 * @returns {'row' | 'stack'}
 */
function indexOf(stands) {
  return stands.some(({ spread }) => spread === 'down') ? 'row' : 'stack';
}

/**
 * Shares what height is left among the rows that spread, the shortest first.
 *
 * @param {Arrangement} arrangement
 * @param {number[]} heights  changed
 * @param {Set<number>} rails
 * @param {number} room
 * @param {ReturnType<typeof measures>} card
 * @param {Wishes} wishes
 */
function grow({ stands }, heights, rails, room, card, wishes) {
  const spreading = [...new Set(stands.filter(({ spread, column }) => spread === 'down' && !rails.has(column)).map(({ row }) => row))];
  const last = Math.max(...stands.filter(({ column }) => !rails.has(column)).map(({ row }) => row));
  const most = new Map(
    spreading.map((row) => {
      const longest = Math.max(...stands.filter((stand) => stand.row === row).map(({ pile }) => nominal(pile, wishes)));
      return [row, row === last ? Infinity : card.height + Math.ceil(longest * comfort('down', card))];
    }),
  );
  const order = [...spreading].sort((one, other) => (heights[one] ?? 0) - (heights[other] ?? 0));
  let left = room - sum(heights);
  while (left >= 1) {
    const open = order.filter((row) => (heights[row] ?? 0) < (most.get(row) ?? 0));
    const lowest = Math.min(...open.map((row) => heights[row] ?? 0));
    const level = open.filter((row) => (heights[row] ?? 0) === lowest);
    if (level.length === 0) return;
    const next = Math.min(...open.map((row) => heights[row] ?? 0).filter((height) => height > lowest), ...level.map((row) => most.get(row) ?? 0));
    const share = Math.min(next - lowest, Math.floor(left / level.length) || left);
    if (share <= 0) return;
    for (const row of level) {
      const given = Math.min(share, left);
      heights[row] = lowest + given;
      left -= given;
    }
  }
}

/**
 * @param {'down' | 'right'} spread
 * @param {ReturnType<typeof measures>} card
 */
function comfort(spread, card) {
  const along = spread === 'down' ? card.height : card.width;
  return Math.max(along * COMFORT[card.face][spread], Math.min(FINGER, along * 0.49));
}

/**
 * @param {Pile['spread']} spread
 * @param {number} beyond  the room beyond the first card
 * @param {number} steps
 * @param {ReturnType<typeof measures>} card
 */
function stepOf(spread, beyond, steps, card) {
  if (spread === 'none') return 0;
  const most = comfort(spread, card);
  return steps > 0 ? Math.min(most, beyond / steps) : most;
}

/**
 * @param {number[]} heights
 * @param {number} top
 * @param {number} gap
 */
function tops(heights, top, gap) {
  let y = top;
  return heights.map((height) => {
    const here = y;
    if (height > 0) y += height + gap;
    return here;
  });
}

/**
 * @param {Layout} layout  changed
 * @param {number} width
 */
function mirror({ card, piles, button }, width) {
  for (const place of piles.values()) {
    if (place.spread === 'right') {
      const span = place.reach - place.x;
      place.x = width - place.reach;
      place.reach = place.x + span;
    } else place.x = width - place.x - card.width;
  }
  if (button) button.x = width - button.x - button.width;
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
function clamp(value, least, most) {
  return Math.max(Math.min(value, most), least);
}
