/**
 * Brings a tree that is shown into the shape of one that was just drawn, keeping every element that
 * can stay: focus, scrolled boxes and opened details outlive what changes around them.
 *
 * Children are told apart by `data-key`, those without by tag and order. Listeners are not carried
 * over: what is drawn here is listened to at the root, by `data-do`.
 */

/** What the reader, not the drawing, decides. @type {Record<string, readonly string[]>} */
const READERS = { DETAILS: ['open'], DIALOG: ['open'] };

/**
 * @param {Element} shown
 * @param {Element} drawn  of the same tag; what is new moves over from it
 */
export function morph(shown, drawn) {
  const focused = document.activeElement;
  become(shown, drawn);
  if (focused instanceof HTMLElement && focused !== document.activeElement && shown.contains(focused)) {
    focused.focus({ preventScroll: true }); // moved, and with that blurred
  }
}

/**
 * @param {Element} shown
 * @param {Element} drawn
 */
function become(shown, drawn) {
  const kept = READERS[shown.tagName] ?? [];
  for (const { name } of [...shown.attributes]) {
    if (!drawn.hasAttribute(name) && !kept.includes(name)) shown.removeAttribute(name);
  }
  for (const { name, value } of drawn.attributes) {
    if (kept.includes(name) || shown.getAttribute(name) === value) continue;
    // Pages may not set style attributes, but styles.
    if (name === 'style') /** @type {HTMLElement} */ (shown).style.cssText = value;
    else shown.setAttribute(name, value);
  }
  const stock = new Map();
  for (const child of shown.childNodes) {
    const key = keyOf(child);
    stock.set(key, [...(stock.get(key) ?? []), child]);
  }
  let at = shown.firstChild;
  for (const wanted of [...drawn.childNodes]) {
    const old = stock.get(keyOf(wanted))?.shift();
    if (old instanceof Element && wanted instanceof Element) become(old, wanted);
    else if (old && old.nodeValue !== wanted.nodeValue) old.nodeValue = wanted.nodeValue;
    const child = old ?? wanted;
    if (child === at) at = child.nextSibling;
    else shown.insertBefore(child, at);
  }
  for (const left of [...stock.values()].flat()) left.remove();
}

/** @param {Node} node */
function keyOf(node) {
  if (!(node instanceof Element)) return '';
  return `${node.tagName} ${node.getAttribute('data-key') ?? ''}`;
}
