/** Opens a race: which game, and under which terms. */

import { fill, h } from '../dom.js';
import { Refusal } from '../net/link.js';
import { catalogue, plainKey } from '../parts/catalogue.js';
import { choice, field, tick } from '../parts/fields.js';
import { keep, kept } from '../parts/kept.js';
import { picture } from '../parts/picture.js';
import { Fault, deedButton, sentence } from '../parts/said.js';
import { knows } from '../parts/taken.js';
import { termsChips } from '../parts/terms.js';
import { PRESETS, TICKS, asked, wishesOf } from '../parts/wishes.js';
import { cardTitle } from '../table/description.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../parts/catalogue.js').Catalogue} Catalogue */
/** @typedef {import('../parts/catalogue.js').Brief} Brief */
/** @typedef {import('../parts/wishes.js').Wishes} Wishes */

const LIMITS = /** @type {const} */ ([
  ['300', '5 minutes'], ['600', '10 minutes'], ['900', '15 minutes'], ['1800', '30 minutes'], ['3600', '1 hour'],
  ['7200', '2 hours'], ['86400', '1 day'], ['none', 'None'],
]);
const CLOSES = /** @type {const} */ ([
  ['3600', '1 hour'], ['21600', '6 hours'], ['86400', '24 hours'], ['259200', '3 days'], ['604800', '7 days'], ['2592000', '30 days'],
]);
const GRACES = /** @type {const} */ ([
  ['60', '1 minute'], ['300', '5 minutes'], ['900', '15 minutes'], ['3600', '1 hour'], ['none', 'Until the time limit'],
]);
const DELAYS = /** @type {const} */ ([['0', 'At once'], ['30', '30 seconds late'], ['60', '1 minute late'], ['300', '5 minutes late'], ['900', '15 minutes late']]);

/** Words of the server's sentences that are fields of the form, besides those with an underline. */
const ABOUT = new Set(['seed', 'phrase']);

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const games = await catalogue();
  const form = new NewRace(context, games);
  return { title: 'New race', node: form.node };
}

