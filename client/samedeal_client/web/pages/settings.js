/** Name, looks and manners of this browser, with the cards as they will look; and taking the name elsewhere. */

import { fill, h } from '../dom.js';
import { get } from '../net/api.js';
import { choice, field } from '../parts/fields.js';
import { keyFields } from '../parts/keyfields.js';
import { Fault, deedButton } from '../parts/said.js';
import { copied } from '../parts/share.js';
import { Board } from '../table/board.js';
import { parse } from '../table/position.js';
import { CHOICES } from '../settings.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../settings.js').Setting} Setting */

const SAMPLE_GAME = 'forty-thieves';

/** What is set together. @type {readonly {words: string, settings: readonly Setting[]}[]} */
const GROUPS = [
  { words: 'Cards', settings: ['palette', 'faces', 'print', 'scale', 'back'] },
  { words: 'Table', settings: ['felt', 'targets', 'animation', 'auto-home', 'mirror'] },
  { words: 'Pages', settings: ['theme', 'contrast', 'shortcuts', 'read-rivals'] },
  { words: 'Sound', settings: ['sound', 'volume', 'hush-hidden'] },
];

/** What a setting does, where its name does not say all. @type {Partial<Record<Setting, string>>} */
const ABOUT = {
  palette: 'Paired: warm and cool colours, two of each. Poker: a colour for each suit. Suits can always be told by their shape.',
  print: 'Large: a big rank and one big suit, for small screens and tired eyes.',
  scale: 'As far as the table has room for them.',
  targets: 'The piles that a chosen card may go to are outlined.',
  animation: 'How cards travel. Play never waits for it, and a device that asks for less motion gets none.',
  'auto-home': 'After your own moves, cards go home that no card on the table can want any more; never after you take a move back, or a card down.',
  mirror: 'Stock and foundations change sides.',
  shortcuts: 'Single letters do something on a race’s page: turn them off if you dictate or type by accident.',
  'read-rivals': 'A screen reader is told when a rival finishes.',
  'hush-hidden': 'No sound while you look at another tab.',
  contrast: 'High: stronger lines and text.',
};

/** How values read, where not as they are. @type {Partial<Record<Setting, Record<string, string>>>} */
const WORDS = {
  theme: { system: 'As the device', light: 'Light', dark: 'Dark' },
  palette: { classic: 'Red and black', paired: 'Paired, four colours', poker: 'Poker, four colours' },
  targets: { off: 'Never', pickup: 'When a card is picked up', always: 'Always' },
};

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const { settings } = context;
  const sample = await preview(context);
  /** @type {Map<Setting, HTMLSelectElement>} */
  const selects = new Map();
  const groups = GROUPS.map(({ words, settings: names }) => h('fieldset', { class: 'sheet' }, h('legend', {}, words),
    h('div', { class: 'fields' }, names.map((name) => {
      const select = choice(name, CHOICES[name].values.map((value) => [value, valueWords(name, value)]), settings.get(name));
      select.addEventListener('change', () => settings.set(name, select.value));
      selects.set(name, select);
      return field(CHOICES[name].words, select, ABOUT[name]);
    }))));
  const keys = keyFields(context);
  const reset = h('button', { type: 'button', onclick: () => {
    for (const [name, select] of selects) {
      settings.set(name, CHOICES[name].usual);
      select.value = CHOICES[name].usual;
    }
    keys.reset();
    context.say('All settings are as usual again.');
  } }, 'Set all as usual');
  return {
    title: 'Settings',
    close: () => sample.board.close(),
    node: h('div', { class: 'wide settings-page' },
      h('h1', {}, 'Settings'),
      h('p', { class: 'quiet' }, 'They hold for this browser, at once.'),
      identity(context),
      h('div', { class: 'settings-looks' },
        h('div', { class: 'settings-preview' }, h('h2', {}, 'How it looks'), sample.node),
        h('form', { class: 'settings-choices', 'aria-label': 'Settings' }, groups, keys.node, h('p', {}, reset)))),
  };
}

