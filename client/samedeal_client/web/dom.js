/**
 * Elements from plain calls: `h('p', {class: 'note'}, 'Hello ', h('b', {}, name))`.
 *
 * Text is always text, never markup, so nothing that a player typed can become an element.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Props */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element. A property that begins with `on` is a listener; `class`, `data-…` and `aria-…`
 * are attributes; true is an attribute without a value, null and false are none; `style` is an
 * object of CSS properties, custom ones included.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  dress(element, props);
  element.append(...nodes(children));
  return element;
}

/**
 * The same for SVG.
 *
 * @param {string} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, props = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  dress(element, props);
  element.append(...nodes(children));
  return element;
}

/**
 * Replaces what is in an element, where it differs: a text that stays the same is not touched, so
 * that a live region does not say it again.
 *
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  const wanted = nodes(children);
  if (wanted.length === 1 && typeof wanted[0] === 'string' && element.childElementCount === 0) {
    if (element.textContent !== wanted[0]) element.textContent = wanted[0];
    return;
  }
  element.replaceChildren(...wanted);
}

/**
 * Keeps a list of keyed children in step with values, reusing elements, in order.
 *
 * @template V
 * @param {Element} parent
 * @param {readonly V[]} values
 * @param {(value: V) => string} keyOf
 * @param {(value: V, element: HTMLElement | null) => HTMLElement} draw  gets the element that is there already
 */
export function keyed(parent, values, keyOf, draw) {
  /** @type {Map<string, HTMLElement>} */
  const old = new Map();
  for (const child of [...parent.children]) {
    if (child instanceof HTMLElement && child.dataset.key !== undefined) old.set(child.dataset.key, child);
  }
  let at = parent.firstElementChild;
  for (const value of values) {
    const key = keyOf(value);
    const before = old.get(key) ?? null;
    const element = draw(value, before);
    element.dataset.key = key;
    old.delete(key);
    if (before !== null && before !== element) before.remove();
    if (element === at) at = at.nextElementSibling;
    else parent.insertBefore(element, at?.isConnected === false ? null : at);
  }
  for (const element of old.values()) element.remove();
}

/**
 * @param {Element} element
 * @param {Props} props
 */
function dress(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on') && typeof value === 'function') {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name === 'style') {
      const style = /** @type {ElementCSSInlineStyle} */ (/** @type {unknown} */ (element)).style;
      for (const [property, said] of Object.entries(/** @type {Record<string, string>} */ (value))) {
        style.setProperty(property, said);
      }
    } else if (name === 'value' && 'value' in element) {
      /** @type {HTMLInputElement} */ (element).value = String(value);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  /** @type {(Node | string)[]} */
  const found = [];
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    found.push(child instanceof Node ? child : String(child));
  }
  return found;
}
