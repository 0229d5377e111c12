/**
 * Playing cards, drawn here: four suit signs, and from them every face, made when first needed.
 *
 * A face is a `<symbol>` of 100 by 140 that cards `<use>`; its colours are custom properties
 * (`--card-ink`, `--card-gold`, ...), so that palettes and dark faces are style sheets alone.
 */

import { h, svg } from '../dom.js';
import { HIDDEN } from './description.js';

/** @typedef {'full' | 'large'} Face */
/** @typedef {'row' | 'stack'} Index  rank and suit beside each other, or one below the other */

/** @type {Record<string, string>} */
const SUIT_PATHS = {
  S: 'M50 4C46 24 9 43 9 67c0 13 9 21 20 21 8 0 15-4 18.5-11C46.5 86 42 92 33 95h34c-9-3-13.5-9-14.5-18C56 84 63 88 71 88c11 0 20-8 20-21C91 43 54 24 50 4z',
  H: 'M50 95C45 79 7 60 7 33 7 18 18 8 30 8c9 0 17 6 20 15 3-9 11-15 20-15 12 0 23 10 23 25 0 27-38 46-43 62z',
  D: 'M50 2c8 18 21 34 37 48C71 64 58 80 50 98 42 80 29 64 13 50 29 36 42 20 50 2z',
  C: 'M50 5a20.5 20.5 0 0 1 14 35.5A20.5 20.5 0 1 1 53 73c1 11 5 18 14 22H33c9-4 13-11 14-22a20.5 20.5 0 1 1-11-32.5A20.5 20.5 0 0 1 50 5z',
};

/** Where pips lie: columns left, middle, right (-1, 0, 1) and heights from top to bottom (0 to 1). @type {Record<string, [number, number][]>} */
const PIPS = {
  2: [[0, 0], [0, 1]],
  3: [[0, 0], [0, 0.5], [0, 1]],
  4: [[-1, 0], [1, 0], [-1, 1], [1, 1]],
  5: [[-1, 0], [1, 0], [0, 0.5], [-1, 1], [1, 1]],
  6: [[-1, 0], [1, 0], [-1, 0.5], [1, 0.5], [-1, 1], [1, 1]],
  7: [[-1, 0], [1, 0], [0, 0.25], [-1, 0.5], [1, 0.5], [-1, 1], [1, 1]],
  8: [[-1, 0], [1, 0], [0, 0.25], [-1, 0.5], [1, 0.5], [0, 0.75], [-1, 1], [1, 1]],
  9: [[-1, 0], [1, 0], [-1, 1 / 3], [1, 1 / 3], [0, 0.5], [-1, 2 / 3], [1, 2 / 3], [-1, 1], [1, 1]],
  T: [[-1, 0], [1, 0], [0, 1 / 6], [-1, 1 / 3], [1, 1 / 3], [-1, 2 / 3], [1, 2 / 3], [0, 5 / 6], [-1, 1], [1, 1]],
};