/**
 * @param {Setting} name
 * @param {string} value
 */
function valueWords(name, value) {
  if (name === 'scale' || name === 'volume') return `${value} %`;
  return WORDS[name]?.[value] ?? value.charAt(0).toUpperCase() + value.slice(1);
}

/**
 * A table with some moves made, to see cards, backs and felt by.
 *
 * @param {Context} context
 */
async function preview({ settings }) {
  const game = await get(`games/${SAMPLE_GAME}`);
  const board = new Board(game, { settings, isPlayable: false });
  board.show(parse(game.example.replace(/^W:.*$/m, 'W: 4D QS AH')));
  return { board, node: h('div', { class: 'preview', 'aria-hidden': 'true', inert: true }, board.node) };
}

// --- who one is ---

/** @param {Context} context */
function identity(context) {
  const { link, say } = context;
  const fault = new Fault();
  const input = h('input', { type: 'text', name: 'name', value: link.name ?? '', maxlength: '24', placeholder: 'Drawn with your first race', autocomplete: 'nickname', spellcheck: 'false' });
  const rename = deedButton('Take this name', fault, async () => {
    const wished = input.value.trim();
    if (!wished) {
      fault.say('A name has 1 to 24 characters.');
      input.focus();
      return;
    }
    await link.rename(wished);
    input.value = link.name ?? '';
    say(`You are ${link.name} now.`);
    fill(done, `You are ${link.name} now.`);
  }, { type: 'submit' });
  const done = h('p', { class: 'quiet' });
  const ratings = h('a', {}, 'Your ratings and times');
  const lead = () => ratings.setAttribute('href', `/players/${encodeURIComponent(link.name ?? '')}`);
  lead();
  link.addEventListener('change', () => {
    lead();
    if (document.activeElement !== input && link.state === 'up') input.value = link.name ?? '';
  }, { signal: context.signal });
  return h('section', { class: 'sheet identity' },
    h('h2', {}, 'Your name'),
    h('form', {}, field('Name', input, 'Up to 24 characters. Others see it in races and on the boards; nobody else may have the same.'),
      h('p', { class: 'row' }, rename), fault.node, done),
    link.name ? h('p', {}, ratings) : null,
    elsewhere(context));
}

/**
 * The key to one's name, to be taken to another browser; and a key that was brought from one.
 *
 * @param {Context} context
 */
function elsewhere({ link, say, go }) {
  const fault = new Fault();
  const shown = h('input', { type: 'text', class: 'code', readonly: true, value: link.token ?? '', onfocus: () => shown.select() });
  const copy = h('button', { type: 'button', onclick: async () => {
    if (await copied(link.token ?? '')) say('Key copied.');
    else shown.focus();
  } }, 'Copy');
  const brought = h('input', { type: 'text', class: 'code', autocomplete: 'off', spellcheck: 'false' });
  const become = deedButton('Be that player here', fault, async () => {
    const key = brought.value.trim();
    if (!key) {
      fault.say('Paste the key that the other browser shows.');
      brought.focus();
      return;
    }
    await link.become(key);
    say(`You are ${link.name} here now.`);
    go('/settings', { replace: true });
  }, { type: 'submit' });
  return h('details', {}, h('summary', {}, 'Move to another browser'),
    h('p', { class: 'warning' }, 'Whoever has this key is you: their races, their name, their ratings. Show it to nobody, and not to a stream.'),
    link.token
      ? h('div', {}, field('The key of this browser', shown), h('p', { class: 'row' }, copy))
      : h('p', {}, 'This browser has no key yet: it gets one with the first race.'),
    h('form', {}, field('A key from another browser', brought, 'The player of this browser is left behind, unless you have kept their key.'),
      h('p', { class: 'row' }, become), fault.node));
}
