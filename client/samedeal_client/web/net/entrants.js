/** Who is in a race, as far as a viewer may know. Pure. */

/** @typedef {Record<string, any>} Message */

/**
 * @typedef {object} Entrant
 * @property {number} entrant
 * @property {string} name
 * @property {boolean} bot
 * @property {string} state
 * @property {boolean} away
 * @property {number | null} home
 * @property {number | null} moves
 * @property {number | null} elapsed_ms
 * @property {number} penalty_ms
 */

const DONE = new Set(['finished', 'stuck', 'gave-up', 'out-of-time', 'disqualified', 'withdrawn']);

/** @param {string} state */
export function isDone(state) {
  return DONE.has(state);
}

/**
 * @param {Message} view
 * @returns {Entrant}
 */
export function entrantOf(view) {
  return {
    entrant: view.entrant,
    name: view.name,
    bot: view.bot ?? false,
    state: view.state,
    away: view.away ?? false,
    home: view.home ?? null,
    moves: view.moves ?? null,
    elapsed_ms: view.elapsed_ms ?? null,
    penalty_ms: view.penalty_ms ?? 0,
  };
}
