/** Brings a player into their race when it is called: a word, five seconds to say no, and there they are. */

import { fill, h } from '../dom.js';
import { Refusal } from '../net/link.js';
import { wanted } from './ledger.js';

const PAUSE_S = 5;
const AGAIN_MS = 500;

/** Races that somebody was brought into, or did not want to be: once is enough. @type {Set<string>} */
const offered = new Set();

export class Bringer {
  #left = 0;
  /** @type {string | null} */
  #race = null;
  /** What the page was called before it called. @type {string | null} */
  #title = null;
  /** @type {number | undefined} */
  #timer;

  /**
   * @param {import('../router.js').Context} context
   * @param {import('./cup.js').Cup} cup
   * @param {(fault: Refusal) => void} refused  told why one does not get in
   */
  constructor(context, cup, refused) {
    this.context = context;
    this.cup = cup;
    this.refused = refused;
    this.words = h('p', {});
    this.node = h('div', { class: 'toast sheet', hidden: true },
      this.words,
      h('div', { class: 'row' },
        h('button', { type: 'button', class: 'primary', onclick: () => this.go() }, 'Go now'),
        h('button', { type: 'button', onclick: () => this.#hide() }, 'Stay here')));
  }

  /** Looks whether a race wants the viewer. */
  look() {
    const calls = wanted(this.cup.sheet);
    if (this.#race !== null && !calls.some(({ race }) => race.race === this.#race)) this.#hide();
    const call = calls.find(({ race }) => !offered.has(race.race));
    if (call === undefined || this.#race !== null) return;
    offered.add(call.race.race);
    this.#race = call.race.race;
    this.#left = PAUSE_S;
    this.context.say(`Your race is ready. You are brought there in ${PAUSE_S} seconds.`, { urgent: true });
    this.#title ??= document.title;
    document.title = '▶ Your race is ready';
    this.node.hidden = false;
    this.#count();
  }

  /**
   * Enters a race and shows it; it is called a moment before it is open, so until then it is tried again.
   *
   * @param {string | null} [race]  the one that was just offered, unless told
   */
  async go(race = this.#race) {
    this.#hide();
    while (race !== null && !this.context.signal.aborted) {
      try {
        await this.context.link.ask('join', { race });
        this.context.go(`/r/${race}`);
        return;
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault;
        const isEarly = fault.code === 'no-such-race' && wanted(this.cup.sheet).some((each) => each.race.race === race);
        if (!isEarly) {
          this.refused(fault);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  /** With the page: who left it before the time was up said neither yes nor no, and is asked where they are. */
  close() {
    clearTimeout(this.#timer);
    if (this.#race !== null) offered.delete(this.#race);
  }

  #count() {
    fill(this.words, h('b', {}, 'Your race is ready.'), ` You are brought there in ${this.#left} s.`);
    this.#timer = window.setTimeout(() => {
      this.#left -= 1;
      if (this.#left > 0) this.#count();
      else this.go();
    }, 1000);
  }

  #hide() {
    clearTimeout(this.#timer);
    this.#race = null;
    this.node.hidden = true;
    if (this.#title !== null) document.title = this.#title;
    this.#title = null;
  }
}
