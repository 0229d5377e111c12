/**
 * What a player has set for this browser: kept in localStorage, shown as `data-…` on `<html>`.
 *
 * A value that is not one of the listed ones (an older program's, a stranger's edit) counts as the
 * default. Without storage (a private window) settings last as long as the page.
 */

/**
 * @typedef {object} Choice
 * @property {string} words
 * @property {readonly string[]} values
 * @property {string} usual
 */

const YES_NO = /** @type {const} */ (['on', 'off']);

/** @satisfies {Record<string, Choice>} */
export const CHOICES = /** @type {const} */ ({
  theme: { words: 'Colours of the pages', values: ['system', 'light', 'dark'], usual: 'system' },
  palette: { words: 'Suits', values: ['classic', 'paired', 'poker'], usual: 'classic' },
  faces: { words: 'Card faces', values: ['light', 'dark'], usual: 'light' },
  back: { words: 'Card backs', values: ['weave', 'lines', 'dots', 'plain', 'waves', 'contrast'], usual: 'weave' },
  felt: { words: 'Table', values: ['green', 'blue', 'grey', 'wine', 'night'], usual: 'green' },
  contrast: { words: 'Contrast', values: ['normal', 'high'], usual: 'normal' },
  print: { words: 'Print on the cards', values: ['normal', 'large'], usual: 'normal' },
  scale: { words: 'Size of the cards', values: ['80', '90', '100', '110', '120', '130', '140'], usual: '100' },
  animation: { words: 'Movement', values: ['normal', 'fast', 'off'], usual: 'normal' },
  targets: { words: 'Show where a card may go', values: ['off', 'pickup', 'always'], usual: 'pickup' },
  'auto-home': { words: 'Send safe cards home by themselves', values: YES_NO, usual: 'off' },
  mirror: { words: 'Mirror the table (left-handed)', values: YES_NO, usual: 'off' },
  shortcuts: { words: 'Single-key shortcuts', values: YES_NO, usual: 'on' },
  sound: { words: 'Sound', values: YES_NO, usual: 'off' },
  volume: { words: 'Volume', values: ['25', '50', '75', '100'], usual: '50' },
  'hush-hidden': { words: 'Silent while the page is hidden', values: YES_NO, usual: 'on' },
  'read-rivals': { words: 'Read rivals’ finishes aloud', values: YES_NO, usual: 'on' },
});

/** @typedef {keyof typeof CHOICES} Setting */

const PREFIX = 'samedeal.';

/** Tells `change` with the setting's name. */
export class Settings extends EventTarget {
  /** @param {Storage | null} storage */
  constructor(storage) {
    super();
    /** @type {Map<string, string>} */
    this.kept = new Map();
    this.storage = storage;
    for (const name of /** @type {Setting[]} */ (Object.keys(CHOICES))) {
      const said = this.#read(name);
      if (said !== null && this.#fits(name, said)) this.kept.set(name, said);
    }
  }

  /**
   * @param {Setting} name
   * @returns {string}
   */
  get(name) {
    return this.kept.get(name) ?? CHOICES[name].usual;
  }

  /**
   * @param {Setting} name
   * @returns {boolean} for those that are on or off
   */
  is(name) {
    return this.get(name) === 'on';
  }

  /**
   * @param {Setting} name
   * @param {string} value  one of the setting's; another is refused
   */
  set(name, value) {
    if (!this.#fits(name, value)) throw new RangeError(`${name} cannot be ${value}`);
    this.kept.set(name, value);
    try {
      this.storage?.setItem(PREFIX + name, value);
    } catch {
      // A full or forbidden storage: the setting lasts as long as the page.
    }
    this.dispatchEvent(new CustomEvent('change', { detail: name }));
  }

  /**
   * Shows every setting on an element, for style sheets, and keeps it so.
   *
   * @param {HTMLElement} root
   */
  shownOn(root) {
    const show = () => {
      for (const name of /** @type {Setting[]} */ (Object.keys(CHOICES))) {
        root.setAttribute(`data-${name}`, this.get(name));
      }
    };
    this.addEventListener('change', show);
    show();
  }

  /**
   * @param {Setting} name
   * @param {string} value
   */
  #fits(name, value) {
    return /** @type {readonly string[]} */ (CHOICES[name].values).includes(value);
  }

  /** @param {Setting} name */
  #read(name) {
    try {
      return this.storage?.getItem(PREFIX + name) ?? null;
    } catch {
      return null;
    }
  }
}

/** @returns {Storage | null} null where the browser forbids it */
export function browserStorage() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