class NewRace {
  /**
   * @param {Context} context
   * @param {Catalogue} games
   */
  constructor(context, games) {
    this.context = context;
    this.games = games;
    this.fault = new Fault();
    this.variant = h('div', { class: 'variant' });
    this.summary = h('div', { class: 'summary' });
    this.presets = PRESETS.map((preset) => h('button', { type: 'button', class: 'kind', 'aria-pressed': 'false', onclick: () => this.#take(wishesOf(preset)) },
      h('b', {}, preset.words), h('span', { class: 'quiet' }, preset.about)));
    this.plays = h('input', { type: 'checkbox', checked: true });
    const create = deedButton('Open the race', this.fault, () => this.#create(), { kind: 'primary big', type: 'submit' });
    this.form = h('form', { class: 'new-race', novalidate: true, onchange: () => this.#changed(), oninput: () => this.#changed() },
      this.#picker(),
      h('fieldset', { class: 'bare' }, h('legend', {}, 'What kind of race'), h('div', { class: 'kinds' }, this.presets)),
      h('div', { class: 'new-rest' },
        h('section', { 'aria-labelledby': 'one-by-one' }, h('h2', { id: 'one-by-one' }, 'How it is raced, point by point'), this.#groups()),
        h('section', { class: 'sheet send', 'aria-labelledby': 'comes-to' }, h('h2', { id: 'comes-to' }, 'What it comes to'), this.summary, tick('I play myself', this.plays), this.fault.node, h('p', { class: 'row' }, create))));
    this.node = h('div', { class: 'wide' }, h('h1', {}, 'New race'), this.form);
    const wished = PRESETS.find((each) => each.key === context.query.get('preset')) ?? PRESETS[0];
    if (wished) this.#take(wishesOf(wished));
    this.#showVariants(context.query.get('game') ?? '');
    this.#changed();
  }

  // --- the game ---

  #picker() {
    const { briefs } = this.games;
    const keys = briefs.map((game) => game.key);
    const wished = plainKey(this.context.query.get('game') ?? '');
    const chosen = keys.includes(wished) ? wished : kept('game', keys, keys[0] ?? '');
    const strip = h('div', { class: 'picker' }, briefs.map((game) => {
      const radio = h('input', { type: 'radio', name: 'game', value: game.key, onchange: () => this.#showVariants('') });
      radio.checked = game.key === chosen;
      return h('label', { class: 'pick' }, radio, picture(this.context, game.key), h('span', {}, game.name));
    }));
    // In the middle, where the strip snaps to.
    requestAnimationFrame(() => {
      const pick = strip.querySelector('input:checked')?.closest('label');
      if (pick instanceof HTMLElement) strip.scrollLeft = pick.offsetLeft - strip.offsetLeft - (strip.clientWidth - pick.offsetWidth) / 2;
    });
    return h('fieldset', { class: 'bare' }, h('legend', {}, 'Game'), strip, this.variant);
  }

  get #game() {
    const radio = this.form.elements.namedItem('game');
    return radio instanceof RadioNodeList ? radio.value : '';
  }

  /** @param {string} wished */
  #showVariants(wished) {
    const brief = this.games.find(this.#game);
    const variants = brief?.variants ?? [];
    const note = h('a', { href: `/games/${brief?.key}` }, `Rules of ${brief?.name}`);
    this.variant.replaceChildren(variants.length
      ? field('Variant', choice('variant', [['', 'As usual'], ...variants.map(({ key, words }) => /** @type {[string, string]} */ ([key, words]))], wished), note)
      : h('p', {}, note));
  }

  // --- the terms ---

  #groups() {
    const number = (/** @type {string} */ name, /** @type {number} */ min, /** @type {number} */ max) =>
      h('input', { type: 'number', name, min, max, inputmode: 'numeric', required: true });
    const box = (/** @type {string} */ name) => h('input', { type: 'checkbox', name });
    const when = (/** @type {string} */ test, /** @type {HTMLElement} */ node) => {
      node.dataset.when = test;
      return node;
    };
    return [
      group('When', true,
        field('Start', choice('mode', [['live', 'All together'], ['async', 'Each when they like']])),
        when('mode=live', field('What starts it', choice('start', [['all-ready', 'Everybody is ready'], ['host', 'I do'], ['at', 'The clock']]))),
        when('start=at', field('At', h('input', { type: 'datetime-local', name: 'start_at', required: true }), 'By the clock of your device.')),
        when('mode=live', field('Countdown', number('countdown', 0, 60), 'Seconds.')),
        when('mode=async', field('Open for', choice('closes', CLOSES))),
        when('mode=async', tick('Ends only then', box('punctual'), 'Not sooner, even if all are done.')),
        field('Time limit', choice('limit', LIMITS), 'Whoever takes longer is out of time.')),
      group('Who', false,
        field('At least', number('entrants_min', 1, 64), 'Players.'),
        field('At most', number('entrants_max', 1, 64), 'Players.'),
        field('Who finds it', choice('visibility', [['public', 'Everybody'], ['unlisted', 'Who has the link'], ['phrase', 'Who knows the pass phrase']])),
        when('visibility=phrase', field('Pass phrase', h('input', { type: 'text', name: 'phrase', maxlength: '64', autocomplete: 'off', required: true }), 'Tell it to those who may come in.')),
        tick('Bots may enter', box('bots'))),
      group('Play', false,
        field('Undo', choice('undo', [['free', 'As you like'], ['not-past-a-reveal', 'Not past a turned card'], ['penalty', 'For some seconds each'], ['none', 'Not at all']])),
        when('undo=penalty', field('Cost of an undo', number('undo_penalty', 1, 600), 'Seconds.')),
        tick('Hints', box('hints'), 'Players may ask for a move worth trying.'),
        tick('Blind', box('blind'), 'How others do is hidden until you are done.'),
        tick('Rated', box('rated'), 'Counts for ratings and leaderboards; the deal is drawn by chance.'),
        field('Away for at most', choice('grace', GRACES), 'Whose connection is lost for longer has given up.')),
      group('Spectators', false,
        field('They see', choice('spectators', [['boards', 'The boards'], ['progress', 'How far everybody is'], ['none', 'Nothing until the end']])),
        when('spectators!=none', field('When', choice('delay', DELAYS)))),
      group('The deal', false,
        field('Seed', h('input', { type: 'text', name: 'seed', maxlength: '64', autocomplete: 'off' }),
          'What the deal is made from: any words; the same words give the same deal. Empty: drawn by chance, and nobody knows it before the start.')),
    ];
  }

  /** @param {Wishes} wishes */
  #take(wishes) {
    for (const [name, value] of Object.entries(wishes)) {
      const control = this.form.elements.namedItem(name);
      if (control instanceof HTMLSelectElement || (control instanceof HTMLInputElement && control.type !== 'checkbox')) control.value = value;
    }
    for (const name of TICKS) {
      const control = this.form.elements.namedItem(name);
      if (control instanceof HTMLInputElement) control.checked = wishes[name] === 'on';
    }
    const phrase = this.form.elements.namedItem('phrase');
    if (wishes.visibility === 'phrase' && phrase instanceof HTMLInputElement) {
      phrase.value = twoCards();
      this.#unfold(phrase);
    }
    this.#changed();
  }

  /** @returns {Wishes} */
  #wishes() {
    /** @type {Wishes} */
    const wishes = {};
    for (const [name, value] of new FormData(this.form)) wishes[name] = String(value);
    return wishes;
  }

  #asked() {
    const wishes = this.#wishes();
    return asked(wishes, wishes.variant || this.#game);
  }

  /** Shows the fields that matter, the preset that it is, and the terms in words. */
  #changed() {
    const wishes = this.#wishes();
    for (const node of this.form.querySelectorAll('[data-when]')) {
      const [, name = '', not, value] = /^(\w+)(!?)=(.*)$/.exec(/** @type {HTMLElement} */ (node).dataset.when ?? '') ?? [];
      const is = wishes[name] === value && !(name === 'start' && wishes.mode === 'async');
      /** @type {HTMLElement} */ (node).hidden = not ? is : !is;
    }
    const now = JSON.stringify(asked({ ...wishes, phrase: '' }, ''));
    this.presets.forEach((button, at) => {
      const preset = PRESETS[at];
      const is = preset !== undefined && JSON.stringify(asked({ ...wishesOf(preset), phrase: '' }, '')) === now;
      button.setAttribute('aria-pressed', String(is));
    });
    const { terms } = this.#asked();
    const chips = termsChips(terms);
    if (this.summary.textContent !== chips.textContent) fill(this.summary, chips);
  }

