/** How a number went, as a small line to see at a glance. */

import { h, svg } from '../dom.js';

const WIDE = 300;
const HIGH = 90;
const EDGE = 8;

/**
 * @param {readonly number[]} values  from the first to the last, at least one
 * @param {string} words  the same for who does not see it
 * @returns {HTMLElement}
 */
export function course(values, words) {
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const step = (WIDE - 2 * EDGE) / Math.max(1, values.length - 1);
  const points = values.map((value, at) => [EDGE + at * step, HIGH - EDGE - ((value - low) / span) * (HIGH - 2 * EDGE)]);
  const [x, y] = points.at(-1) ?? [0, 0];
  return h('figure', { class: 'went' },
    svg('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, role: 'img', 'aria-label': words },
      svg('polyline', { points: points.map((each) => each.join(',')).join(' ') }),
      svg('circle', { cx: x, cy: y, r: 4 })),
    h('figcaption', { class: 'quiet', 'aria-hidden': 'true' }, words));
}
