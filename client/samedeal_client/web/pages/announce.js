/** Announcing a tournament: a preset, a name, a game, and it is done; every other term is folded away below. */

import { breaksFor, FIELDS, GROUPS } from '../cups/fields.js';
import { drawFields, noteOrder, readField, showFault } from '../cups/form.js';
import { asked, begun, fieldOf, namesOf, PRESETS, termsOf } from '../cups/plan.js';
import { Soon } from '../cups/soon.js';
import { FORMATS, termsLines } from '../cups/words.js';
import { fill, h } from '../dom.js';
import { Refusal } from '../net/link.js';
import { catalogue, plainKey, traits } from '../parts/catalogue.js';
import { keep, kept } from '../parts/kept.js';
import { picture } from '../parts/picture.js';
import { deedButton, Fault, refusal } from '../parts/said.js';
import { share } from '../parts/share.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../cups/fields.js').Values} Values */

/** For who has opened nothing yet: every card in sight, and no luck after the deal. */
const USUAL_GAME = 'streets-and-alleys';

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const page = new AnnouncePage(context, await catalogue());
  return { title: 'Host a tournament', node: page.node, close: () => page.summed.close() };
}

class AnnouncePage {
  /** @type {Map<string, HTMLElement>} */
  #fields = new Map();

  /**
   * @param {Context} context
   * @param {import('../parts/catalogue.js').Catalogue} games
   */
  constructor(context, games) {
    this.context = context;
    this.games = games;
    this.fault = new Fault();
    this.summary = h('dl', { class: 'terms' });
    this.summed = new Soon(() => this.#sum());
    this.groups = h('div', {});
    this.shown = h('div', { class: 'game-shown' });
    const keys = games.briefs.map((game) => game.key);
    const usual = keys.includes(USUAL_GAME) ? USUAL_GAME : keys[0] ?? '';
    this.first = kept('game', keys, usual);
    this.why = this.first === kept('game', keys, '') ? 'The game that you opened last' : 'One to begin with';
    const presets = h('fieldset', { class: 'cup-presets' }, h('legend', {}, 'Begin with'), h('div', { class: 'cards' }, PRESETS.map((preset, at) =>
      h('label', { class: 'sheet cup-preset' }, h('input', { type: 'radio', name: 'preset', value: preset.key, checked: at === 0, onchange: () => this.#begin(preset.key) }),
        h('span', {}, h('b', {}, preset.words), h('span', { class: 'quiet' }, preset.explained))))));
    const announce = deedButton('Announce it', this.fault, () => this.#announce(), { kind: 'primary big', type: 'submit' });
    const form = h('form', { novalidate: true }, presets, this.groups, this.fault.node, h('div', { class: 'row' }, announce));
    form.addEventListener('change', (event) => {
      noteOrder(event);
      this.#adapt(event.target instanceof Element ? event.target.closest('[data-field]')?.getAttribute('data-field') ?? '' : '');
    });
    form.addEventListener('input', (event) => {
      // A fault goes as soon as one types, and comes with the button only: nothing moves below a click.
      const field = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest('[data-field]'));
      if (field) showFault(field, null);
      this.summed.go();
    });
    this.node = h('div', { class: 'wide announce' }, h('h1', {}, 'Host a tournament'),
      h('div', { class: 'cup-body' }, h('div', { class: 'cup-main' }, form), h('aside', { class: 'cup-side sheet cup-summary', 'aria-labelledby': 'sum' }, h('h2', { id: 'sum' }, 'What it comes to'), this.summary)));
    this.#begin(PRESETS[0]?.key ?? '');
  }

  // --- the form ---

  /** @param {string} key  a preset's */
  #begin(key) {
    const preset = PRESETS.find((each) => each.key === key) ?? PRESETS[0];
    if (preset === undefined) throw new RangeError('there are presets');
    const before = this.#fields.size ? this.#values() : {};
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const values = begun({ name: this.context.link.name ?? '', zone, game: this.first }, preset);
    values.starts = localText(new Date(Math.ceil((Date.now() + 3_600_000) / 3_600_000) * 3_600_000));
    // What somebody has already said outlives the next preset.
    for (const said of ['game', 'games', 'choosing', 'starting', 'starts', 'about']) if (before[said] !== undefined) values[said] = before[said];
    this.#fields = drawFields(FIELDS, values, { games: this.games.briefs });
    this.#fields.get('game')?.append(this.shown);
    const wasOpen = new Set([...this.groups.querySelectorAll('details[open]')].map((each) => each.getAttribute('data-group')));
    this.groups.replaceChildren(...GROUPS.map(({ title, fields, isFirst }) => {
      const inside = h('div', { class: isFirst ? '' : 'group-fields' }, fields.map((field) => this.#fields.get(field.name)));
      return isFirst ? h('div', { class: 'group first', 'data-group': title }, inside)
        : h('details', { class: 'group', 'data-group': title, open: wasOpen.has(title) }, h('summary', {}, title), inside);
    }));
    this.#adapt('format');
  }

  /** @returns {Values} */
  #values() {
    return Object.fromEntries(FIELDS.map((field) => [field.name, readField(field, /** @type {HTMLElement} */ (this.#fields.get(field.name)))]));
  }

  /**
   * Asks for what is to be known by what stands in the form, and for nothing else.
   *
   * @param {string} changed  the field that was
   */
  #adapt(changed) {
    if (changed === 'repeats') this.#repeatLikeTheFirst();
    const values = this.#values();
    const names = new Set(asked(values).map((field) => field.name));
    for (const [name, element] of this.#fields) element.hidden = !names.has(name);
    for (const group of this.groups.querySelectorAll('details.group')) {
      /** @type {HTMLElement} */ (group).hidden = group.querySelectorAll('[data-field]:not([hidden])').length === 0;
    }
    this.#showGame(values.game);
    const possible = new Set(breaksFor(values.format).map(([key]) => key));
    for (const box of this.#fields.get('tie_breaks')?.querySelectorAll('input') ?? []) {
      const label = /** @type {HTMLElement} */ (box.closest('label'));
      label.hidden = !possible.has(box.value);
      if (label.hidden) box.checked = false;
    }
    this.summed.go();
  }

  /**
   * Shows the chosen game at a glance, and of the one that nobody chose, why it stands there.
   *
   * @param {string} key
   */
  #showGame(key) {
    if (this.shown.dataset.game === key) return;
    this.shown.dataset.game = key;
    const brief = this.games.find(key);
    fill(this.shown, picture(this.context, key), h('div', {},
      h('p', { class: 'quiet' }, `${key === this.first ? `${this.why}: ` : ''}${brief === null ? '' : traits(brief).join(', ').toLowerCase()}.`),
      h('p', {}, h('a', { href: `/games/${key}` }, `Rules of ${this.games.title(key)}`), h('span', { class: 'quiet' }, ` · ${this.games.briefs.length} games to choose from`))));
  }

  /** The clock and the weekday of the start, unless they are told. */
  #repeatLikeTheFirst() {
    const at = new Date(this.#values().starts);
    if (Number.isNaN(at.getTime())) return;
    const clock = this.#fields.get('clock')?.querySelector('input');
    if (clock) clock.value = localText(at).slice(11);
    const boxes = [...(this.#fields.get('weekdays')?.querySelectorAll('input') ?? [])];
    const day = boxes[(at.getDay() + 6) % 7];
    if (day && !boxes.some((box) => box.checked)) day.checked = true;
  }

  #sum() {
    const { terms } = termsOf(this.#values());
    const game = terms.race.game ?? '';
    const lines = terms.format.format in FORMATS ? termsLines({ ...terms, race: { ...terms.race, game } }, (key) => this.games.title(key)) : [];
    fill(this.summary, ...lines.flatMap(([what, said]) => [h('dt', {}, what), h('dd', {}, said || '–')]));
  }

  // --- announcing ---

  async #announce() {
    const values = this.#values();
    const { terms, faults } = termsOf(values);
    for (const [name, element] of this.#fields) showFault(element, faults.get(name) ?? null);
    const first = FIELDS.find((field) => faults.has(field.name));
    if (first) {
      this.#show(first.name);
      this.fault.say(`${first.label}: ${faults.get(first.name)}`);
      return;
    }
    const phrase = values.registration === 'phrase' ? { phrase: values.phrase.trim() } : {};
    try {
      keep('game', plainKey(terms.race.game));
      const { tournament } = await this.context.link.ask('announce-tournament', { terms, ...phrase });
      await this.#announced(tournament, values);
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      const name = fieldOf(fault.message, values);
      const element = name === null ? undefined : this.#fields.get(name);
      if (name === null || element === undefined) throw fault;
      showFault(element, refusal(fault));
      this.#show(name);
      throw fault;
    }
  }

  /**
   * Opens the group of a field and goes there.
   *
   * @param {string} name
   */
  #show(name) {
    const element = this.#fields.get(name);
    element?.closest('details')?.setAttribute('open', '');
    element?.querySelector('input, select, textarea')?.scrollIntoView({ block: 'center' });
    /** @type {HTMLElement | null | undefined} */ (element?.querySelector('input, select, textarea'))?.focus();
  }

  /**
   * @param {string} code
   * @param {Values} values
   */
  async #announced(code, values) {
    const { link, go, say } = this.context;
    const names = values.registration === 'invitation' ? namesOf(values.invited) : [];
    const refused = [];
    let secret = '';
    const after = [
      ...(names.length ? [{ act: 'invite', names }] : []),
      ...(values.hook.trim() ? [{ act: 'add-hook', url: values.hook.trim() }] : [])];
    for (const act of after) {
      try {
        const result = await link.ask('act-in-tournament', { tournament: code, act });
        secret = result?.secret ?? secret;
      } catch (fault) {
        refused.push(refusal(fault));
      }
    }
    if (!secret && !refused.length) {
      go(`/t/${code}/host`);
      return;
    }
    const heading = h('h1', { tabindex: '-1' }, 'It is announced');
    this.node.replaceChildren(heading,
      h('div', {}, refused.map((said) => h('p', { class: 'fault' }, said))),
      secret ? h('div', { class: 'sheet' }, h('h2', {}, 'The secret that signs what is posted'), h('p', {}, 'It is not shown again.'), h('p', { class: 'code secret' }, secret)) : '',
      share(`/t/${code}`, code, say), h('p', {}, h('a', { class: 'button primary', href: `/t/${code}/host` }, 'To the console')));
    heading.focus();
  }
}

/**
 * @param {Date} at
 * @returns {string} as `datetime-local` has it, by the clocks of this place
 */
function localText(at) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
