/** The rules of a game beside the table, what its words mean, and the keys. */

import { h } from '../dom.js';

/**
 * The generated rules text as headings, paragraphs and lists: a line alone with a blank line before
 * and none after it is a heading, one that begins with `- ` is an item.
 *
 * @param {string} text
 * @returns {HTMLElement}
 */
export function rulesBody(text) {
  const body = h('div', { class: 'rules' });
  const blocks = text.trim().split(/\n{2,}/).slice(1);
  for (const block of blocks) {
    const [first = '', ...rest] = block.split('\n');
    if (rest.length === 0 || first.length > 40 || first.endsWith('.')) {
      body.append(...lines([first, ...rest]));
    } else {
      body.append(h('h3', {}, first), ...lines(rest));
    }
  }
  return body;
}

/**
 * @param {string[]} text
 * @returns {HTMLElement[]}
 */
function lines(text) {
  /** @type {HTMLElement[]} */
  const made = [];
  /** @type {HTMLUListElement | null} */
  let list = null;
  for (const line of text) {
    if (/^[-*] /.test(line)) {
      if (list === null) {
        list = h('ul');
        made.push(list);
      }
      list.append(h('li', {}, line.slice(2)));
    } else if (list !== null && /^\s+/.test(line)) {
      list.lastElementChild?.append(` ${line.trim()}`);
    } else {
      list = null;
      made.push(h('p', {}, line));
    }
  }
  return made;
}

/** @type {Record<string, string>} */
const ACTS = {
  draw: 'Turns cards of the stock over, onto the waste.',
  deal: 'Lays new cards of the stock onto the piles.',
  redeal: 'Takes cards up and lays them out again, as the rules say.',
};

/**
 * What the words mean that stand on the table and its buttons, for who has never seen them.
 *
 * @param {import('../net/link.js').Message} game
 * @returns {[string, string][]}
 */
export function glossary({ piles, goal, actions, redeals }) {
  const home = piles.filter((/** @type {any} */ pile) => pile.home).map((/** @type {any} */ pile) => pile.name);
  const times = redeals === null ? '' : ` It can be done ${redeals === 1 ? 'once' : `${redeals} times`}.`;
  return [
    ['Home', `Where ${goal} cards have to come: ${home.length > 2 ? `${home[0]} to ${home.at(-1)}` : home.join(' and ')}. Whoever has all of theirs there has finished.`],
    ...actions.map((/** @type {string} */ each) => [`${each[0]?.toUpperCase()}${each.slice(1)}`, `${ACTS[each] ?? ''}${each === 'redeal' ? times : ''}`]),
    ['Safe', 'A card that can go home and that nothing on the table can want any more.'],
  ];
}

/** @param {import('../net/link.js').Message} game */
export function glossaryList(game) {
  return h('dl', { class: 'words' }, glossary(game).map(([word, meaning]) => h('div', {}, h('dt', {}, word), h('dd', {}, meaning))));
}

/**
 * @param {string} key  as it is kept
 * @returns {string} what is pressed for it: `u`, `Shift+L`
 */
export function pressed(key) {
  return key === key.toLowerCase() ? key : `Shift+${key}`;
}

/**
 * @param {import('../net/link.js').Message} game
 * @param {readonly (readonly [string, string])[]} keys
 * @returns {HTMLDialogElement}
 */
export function rulesDialog(game, keys) {
  return h('dialog', { class: 'sheet rules-dialog', 'aria-label': `Rules of ${game.name}` },
    h('form', { method: 'dialog', class: 'spread' }, h('h2', {}, game.name), h('button', { 'aria-label': 'Close' }, 'Close')),
    rulesBody(game.rules),
    h('h3', {}, 'Words'),
    glossaryList(game),
    h('h3', {}, 'Keys'),
    h('p', {}, 'Type piles to move: ', h('kbd', {}, '3f'), ' is T3 home, ', h('kbd', {}, '34'), ' T3 onto T4, ', h('kbd', {}, 'w4'), ' the waste onto T4. Or walk with the arrows and press ', h('kbd', {}, 'Enter'), '. Or write whole moves into the field “Type a move”, which ', h('kbd', {}, 'Tab'), ' finds before the table.'),
    h('dl', { class: 'keys' }, keys.map(([key, words]) => h('div', {}, h('dt', {}, h('kbd', {}, pressed(key))), h('dd', {}, words)))));
}
