/** What the games are called. */

import { games } from '../net/api.js';

/** @typedef {{key: string, words: string}} Variant */

/**
 * @typedef {object} Brief  a game as `/api/v1/games` has it
 * @property {string} key
 * @property {string} name
 * @property {string} object
 * @property {number} packs
 * @property {number} cards
 * @property {boolean} hides_cards
 * @property {boolean} luck_after_deal
 * @property {Variant[]} variants
 */

/** The games in the server's order, and how each key reads. */
export class Catalogue {
  /** @param {readonly Brief[]} briefs */
  constructor(briefs) {
    this.briefs = briefs;
    /** @type {Map<string, string>} */
    this.titles = new Map();
    for (const game of briefs) {
      this.titles.set(game.key, game.name);
      for (const { key } of game.variants) this.titles.set(key, `${game.name} (${variantOf(key)})`);
    }
  }

  /**
   * @param {string} key  a game's, or `key:variant`
   * @returns {string} `Opus (no-wrap)`; the key itself of a game that this server does not have
   */
  title(key) {
    return this.titles.get(key) ?? key;
  }

  /**
   * @param {string} key
   * @returns {Brief | null} the game, also of a variant's key
   */
  find(key) {
    return this.briefs.find((game) => game.key === plainKey(key)) ?? null;
  }
}

/** @returns {Promise<Catalogue>} */
export async function catalogue() {
  return new Catalogue(await games());
}

/** @param {string} key */
export function plainKey(key) {
  return key.split(':')[0] ?? key;
}

/**
 * @param {string} key
 * @returns {string} `no-wrap`; empty for the game as it is
 */
export function variantOf(key) {
  return key.split(':')[1] ?? '';
}

/**
 * @param {Brief} game
 * @returns {string[]} what sets it apart, in a few words each
 */
export function traits(game) {
  return [
    game.packs === 1 ? '1 pack' : `${game.packs} packs`,
    `${game.cards} cards`,
    game.hides_cards ? 'Some cards hidden' : 'All cards in sight',
    game.luck_after_deal ? 'Luck after the deal' : 'No luck after the deal',
  ];
}
