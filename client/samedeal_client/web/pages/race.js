/** A race, from its lobby to its result, for whoever opens its link. */

import { fill, h } from '../dom.js';
import { ApiFault, game as gameOf, get } from '../net/api.js';
import { Refusal } from '../net/link.js';
import { Race } from '../net/race.js';
import { Countdown } from '../parts/countdown.js';
import { Lobby } from '../parts/lobby.js';
import { Chat } from '../parts/chat.js';
import { Playing } from '../parts/playing.js';
import { result } from '../parts/result.js';

/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../router.js').Page} Page */

/** Pass phrases that were typed, by race: never in an address. @type {Map<string, string>} */
const phrases = new Map();

/**
 * @param {Context} context
 * @returns {Promise<Page>}
 */
export async function open(context) {
  const [code] = /** @type {[string]} */ (context.params);
  const phrase = phrases.get(code);
  const sheet = await get(`races/${code}`, { signal: context.signal }).catch((fault) => {
    if (fault instanceof ApiFault && fault.code === 'no-such-race') throw fault;
    return null; // of a race behind a pass phrase a stranger is told nothing
  });
  const taken = await takenUp(context, code, sheet, phrase);
  if (taken === null) return phrasePage(context, code);
  return new RacePage(context, taken).page();
}

/**
 * Takes up one's own place in the race, or watches it.
 *
 * @param {Context} context
 * @param {string} code
 * @param {import('../net/link.js').Message | null} sheet
 * @param {string | undefined} phrase
 * @returns {Promise<Race | null>} null if a pass phrase is needed first
 */
async function takenUp({ link }, code, sheet, phrase) {
  // The race's game is known from the sheet, or else only when the server has let us in.
  const how = phrase === undefined ? {} : { phrase };
  /** @type {Refusal | null} */
  let refused = null;
  for (const way of ['resume', 'watch']) {
    try {
      const snapshot = await link.ask(way, { race: code, ...how });
      const race = new Race(link, code, await gameOf(snapshot.terms.game), how);
      race.begin(snapshot);
      return race;
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      refused = fault;
    }
  }
  if (refused?.code === 'wrong-phrase') return null;
  if (sheet === null) throw refused;
  // Without spectators one sees what the sheet says, and may still enter.
  const race = new Race(link, code, await gameOf(sheet.terms.game), how);
  race.begin({ ...sheet, seq: 0, host: '', entrants: sheet.standings ?? [] });
  return race;
}

/**
 * @param {Context} context
 * @param {string} code
 * @returns {Page}
 */
function phrasePage(context, code) {
  const isWrong = phrases.has(code);
  const field = h('input', { id: 'phrase', type: 'password', maxlength: '64', autocomplete: 'off', required: true });
  return {
    title: 'Pass phrase',
    node: h('div', { class: 'narrow' }, h('h1', {}, 'This race has a pass phrase'),
      isWrong ? h('p', { class: 'fault', role: 'alert' }, 'That is not this race’s pass phrase.') : null,
      h('form', { onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        phrases.set(code, field.value);
        context.go(`/r/${code}`, { replace: true });
      } }, h('div', { class: 'field' }, h('label', { for: 'phrase' }, 'Pass phrase'), field), h('button', { type: 'submit', class: 'primary' }, 'Go in'))),
  };
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
    this.rematch = h('p', { class: 'banner', role: 'status', hidden: true });
    this.body = h('div', { class: 'race-body' });
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
    if (stage !== this.#stage) {
      this.#stage = stage;
      this.#part?.close?.();
      this.#part = this.#made(stage);
      fill(this.body, this.#part.node);
      document.documentElement.toggleAttribute('data-table', stage === 'playing');
      if (this.#part instanceof Playing) this.#part.focus();
    }
    this.#part?.draw();
    this.countdown.draw();
    this.rematch.hidden = race.rematch === null;
    if (race.rematch !== null && this.rematch.childElementCount === 0) {
      fill(this.rematch, 'A rematch is open. ', h('a', { class: 'button', href: `/r/${race.rematch}` }, 'Join it'));
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
    if (stage === 'playing') return new Playing(context, race);
    if (stage === 'lobby') {
      const lobby = new Lobby(context, race, { onJoin: () => race.join() });
      const chat = new Chat(race);
      lobby.node.append(chat.node);
      return { node: lobby.node, draw: () => { lobby.draw(); chat.draw(); } };
    }
    const node = h('div');
    let drawn = '';
    const chat = new Chat(race);
    return { node, draw: () => {
      chat.draw();
      const key = JSON.stringify([race.standings, race.seed]);
      if (key === drawn) return;
      drawn = key;
      const shown = result(context, {
        code: race.code, game: race.game, terms: race.terms, standings: race.standings, seed: race.seed, salt: race.salt,
        commitment: race.commitment, you: race.you, reason: race.reason, phase: race.phase, tournament: race.tournament,
      });
      shown.append(chat.node);
      fill(node, shown);
    } };
  }
}
