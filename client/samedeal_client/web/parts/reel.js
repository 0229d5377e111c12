/** A race that is over as a film: who stood where when. Pure. */

import { stateWords } from '../words.js';

/** @typedef {readonly [elapsed: number, move: string, home: number, position: string]} Frame */

/**
 * @typedef {object} Run  what one entrant did
 * @property {number} entrant
 * @property {string} name
 * @property {boolean} [bot]
 * @property {string} state
 * @property {number | null} [ended_ms]
 * @property {Frame[]} [frames]
 */

/**
 * The index of the frame that shows at an instant: the last one that is not later.
 *
 * @param {readonly Frame[]} frames
 * @param {number} at  milliseconds on the entrant's clock
 * @returns {number} -1 before the first
 */
export function frameAt(frames, at) {
  let [low, high] = [0, frames.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {Frame} */ (frames[middle])[0] <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * How long the film is.
 *
 * @param {readonly Run[]} runs
 * @returns {number} milliseconds
 */
export function lengthOf(runs) {
  return Math.max(0, ...runs.map((run) => run.ended_ms ?? run.frames?.at(-1)?.[0] ?? 0));
}

/**
 * The instants at which something shows, each once, in order.
 *
 * @param {readonly Run[]} runs
 * @returns {number[]}
 */
export function instants(runs) {
  const all = new Set(runs.flatMap((run) => [...(run.frames ?? []).map(([at]) => at), run.ended_ms ?? 0]));
  return [...all].sort((a, b) => a - b);
}

/**
 * The next or the last instant from where one is.
 *
 * @param {readonly number[]} sorted
 * @param {number} at
 * @param {1 | -1} way
 * @returns {number}
 */
export function stepped(sorted, at, way) {
  if (way > 0) return sorted.find((each) => each > at + 0.5) ?? sorted.at(-1) ?? 0;
  return sorted.findLast((each) => each < at - 0.5) ?? 0;
}

/**
 * What is worth a mark on the slider: finishes, changes of the lead, redeals.
 *
 * @param {readonly Run[]} runs
 * @returns {{at: number, words: string}[]}
 */
export function marks(runs) {
  /** @type {{at: number, words: string}[]} */
  const found = [];
  const moves = runs.flatMap((run) => (run.frames ?? []).map(([at, move, home]) => ({ at, move, home, run })));
  moves.sort((a, b) => a.at - b.at);
  /** @type {Map<number, number>} */
  const homes = new Map();
  let leader = -1;
  for (const { at, move, home, run } of moves) {
    homes.set(run.entrant, home);
    if (move === 'redeal') found.push({ at, words: `${run.name} redeals` });
    const others = Math.max(-1, ...[...homes].filter(([entrant]) => entrant !== run.entrant).map(([, count]) => count));
    if (runs.length > 1 && at > 0 && home > others && leader !== run.entrant) {
      if (leader !== -1) found.push({ at, words: `${run.name} takes the lead` });
      leader = run.entrant;
    }
  }
  for (const run of runs) {
    if (run.state === 'finished' && run.ended_ms) found.push({ at: run.ended_ms, words: `${run.name} finishes` });
  }
  return found.sort((a, b) => a.at - b.at);
}

/**
 * What happened at each instant: what is worth a mark, otherwise who moved or is done.
 *
 * @param {readonly Run[]} runs
 * @returns {{at: number, words: string}[]} one for each of `instants`, in order
 */
export function captions(runs) {
  /** @type {Map<number, string[]>} */
  const marked = new Map();
  for (const { at, words } of marks(runs)) marked.set(at, [...(marked.get(at) ?? []), words]);
  /** @type {Map<number, string[]>} */
  const told = new Map();
  for (const run of runs) {
    for (const [at, words] of deedsOf(run)) told.set(at, [...(told.get(at) ?? []), `${run.name}: ${words.join(', ')}`]);
  }
  return instants(runs).map((at) => ({ at, words: (marked.get(at) ?? told.get(at) ?? (at === 0 ? ['The deal'] : [])).join('; ') }));
}

/**
 * @param {Run} run
 * @returns {Map<number, string[]>} its moves, and how it ended, at their instants
 */
function deedsOf({ frames = [], state, ended_ms }) {
  /** @type {Map<number, string[]>} */
  const found = new Map();
  const note = (/** @type {number} */ at, /** @type {string} */ words) => found.set(at, [...(found.get(at) ?? []), words]);
  for (const [at, move] of frames) if (move) note(at, move);
  if (ended_ms !== null && ended_ms !== undefined && state !== 'finished') note(ended_ms, stateWords(state));
  return found;
}

/**
 * A step line of cards home over time, in a box of 100 × 100, y upwards.
 *
 * @param {Run} run
 * @param {number} length  milliseconds
 * @param {number} goal
 * @returns {string} points of an SVG polyline
 */
export function curve(run, length, goal) {
  /** @type {string[]} */
  const points = [];
  let before = 100;
  for (const [at, , home] of run.frames ?? []) {
    const x = (100 * at) / Math.max(1, length);
    const y = 100 - (100 * home) / goal;
    if (points.length) points.push(`${x.toFixed(2)},${before.toFixed(2)}`);
    points.push(`${x.toFixed(2)},${y.toFixed(2)}`);
    before = y;
  }
  const end = (100 * (run.ended_ms ?? length)) / Math.max(1, length);
  if (points.length) points.push(`${end.toFixed(2)},${before.toFixed(2)}`);
  return points.join(' ');
}
