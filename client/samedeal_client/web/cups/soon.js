/** Something that is to be done soon, and not too often: many wishes come to one deed. */

/** A deed takes no more than a quarter of the time, however long one is. */
const REST = 3;

export class Soon {
  /** @type {number | undefined} */
  #timer;
  #next = 0;

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
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      const begun = performance.now();
      this.deed();
      const ended = performance.now();
      this.#next = ended + Math.max(this.gap, REST * (ended - begun));
    }, Math.max(0, this.#next - performance.now()));
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = -1; // nothing more
  }
}
