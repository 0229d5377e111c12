/** Whether a connection lives: it is asked for a sign of life, and counts as dead when none comes. */

const ANSWER_MS = 6000;
/** How soon one has to answer that may be dead. */
export const DOUBT_MS = 1200;

export class Pulse {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #heart;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;

  /**
   * @param {() => Promise<unknown>} ping  resolves with the answer
   * @param {() => void} dead
   */
  constructor(ping, dead) {
    this.ping = ping;
    this.dead = dead;
  }

  /** Expects a sign of life. @param {number} [patience]  milliseconds */
  expect(patience = ANSWER_MS) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(this.dead, patience);
  }

  heard() {
    clearTimeout(this.#silence);
  }

  /**
   * Asks now, and again and again while there are answers.
   *
   * @param {number} every  milliseconds
   * @param {number} [patience]  milliseconds for the first answer
   */
  beat(every, patience) {
    clearTimeout(this.#heart);
    this.expect(patience);
    this.ping().then(
      () => {
        this.heard();
        clearTimeout(this.#heart);
        this.#heart = setTimeout(() => this.beat(every), every);
      },
      () => {}, // it was lost meanwhile
    );
  }

  stop() {
    clearTimeout(this.#heart);
    clearTimeout(this.#silence);
  }
}
