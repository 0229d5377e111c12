/** What only the host of a race can do while it runs: take an entrant out of it. */

import { h } from '../dom.js';
import { choice, field } from './fields.js';
import { Fault, deedButton } from './said.js';

/** @typedef {import('../net/race.js').Race} Race */

/** The host's button beneath the lanes; nobody else sees one. `draw` shows whether there is anybody to take out. */
export class Hosting {
  /** @param {Race} race */
  constructor(race) {
    this.race = race;
    this.button = h('button', { type: 'button', onclick: () => this.#ask() }, 'Disqualify …');
    this.node = h('p', { class: 'hosting', hidden: true }, this.button);
  }

  draw() {
    const { race } = this;
    this.node.hidden = !race.isHost || race.phase !== 'running' || others(race).length === 0;
  }

  /** Asks whom and why. Nothing is done but by the button that says so. */
  #ask() {
    const { race } = this;
    const whom = choice('entrant', others(race).map((each) => /** @type {[string, string]} */ ([String(each.entrant), each.bot ? `${each.name} (bot)` : each.name])));
    const why = h('input', { type: 'text', name: 'reason', maxlength: '200', autocomplete: 'off' });
    const fault = new Fault();
    const deed = deedButton('Disqualify', fault, async () => {
      await race.ask('disqualify', { entrant: Number(whom.value), reason: why.value.trim() });
      dialog.close();
    }, { kind: 'danger', type: 'submit' });
    const dialog = h('dialog', { class: 'sheet', 'aria-label': 'Disqualify an entrant' },
      h('form', { onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
        h('p', {}, 'Whoever is disqualified plays no further and is placed last. That cannot be taken back.'),
        field('Who', whom), field('Why', why, 'Everybody in the race can read it.'), fault.node,
        h('p', { class: 'row' }, deed, h('button', { type: 'button', onclick: () => dialog.close() }, 'Not now'))));
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}

/**
 * @param {Race} race
 * @returns {import('../net/race.js').Entrant[]} those who play and are not oneself, who would give up
 */
function others(race) {
  return [...race.entrants.values()].filter((each) => ['racing', 'hidden'].includes(each.state) && each.entrant !== race.you);
}
