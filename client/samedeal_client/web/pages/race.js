/** A race, from its lobby to its result, for whoever opens its link. */

import { OnwardLine } from '../cups/onward.js';
import { fill, h } from '../dom.js';
import { Race } from '../net/race.js';
import { Countdown } from '../parts/countdown.js';
import { Lobby } from '../parts/lobby.js';
import { Chat } from '../parts/chat.js';
import { Playing } from '../parts/playing.js';
import { enterRematch } from '../parts/rematch.js';
import { result } from '../parts/result.js';
import { Fault, deedButton } from '../parts/said.js';
import { takenUp } from '../parts/taken.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../router.js').Page} Page */

/**
 * @param {Context} context
 * @returns {Promise<Page>}
 */
export async function open(context) {
  const taken = await takenUp(context);
  return taken instanceof Race ? new RacePage(context, taken).page() : taken;
}

class RacePage {
  /** @type {'lobby' | 'playing' | 'result' | ''} */
  #stage = '';
  /** @type {{draw: () => void, node: HTMLElement, close?: () => void} | null} */
  #part = null;
  #isDue = false;

  /**
   * @param {Context} context
   * @param {Race} race
   */
  constructor(context, race) {
    this.context = context;
    this.race = race;
    this.node = h('div', { class: 'race' });
    this.countdown = new Countdown(context, race);
    this.rematch = h('div', { class: 'banner', role: 'status', hidden: true });
    this.body = h('div', { class: 'race-body' });
    // One for the life of the page: what is half typed stays when the race begins.
    this.chat = new Chat(race);
    this.node.append(this.rematch, this.body, this.countdown.node);
  }

  /** @returns {Page} */
  page() {
    const { race, context } = this;
    race.addEventListener('change', () => this.#soon(), { signal: context.signal });
    this.#ticking = window.setInterval(() => this.#tick(), 250);
    this.draw();
    return { title: race.game.name, node: this.node, close: () => this.#close() };
  }

  /** @type {number | undefined} */
  #ticking;

  #close() {
    clearInterval(this.#ticking);
    this.countdown.close();
    this.#part?.close?.();
    this.race.close();
  }

  /** Many changes at once are drawn once. */
  #soon() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (!this.context.signal.aborted) this.draw();
    });
  }

  #tick() {
    this.countdown.draw();
    if (this.#stage === 'lobby') this.#part?.draw();
  }

  draw() {
    const { race, context } = this;
    const stage = this.#wanted();
    if (stage === 'watch') {
      context.go(`/r/${race.code}/watch`, { replace: true });
      return;
    }
    const isNew = stage !== this.#stage;
    const held = document.activeElement;
    if (isNew) {
      this.#stage = stage;
      this.#part?.close?.();
      this.#part = this.#made(stage);
      fill(this.body, this.#part.node);
      context.fills(stage === 'playing');
    }
    this.#part?.draw();
    // What another window plays, or nobody can hear, is not to be pressed here.
    this.body.inert = context.link.state === 'ended' && stage !== 'result';
    if (isNew) requestAnimationFrame(() => this.#settle(held));
    this.countdown.draw();
    this.rematch.hidden = race.rematch === null;
    if (race.rematch !== null && this.rematch.dataset.race !== race.rematch) {
      this.rematch.dataset.race = race.rematch;
      this.#announce(race.rematch);
    }
  }

  /** @param {string} next  the rematch's code */
  #announce(next) {
    const { race, context } = this;
    const fault = new Fault();
    const raced = race.me !== null && race.me.state !== 'withdrawn';
    fill(this.rematch, 'A rematch is open. ', deedButton(raced ? 'Join it' : 'Go there', fault, async () => {
      await enterRematch(race, next);
      context.go(`/r/${next}`);
    }), fault.node);
  }

  /**
   * Where the focus goes when one part of the page has taken another's place: whoever talks goes on
   * talking, a player comes to the table, and all others to what it is now.
   *
   * @param {Element | null} held  what had the focus
   */
  #settle(held) {
    if (this.context.signal.aborted) return;
    const now = document.activeElement;
    if (held instanceof HTMLElement && this.chat.node.contains(held)) held.focus({ preventScroll: true });
    else if (this.#part instanceof Playing) this.#part.focus();
    else if (now === null || now === document.body) {
      const heading = this.body.querySelector('h1');
      heading?.setAttribute('tabindex', '-1');
      heading?.focus({ preventScroll: true });
    }
  }

  /** @returns {'lobby' | 'playing' | 'result' | 'watch'} */
  #wanted() {
    const { race } = this;
    const { me } = race;
    if (race.isOver) return 'result';
    if (race.phase !== 'running') return 'lobby';
    if (me === null || me.state === 'withdrawn') return race.terms.mode === 'async' ? 'lobby' : 'watch';
    return me.state === 'entered' || me.state === 'ready' ? 'lobby' : 'playing';
  }

  /**
   * @param {'lobby' | 'playing' | 'result'} stage
   * @returns {{draw: () => void, node: HTMLElement, close?: () => void}}
   */
  #made(stage) {
    const { race, context } = this;
    const { chat } = this;
    if (stage === 'playing') return new Playing(context, race, { chat });
    if (stage === 'lobby') {
      return new Lobby(context, race, chat);
    }
    const node = h('div');
    const onward = race.tournament === null ? null : new OnwardLine(context, race);
    let drawn = '';
    return { node, close: () => onward?.close(), draw: () => {
      chat.draw();
      const key = JSON.stringify([race.standings, race.seed]);
      if (key === drawn) return;
      drawn = key;
      onward?.draw();
      fill(node, result(context, race, { onward: onward?.node ?? null, chat: chat.node }));
    } };
  }
}
