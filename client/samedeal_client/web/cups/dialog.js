/** The dialog in which a deed is done: what it means, what it asks for, and the server's refusal if there is one. */

import { fill, h } from '../dom.js';
import { Fault, refusal } from '../parts/said.js';
import { Refusal } from '../net/link.js';
import { drawFields, readField, showFault } from './form.js';
import { durationOf, wire } from './plan.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('./deeds.js').Deed} Deed */

export class DeedDialog {
  /**
   * @param {import('./cup.js').Cup} cup
   * @param {(deed: Deed, result: Message | null) => void} done
   */
  constructor(cup, done) {
    this.cup = cup;
    this.done = done;
    this.node = h('dialog', { class: 'sheet deed', 'aria-labelledby': 'deed-head' });
  }

  /**
   * @param {Deed} deed
   * @param {any} subject  the player or match that it is done to
   * @param {string} name  what that is called
   */
  open(deed, subject, name) {
    const fault = new Fault();
    const fields = deed.asks?.(this.cup.sheet, subject) ?? [];
    const values = Object.fromEntries(fields.map((field) => [field.name, beginning(field)]));
    const drawn = drawFields(fields, values);
    const submit = h('button', { type: 'submit', class: deed.isGrave ? 'danger' : 'primary' }, deed.title);
    const form = h('form', { novalidate: true },
      h('h2', { id: 'deed-head' }, name ? `${deed.title}: ${name}` : deed.title), h('p', {}, deed.sentence), fields.map((field) => folded(field, /** @type {HTMLElement} */ (drawn.get(field.name)))), fault.node,
      h('div', { class: 'row' }, submit, h('button', { type: 'button', onclick: () => this.node.close() }, 'Not now')));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      fault.clear();
      const said = Object.fromEntries(fields.map((field) => [field.name, readField(field, /** @type {HTMLElement} */ (drawn.get(field.name)))]));
      const faults = fields.map((field) => ({ field, fault: wire(field, said[field.name]).fault ?? null }));
      for (const each of faults) showFault(/** @type {HTMLElement} */ (drawn.get(each.field.name)), each.fault);
      const first = faults.find((each) => each.fault !== null);
      if (first) {
        /** @type {HTMLElement | null | undefined} */ (drawn.get(first.field.name)?.querySelector('input, select, textarea'))?.focus();
        return;
      }
      submit.disabled = true;
      try {
        const result = await this.cup.act(deed.makes(said, this.cup.sheet, subject));
        this.node.close();
        this.done(deed, result);
      } catch (refused) {
        if (refused instanceof RangeError) fault.say(refused.message);
        else if (refused instanceof Refusal) fault.say(refusal(refused));
        else throw refused;
      } finally {
        submit.disabled = false;
      }
    });
    fill(this.node, form);
    this.node.showModal();
    const first = fields.find((field) => !field.isFolded);
    /** @type {HTMLElement} */ (drawn.get(first?.name ?? '')?.querySelector('input, select, textarea') ?? submit).focus();
  }
}

/**
 * @param {import('./fields.js').Field} field
 * @param {HTMLElement} drawn
 */
function folded(field, drawn) {
  return field.isFolded ? h('details', {}, h('summary', {}, field.label), drawn) : drawn;
}

/** @param {import('./fields.js').Field} field */
function beginning(field) {
  if (field.kind === 'duration' && typeof field.usual === 'number') return durationOf(field.usual);
  if (field.kind === 'radio' && field.name === 'role') return field.options?.[0]?.[0] ?? '';
  return field.kind === 'check' ? false : '';
}
