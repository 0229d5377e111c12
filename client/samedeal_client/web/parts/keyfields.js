/** The keys of the table, each in a field of its own. */

import { h } from '../dom.js';
import { DEEDS } from '../keys.js';
import { field } from './fields.js';
import { pressed } from './rules.js';

/** @typedef {import('../keys.js').Deed} Deed */

/**
 * @param {import('../router.js').Context} context
 * @returns {{node: HTMLElement, reset: () => void}}
 */
export function keyFields({ keys, say }) {
  const fault = h('p', { class: 'warning', role: 'alert', hidden: true });
  const tell = (/** @type {string | null} */ sentence) => {
    fault.textContent = sentence ?? '';
    fault.hidden = sentence === null;
  };
  const inputs = /** @type {Deed[]} */ (Object.keys(DEEDS)).map((deed) => {
    const input = h('input', { type: 'text', class: 'key', name: `key-${deed}`, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' });
    const show = () => {
      input.value = pressed(keys.of(deed));
      input.removeAttribute('aria-invalid');
    };
    input.addEventListener('focus', () => input.select());
    input.addEventListener('input', (event) => {
      if (input.value === '') return;
      // What was typed just now, wherever in the field.
      const key = /** @type {InputEvent} */ (event).data ?? input.value;
      const sentence = keys.fault(deed, key);
      tell(sentence);
      if (sentence === null) {
        keys.set(deed, key);
        show();
      } else input.setAttribute('aria-invalid', 'true');
      input.select();
    });
    input.addEventListener('blur', show);
    show();
    return { deed, input, show };
  });
  const reset = () => {
    keys.reset();
    tell(null);
    for (const { show } of inputs) show();
  };
  const usual = h('button', { type: 'button', onclick: () => {
    reset();
    say('All keys are as usual again.');
  } }, 'Keys as usual');
  const node = h('fieldset', { class: 'sheet' }, h('legend', {}, 'Keys at the table'),
    h('div', { class: 'fields' }, inputs.map(({ deed, input }) => field(sentenceOf(DEEDS[deed].words), input))),
    fault, h('p', {}, usual));
  return { node, reset };
}

/** @param {string} words */
function sentenceOf(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
