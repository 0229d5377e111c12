/** Something that is to be done soon, and not too often: many wishes come to one deed. */

export class Soon {
  /** @type {number | undefined} */
  #timer;
  #last = -Infinity;

  /**
   * @param {() => unknown} deed
   * @param {number} [gap]  the least time between two, in milliseconds
   */
  constructor(deed, gap = 120) {
    this.deed = deed;
    this.gap = gap;
  }

  go() {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#last + this.gap - performance.now());
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      this.#last = performance.now();
      this.deed();
    }, wait);
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = -1; // nothing more
  }
}
