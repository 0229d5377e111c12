/** What is said in a race: the lines, and a field to say something. */

import { fill, h } from '../dom.js';
import { refusal } from './said.js';

const KEPT = 200;

/**
 * The chat of a race; `draw` shows the new lines. Whoever opens it is in its field at once, and is back
 * where they were when they close it.
 */
export class Chat {
  #shown = 0;
  /** Whether the newest line is kept in sight: until somebody scrolls up to read. */
  #follows = true;
  /** What had the focus before something in here. @type {EventTarget | null} */
  #before = null;
  /** @type {unknown} */
  #drawn = null;

  /** @param {import('../net/race.js').Race} race */
  constructor(race) {
    this.race = race;
    this.lines = h('ol', {
      class: 'said', tabindex: '0', 'aria-label': 'What was said',
      onscroll: () => { this.#follows = this.lines.scrollTop + this.lines.clientHeight >= this.lines.scrollHeight - 8; },
    });
    // A box that was closed, moved to another page or made smaller shows other lines than before.
    new ResizeObserver(() => this.#keepUp()).observe(this.lines);
    this.field = h('input', {
      type: 'text', maxlength: '300', autocomplete: 'off', 'aria-label': 'Say something to everybody in the race', placeholder: 'Say something',
    });
    this.fault = h('p', { class: 'fault', role: 'alert', hidden: true });
    const form = h('form', { class: 'row', onsubmit: (/** @type {Event} */ event) => this.#say(event) },
      this.field, h('button', { type: 'submit' }, 'Say'));
    this.summary = h('summary', { onclick: (/** @type {Event} */ event) => this.#toggle(event) }, 'Chat');
    this.node = h('details', {
      class: 'chat',
      onfocusin: (/** @type {FocusEvent} */ event) => this.#entered(event.relatedTarget),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Escape' && !event.isComposing && this.node.open) this.#toggle(event);
      },
    }, this.summary, this.lines, this.fault, form);
  }

  draw() {
    const { chat } = this.race;
    if (chat !== this.#drawn) {
      fill(this.lines);
      this.#shown = 0;
      this.#drawn = chat;
    }
    for (; this.#shown < chat.length; this.#shown += 1) {
      const { name, text, bot } = /** @type {(typeof chat)[number]} */ (chat[this.#shown]);
      this.lines.append(h('li', {}, h('b', {}, h('bdi', {}, name), bot ? ' (bot)' : null), ' ', h('bdi', {}, text)));
    }
    while (this.lines.childElementCount > KEPT) this.lines.firstElementChild?.remove();
    this.#keepUp();
    fill(this.summary, chat.length ? `Chat (${chat.length})` : 'Chat');
  }

  #keepUp() {
    if (this.#follows) this.lines.scrollTop = this.lines.scrollHeight;
  }

  /** @param {EventTarget | null} from */
  #entered(from) {
    if (!(from instanceof Node && this.node.contains(from))) this.#before = from;
  }

  /**
   * Opens or closes it at once: the next key must not meet what had the focus before.
   *
   * @param {Event} event
   */
  #toggle(event) {
    event.preventDefault();
    this.node.open = !this.node.open;
    if (this.node.open) {
      this.#follows = true;
      this.field.focus({ preventScroll: true });
      this.node.scrollIntoView({ block: 'nearest' });
      return;
    }
    if (this.#before instanceof HTMLElement) this.#before.focus({ preventScroll: true });
    const held = document.activeElement;
    if (held instanceof HTMLElement && this.node.contains(held)) held.blur();
  }

  /** @param {Event} event */
  async #say(event) {
    event.preventDefault();
    const text = this.field.value.trim();
    if (!text) return;
    this.field.value = ''; // at once: a second Enter says nothing again
    try {
      await this.race.ask('chat', { text });
      this.fault.hidden = true;
    } catch (fault) {
      fill(this.fault, refusal(fault));
      this.field.value ||= text;
      this.fault.hidden = false;
    }
  }
}