/** Half a court card, as class and path, from the back to the front; the middle of the card is at 50, 70. @type {Record<string, [string, string][]>} */
const COURTS = {
  K: [
    ['robe', 'M0 70V61c10-7 27-10 50-10s40 3 50 10v9z'],
    ['gold', 'M44 51.5 50 66l6-14.5z'],
    ['robe', 'M38.5 33c-1 14 0 21 4 24h15c4-3 5-10 4-24z'],
    ['skin', 'M41.5 33h17v9a8.5 9.5 0 0 1-17 0z'],
    ['robe', 'M41.5 41c1 4 3 3.5 5 3 1.5-1.8 5.5-1.8 7 0 2 .5 4 1 5-3 1 9-3 16-8.5 18-5.5-2-9.5-9-8.5-18z'],
    ['gold', 'M37 33 34 17l9 7 7-11 7 11 9-7-3 16z'],
    ['line', 'M37.5 30h25'],
    ['eyes', 'M46 38.5h.01M54 38.5h.01'],
    ['sash', 'M0 66.5h100v4H0z'],
  ],
  Q: [
    ['robe', 'M50 25c-11 0-14.5 8-14.5 18 0 8-1 13-4.5 18h38c-3.5-5-4.5-10-4.5-18 0-10-3.5-18-14.5-18z'],
    ['skin', 'M46.5 48h7v8h-7z'],
    ['robe', 'M0 70v-8c8-5 26-7.5 45-8l5 6 5-6c19 .5 37 3 45 8v8z'],
    ['gold', 'M45 54c1 6 2.5 9 5 12 2.5-3 4-6 5-12l-5 5z'],
    ['skin', 'M41.5 36c0-6 17-6 17 0v5a8.5 10 0 0 1-17 0z'],
    ['robe', 'M41 39c2-3 4-6 9-6s7 3 9 6c0-7-3-11-9-11s-9 4-9 11z'],
    ['gold', 'M38 30c0-6 1-9 2-11 2 2 4 4 5.5 5 .5-4 2-7 4.5-9 2.5 2 4 5 4.5 9 1.5-1 3.5-3 5.5-5 1 2 2 5 2 11-7-2-17-2-24 0z'],
    ['eyes', 'M46.3 40.5h.01M53.7 40.5h.01'],
    ['lips', 'M48 46.5q2 1.3 4 0'],
    ['sash', 'M0 66.5h100v4H0z'],
  ],
  J: [
    ['robe', 'M39 29c-3 12-2.5 19-.5 22h23c2-3 2.5-10-.5-22z'],
    ['skin', 'M46.5 48h7v8h-7z'],
    ['robe', 'M0 70v-9c8-5 26-7.5 44-8h12c18 .5 36 3 44 8v9z'],
    ['gold', 'M43.5 53h13l2 5c-5 3-12 3-17 0z'],
    ['skin', 'M41.5 33h17v8a8.5 10 0 0 1-17 0z'],
    ['robe', 'M41 36c4-1 6-2 7.5-4h10.5v-4H41z'],
    ['robe', 'M35.5 31c-1-9 6-13 15-13s16 5 14.5 13c-8-2-21-2-29.5 0z'],
    ['gold', 'M36 30.5c8-2.2 21-2.2 29 0l-.3 2.5c-8-2-20-2-28.4 0z'],
    ['gold', 'M59 22c2-8 8-12 16-12-1 7-6 12-14 13z'],
    ['eyes', 'M46.3 39.5h.01M53.7 39.5h.01'],
    ['lips', 'M48 46h4'],
    ['sash', 'M0 66.5h100v4H0z'],
  ],
};

/** @type {SVGElement | null} */
let sprite = null;
/** @type {Set<string>} */
const made = new Set();

/** @returns {HTMLElement} a card that shows nothing yet */
export function cardNode() {
  return h('div', { class: 'card' }, svg('svg', { viewBox: '0 0 100 140', 'aria-hidden': 'true' }, svg('use', {})));
}

/**
 * Lets a card show a face, or its back.
 *
 * @param {HTMLElement} node
 * @param {string} card
 * @param {Face} face
 * @param {Index} index
 */
export function dress(node, card, face, index) {
  const look = card === HIDDEN ? HIDDEN : symbol(card, face, index);
  if (node.dataset.look === look) return;
  node.dataset.look = look;
  node.dataset.suit = card === HIDDEN ? '' : (card[1] ?? '');
  node.toggleAttribute('data-hidden', card === HIDDEN);
  node.querySelector('use')?.setAttribute('href', card === HIDDEN ? '' : `#${look}`);
}

/**
 * @param {string} card
 * @param {Face} face
 * @param {Index} index
 * @returns {string} the id of its symbol, which is made when first asked for
 */
function symbol(card, face, index) {
  const id = `card-${card}-${face}-${index}`;
  if (!made.has(id)) {
    made.add(id);
    if (sprite === null) {
      sprite = svg('svg', { width: 0, height: 0, class: 'card-sprite', 'aria-hidden': 'true' });
      document.body.append(sprite);
    }
    const [rank = '', suit = ''] = card;
    const drawn = face === 'large' ? large(rank, suit, index) : full(rank, suit, index);
    sprite.append(svg('symbol', { id, viewBox: '0 0 100 140' }, ...drawn));
  }
  return id;
}