  async #create() {
    for (const marked of this.form.querySelectorAll('[aria-invalid]')) marked.removeAttribute('aria-invalid');
    this.summary.after(this.fault.node);
    const wrong = [...this.form.elements].find((each) => each instanceof HTMLInputElement && each.closest('[hidden]') === null && !each.checkValidity());
    if (wrong instanceof HTMLInputElement) {
      this.#blame(wrong, `${wrong.labels?.[0]?.textContent ?? wrong.name}: ${wrong.validationMessage}`);
      return;
    }
    keep('game', this.#game);
    try {
      const asked = this.#asked();
      const { race } = await this.context.link.ask('create', asked);
      if (asked.phrase) knows(race, asked.phrase);
      if (this.plays.checked) await this.#enter(race, asked.phrase);
      this.context.go(`/r/${race}`);
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      this.#refused(fault);
    }
  }

  /**
   * @param {string} race  just opened; if one cannot enter, its lobby has a button that says why
   * @param {string | undefined} phrase
   */
  async #enter(race, phrase) {
    try {
      await this.context.link.ask('join', { race, ...(phrase === undefined ? {} : { phrase }) });
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
    }
  }

  /**
   * Says what is wrong where it is.
   *
   * @param {HTMLInputElement} control
   * @param {string} words
   */
  #blame(control, words) {
    control.setAttribute('aria-invalid', 'true');
    this.#unfold(control);
    control.closest('.field, .tick')?.after(this.fault.node);
    this.fault.say(words);
    control.focus();
  }

  /** @param {HTMLElement} control */
  #unfold(control) {
    const folded = control.closest('details');
    if (folded) folded.open = true;
  }

  /**
   * The server's sentence, with what the form calls the terms, beside the first field that it is about.
   *
   * @param {Refusal} fault
   */
  #refused(fault) {
    /** @type {HTMLInputElement | null} */
    let about = null;
    const words = fault.message.replace(/`?\b([a-z]+(?:_[a-z]+)?)\b`?/g, (said, name) => {
      const control = this.form.elements.namedItem(name);
      const isTerm = name.includes('_') || said.startsWith('`') || ABOUT.has(name);
      if (!isTerm || !(control instanceof HTMLInputElement)) return said;
      about ??= control;
      return name.includes('_') ? `“${control.labels?.[0]?.textContent ?? name}”` : said;
    });
    if (about === null) this.fault.say(sentence(words));
    else this.#blame(about, sentence(words));
  }
}

/**
 * @param {string} words
 * @param {boolean} isOpen
 * @param {...HTMLElement} fields
 */
function group(words, isOpen, ...fields) {
  return h('details', { class: 'sheet terms-group', open: isOpen }, h('summary', {}, words), h('div', { class: 'fields' }, fields));
}

/** A pass phrase that is easily said on the telephone: two cards. */
function twoCards() {
  const [one = 0, other = 0] = crypto.getRandomValues(new Uint32Array(2));
  const card = (/** @type {number} */ at) => cardTitle(`${'A23456789TJQK'[at % 13]}${'CDHS'[Math.floor(at / 13) % 4]}`);
  return `${card(one)}, ${card(other)}`;
}
