/** What is done only if it is asked for twice, so that no single key or tap does what cannot be undone. Pure. */

/** How long a question stands, ms. */
export const PATIENCE_MS = 6000;

export class Twice {
  #what = '';
  #until = -Infinity;

  /**
   * @param {string} what
   * @param {number} now  ms
   * @returns {boolean} whether it was asked for just before, and nothing else since
   */
  isSure(what, now) {
    const isSure = what === this.#what && now < this.#until;
    this.#what = isSure ? '' : what;
    this.#until = now + PATIENCE_MS;
    return isSure;
  }
}
