/** The last seconds before a start, big enough to be seen from the sofa, and said aloud. */

import { fill, h } from '../dom.js';
import { Sounds } from './sound.js';

const SPOKEN = new Set([10, 5, 3, 2, 1]);
/** Before that the page is still to be used: to talk, or to take ready back. */
const COVERS_MS = 10_000;

/** Covers the page at the end of a countdown; `draw` shows how long it still is. */
export class Countdown {
  #last = -1;
  #wasCounting = false;

  /**
   * @param {import('../router.js').Context} context
   * @param {import('../net/race.js').Race} race
   */
  constructor(context, race) {
    this.context = context;
    this.race = race;
    this.sounds = new Sounds(context.settings);
    this.count = h('span', { class: 'count' });
    this.node = h('div', { class: 'countdown', hidden: true, 'aria-hidden': 'true' },
      h('p', {}, race.game.name), this.count, h('p', {}, 'The deal comes at zero, for all at once.'));
  }

  draw() {
    const { race } = this;
    const left = race.phase === 'countdown' ? race.startsIn() : null;
    this.node.hidden = left === null || left > COVERS_MS;
    if (left === null) {
      if (this.#wasCounting && race.phase === 'running' && race.me?.state === 'racing') {
        this.context.say('Go!', { urgent: true });
        this.sounds.play('start');
      }
      this.#wasCounting = false;
      this.#last = -1;
      return;
    }
    this.#wasCounting = true;
    const seconds = Math.max(1, Math.ceil(left / 1000));
    if (seconds === this.#last) return;
    this.#last = seconds;
    fill(this.count, String(seconds));
    if (SPOKEN.has(seconds)) {
      this.context.say(String(seconds), { urgent: true });
      this.sounds.play('tick');
    }
  }

  close() {
    this.sounds.close();
  }
}
