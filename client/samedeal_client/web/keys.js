/**
 * Which key asks for what at the table: the player's own, kept in localStorage one by one.
 *
 * Keys that the table reads (piles by letter and number, the arrows’ helpers) cannot be had, and no
 * key asks for two things. Without storage (a private window) they last as long as the page.
 */

/** What may be asked with one key, and the usual one; capitals, so that small letters stay the piles’. */
export const DEEDS = /** @type {const} */ ({
  undo: { usual: 'u', words: 'take the last move back' },
  hint: { usual: 'h', words: 'a hint, where the terms allow them; again, the next best' },
  finish: { usual: 'n', words: 'bring every card home, when that wins' },
  home: { usual: 'a', words: 'send home what no card on the table can want' },
  rules: { usual: '?', words: 'the rules of this game, and these keys' },
  'last-move': { usual: 'L', words: 'say the last move' },
  clock: { usual: 'C', words: 'say the clock' },
  others: { usual: 'O', words: 'say how the others stand' },
  stock: { usual: 'S', words: 'say what is left to deal' },
  zen: { usual: 'Z', words: 'hide or show the others' },
  'full-screen': { usual: 'F', words: 'full screen' },
});

/** @typedef {keyof typeof DEEDS} Deed */

const NAMES = /** @type {Deed[]} */ (Object.keys(DEEDS));
const PREFIX = 'samedeal.key.';
/** The letters of piles and of the stock’s action, their numbers, and what goes between and after them. */
const TABLES = /^[tfcrswd\d.+=\s-]$/;

export class Keys {
  /** @param {Storage | null} storage */
  constructor(storage) {
    this.storage = storage;
    /** @type {Map<Deed, string>} */
    this.kept = new Map();
    for (const deed of NAMES) {
      const said = this.#read(deed);
      if (said !== null && isKey(said)) this.kept.set(deed, said);
    }
    if (new Set(NAMES.map((deed) => this.of(deed))).size < NAMES.length) this.kept.clear();
  }

  /**
   * @param {Deed} deed
   * @returns {string}
   */
  of(deed) {
    return this.kept.get(deed) ?? DEEDS[deed].usual;
  }

  /**
   * @param {string} key
   * @returns {Deed | null} what the key asks for
   */
  deed(key) {
    return NAMES.find((deed) => this.of(deed) === key) ?? null;
  }

  /** Each key, and what it asks for. @returns {[string, string][]} */
  list() {
    return NAMES.map((deed) => [this.of(deed), DEEDS[deed].words]);
  }

  /**
   * @param {Deed} deed
   * @param {string} key
   * @returns {string | null} why it cannot be had, as a sentence
   */
  fault(deed, key) {
    if (TABLES.test(key)) return `“${key}” moves cards at the table: take another key.`;
    if (!isKey(key)) return 'Take one key that writes something, such as a letter.';
    const other = this.deed(key);
    return other === null || other === deed ? null : `“${key}” is taken already: ${DEEDS[other].words}.`;
  }

  /**
   * @param {Deed} deed
   * @param {string} key  one that `fault` has nothing against
   */
  set(deed, key) {
    const fault = this.fault(deed, key);
    if (fault !== null) throw new RangeError(fault);
    this.kept.set(deed, key);
    try {
      this.storage?.setItem(PREFIX + deed, key);
    } catch {
      // A full or forbidden storage: the key lasts as long as the page.
    }
  }

  /** Makes every key the usual one. */
  reset() {
    this.kept.clear();
    try {
      for (const deed of NAMES) this.storage?.removeItem(PREFIX + deed);
    } catch {
      // Nothing is kept where storage is forbidden.
    }
  }

  /** @param {Deed} deed */
  #read(deed) {
    try {
      return this.storage?.getItem(PREFIX + deed) ?? null;
    } catch {
      return null;
    }
  }
}

/** @param {string} key */
function isKey(key) {
  return [...key].length === 1 && !TABLES.test(key) && !/[\p{C}\p{Z}]/u.test(key);
}