/**
 * The face to read from afar: a large rank, a suit sign beside or below it, and a larger one.
 *
 * @param {string} rank
 * @param {string} suit
 * @param {Index} index
 */
function large(rank, suit, index) {
  return index === 'row'
    ? [text(rank, 27, 43, 50), sign(suit, 75, 25.5, 37), sign(suit, 50, 99, 60)]
    : [text(rank, 24, 43, 50), sign(suit, 24, 66, 32), sign(suit, 65, 99, 58)];
}

/**
 * @param {string} rank
 * @param {string} suit
 * @param {Index} index
 */
function full(rank, suit, index) {
  const isRow = index === 'row';
  const corner = isRow
    ? [text(rank, 17.5, 27, 28), sign(suit, 42, 17.5, 22)]
    : [text(rank, 14.5, 26, 26), sign(suit, 14.5, 40, 18)];
  const middle = isRow ? { x: 50, y: 87, across: 24, up: 35, pip: 20 } : { x: 50, y: 70, across: 14.5, up: 43, pip: 17.5 };
  const corners = isRow ? corner : [...corner, turned(...corner.map((node) => node.cloneNode(true)))];
  if (rank in COURTS) return [...corners, court(rank, suit, middle, isRow)];
  if (rank === 'A') return [...corners, sign(suit, middle.x, middle.y, suit === 'S' ? 62 : 52)];
  const pips = (PIPS[rank] ?? []).map(([across, down]) => {
    const y = middle.y + (down - 0.5) * 2 * middle.up;
    return sign(suit, middle.x + across * middle.across, y, middle.pip, down > 0.5);
  });
  return [...corners, ...pips];
}

/**
 * @param {string} rank
 * @param {string} suit
 * @param {{x: number, y: number}} middle
 * @param {boolean} isRow
 */
function court(rank, suit, middle, isRow) {
  const [scale, wide, tall] = isRow ? [0.82, 72, 92] : [0.98, 48, 112];
  const frame = { x: middle.x - wide / 2, y: middle.y - tall / 2, width: wide, height: tall, rx: 4 };
  // An SVG of its own, so that robes end at the frame.
  const view = `${50 - wide / 2 / scale} ${70 - tall / 2 / scale} ${wide / scale} ${tall / scale}`;
  const half = () => (COURTS[rank] ?? []).map(([part, d]) => svg('path', { class: `court-${part}`, d }));
  // Beside corners that are stacked there is no room for a suit sign of its own.
  const mark = () => (isRow ? sign(suit, frame.x + 12, frame.y + 12, 15) : null);
  return svg('g', {},
    svg('rect', { class: 'court-panel', ...frame }),
    svg('svg', { ...frame, viewBox: view }, half(), turned(...half())),
    mark(),
    svg('g', { transform: `rotate(180 ${middle.x} ${middle.y})` }, mark()),
    svg('rect', { class: 'court-frame', ...frame }),
  );
}

/** @param {...Node} parts */
function turned(...parts) {
  return svg('g', { transform: 'rotate(180 50 70)' }, ...parts);
}

/**
 * @param {string} rank
 * @param {number} x  of its middle
 * @param {number} y  of the base line
 * @param {number} size
 */
function text(rank, x, y, size) {
  const narrow = rank === 'T' ? { textLength: size * 0.9, lengthAdjust: 'spacingAndGlyphs' } : {};
  return svg('text', { class: 'card-rank', x, y, 'font-size': size, ...narrow }, rank === 'T' ? '10' : rank);
}

/**
 * @param {string} suit
 * @param {number} x  of its middle
 * @param {number} y
 * @param {number} size
 * @param {boolean} [isTurned]
 */
function sign(suit, x, y, size, isTurned = false) {
  const scale = (size / 100) * (suit === 'D' ? 1.06 : 1);
  return path(suit, `translate(${x} ${y})${isTurned ? ' rotate(180)' : ''} scale(${scale}) translate(-50 -50)`);
}

/**
 * @param {string} suit
 * @param {string} [transform]
 */
function path(suit, transform) {
  return svg('path', { d: SUIT_PATHS[suit], transform });
}
