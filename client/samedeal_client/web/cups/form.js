/** Draws the fields of a form, reads what stands in them, and shows faults beside them. */

import { fill, h } from '../dom.js';

/** @typedef {import('./fields.js').Field} Field */
/** @typedef {import('../parts/catalogue.js').Brief} Brief */

let forms = 0;

/**
 * @param {Field[]} fields
 * @param {Record<string, any>} values  what stands in them
 * @param {{games?: readonly Brief[]}} [known]
 * @returns {Map<string, HTMLElement>} by field
 */
export function drawFields(fields, values, { games = [] } = {}) {
  const form = `f${++forms}`;
  return new Map(fields.map((field) => [field.name, drawn(field, values[field.name], `${form}-${field.name}`, games)]));
}

/**
 * @param {Field} field
 * @param {any} value
 * @param {string} id
 * @param {readonly Brief[]} games
 */
function drawn(field, value, id, games) {
  const said = [...(field.hint || field.endless ? [`${id}-hint`] : []), `${id}-fault`].join(' ');
  const hint = [field.hint, field.endless ? `Empty: ${field.endless}.` : ''].filter(Boolean).join(' ');
  const small = hint ? h('p', { class: 'quiet hint', id: `${id}-hint` }, hint) : null;
  const fault = h('p', { class: 'fault', id: `${id}-fault`, hidden: true });
  const props = { id, name: field.name, 'aria-describedby': said, 'aria-required': field.isNeeded ? 'true' : null };
  const label = h('label', { for: id }, field.label);
  if (field.kind === 'check') {
    const box = h('input', { ...props, type: 'checkbox', checked: Boolean(value) });
    return h('div', { class: 'field', 'data-field': field.name }, h('label', { class: 'ticked' }, box, field.label), small, fault);
  }
  if (field.kind === 'radio' || field.kind === 'several' || field.kind === 'games') {
    const options = field.kind === 'games' ? games.map((game) => [game.key, game.name]) : field.options ?? [];
    const boxes = options.map(([key, words]) => h('label', {}, h('input', {
      type: field.kind === 'radio' ? 'radio' : 'checkbox', name: `${id}-${field.name}`, value: key, 'data-order': [value].flat().indexOf(key),
      checked: field.kind === 'radio' ? key === value : value.includes(key),
    }), words));
    return h('fieldset', { class: `choice a-${field.kind}`, 'data-field': field.name, id, 'aria-describedby': said },
      h('legend', {}, field.label), h('div', { class: 'options' }, boxes), small, fault);
  }
  return h('div', { class: `field a-${field.kind}`, 'data-field': field.name }, label, control(field, value, props, games), small, fault);
}

/**
 * @param {Field} field
 * @param {any} value
 * @param {Record<string, unknown>} props
 * @param {readonly Brief[]} games
 */
function control(field, value, props, games) {
  switch (field.kind) {
    case 'select':
      return h('select', props, (field.options ?? []).map(([key, words]) => option(key, words, value)));
    case 'game':
      return h('select', props, games.map((game) => (game.variants?.length
        ? h('optgroup', { label: game.name }, option(game.key, game.name, value),
          game.variants.map((variant) => option(variant.key, `${game.name}: ${variant.words}`, value)))
        : option(game.key, game.name, value))));
    case 'area':
    case 'names':
      return h('textarea', { ...props, rows: 3, maxlength: field.max ?? null, value: value ?? '' });
    case 'number':
      return h('input', { ...props, type: 'number', min: field.min, max: field.max, step: 'any', inputmode: 'decimal', value: value ?? '' });
    case 'instant':
      return h('input', { ...props, type: 'datetime-local', value: value ?? '' });
    case 'time':
    case 'date':
    case 'url':
      return h('input', { ...props, type: field.kind, placeholder: field.example ?? null, value: value ?? '' });
    default:
      return h('input', {
        ...props, type: 'text', maxlength: field.max && field.kind === 'text' ? field.max : null, autocomplete: 'off',
        placeholder: field.kind === 'duration' ? '90s, 5m, 2h, 1d' : null, value: value ?? '',
      });
  }
}

/**
 * @param {string} key
 * @param {string} words
 * @param {any} value
 */
function option(key, words, value) {
  return h('option', { value: key, selected: key === value }, words);
}

/**
 * @param {Field} field
 * @param {HTMLElement} element  as it was drawn
 * @returns {any} what stands in it
 */
export function readField(field, element) {
  const inputs = [...element.querySelectorAll('input')];
  if (field.kind === 'check') return inputs[0]?.checked ?? false;
  const ticked = inputs.filter((input) => input.checked);
  if (field.kind === 'radio') return ticked[0]?.value ?? '';
  if (field.kind === 'several' || field.kind === 'games') {
    // In the order in which they were ticked.
    return ticked.sort((one, other) => Number(one.dataset.order) - Number(other.dataset.order)).map((input) => input.value);
  }
  return /** @type {HTMLInputElement} */ (element.querySelector('input, select, textarea')).value;
}

/**
 * Remembers in which order boxes are ticked.
 *
 * @param {Event} event  `change`
 */
export function noteOrder(event) {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || box.type !== 'checkbox' || box.dataset.order === undefined) return;
  const all = [...(box.closest('fieldset')?.querySelectorAll('input') ?? [])];
  box.dataset.order = String(1 + Math.max(0, ...all.map((each) => Number(each.dataset.order))));
}

/**
 * @param {HTMLElement} element  a field
 * @param {string | null} said
 */
export function showFault(element, said) {
  const fault = /** @type {HTMLElement} */ (element.querySelector(':scope > .fault'));
  fill(fault, said ?? '');
  fault.hidden = !said;
  for (const input of element.querySelectorAll('input, select, textarea')) {
    if (said) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  }
}
