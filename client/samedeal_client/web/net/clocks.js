/** The clocks of a race as they run here, from what the server tells as durations. */

export class Clocks {
  /** The instant of the start. @type {number | null} */
  #starts = null;
  /** When the own clock, or the race's, showed zero. @type {number | null} */
  #zero = null;
  /** Since when it stands still. @type {number | null} */
  #stopped = null;
  /** @type {number | null} */
  #closes = null;

  /**
   * @param {Record<string, any>} snapshot
   * @param {{runs: boolean}} how
   */
  set({ starts_in_ms: starts, elapsed_ms: elapsed, closes_in_ms: closes }, { runs }) {
    const now = performance.now();
    this.#starts = isTold(starts) ? now + starts : null;
    this.#zero = isTold(elapsed) ? now - elapsed : null;
    this.#closes = isTold(closes) ? now + closes : null;
    this.#stopped = runs ? null : now;
  }

  /** @param {number | null} ms  from now; null for a start that nobody knows */
  startIn(ms) {
    this.#starts = ms === null ? null : performance.now() + ms;
  }

  /** Lets the clock run from zero. */
  run() {
    this.#zero = performance.now();
    this.#stopped = null;
  }

  /** @param {number} ms  what the clock shows */
  show(ms) {
    this.#zero = performance.now() - ms;
  }

  stop() {
    this.#stopped ??= performance.now();
  }

  /** Takes time that the server was down off the clocks. @param {number} ms */
  leaveOut(ms) {
    if (this.#zero !== null && this.#stopped === null) this.#zero += ms;
    if (this.#starts !== null) this.#starts += ms;
  }

  /** @returns {number | null} milliseconds until the start */
  startsIn() {
    return this.#starts === null ? null : Math.max(0, this.#starts - performance.now());
  }

  /** @returns {number | null} how long the clock has run */
  elapsed() {
    return this.#zero === null ? null : Math.max(0, (this.#stopped ?? performance.now()) - this.#zero);
  }

  /** @returns {number | null} */
  closesIn() {
    return this.#closes === null ? null : Math.max(0, this.#closes - performance.now());
  }
}

/** @param {number | null | undefined} ms */
function isTold(ms) {
  return ms !== null && ms !== undefined;
}
