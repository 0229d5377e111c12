/**
 * The one connection to the server: it greets, keeps itself alive, and comes back when it is lost.
 *
 * Requests get one answer each. When the connection is lost, whatever may be said again without harm
 * is said again by itself; everything else fails with `outcome-unknown`. What is not an answer goes
 * to whoever follows the race (or the tournament) that it is about, in order.
 */

import { comesBack, delay, endingOf, farewell, isShadow, trouble } from './closing.js';
import { Guest } from './guest.js';
import { DOUBT_MS, Pulse } from './pulse.js';
import { Refusal, Requests, isHarmlessTwice } from './requests.js';

export { Refusal };

/** @typedef {import('./requests.js').Message} Message */
/** @typedef {'idle' | 'connecting' | 'up' | 'waiting' | 'ended'} LinkState */

const SUBPROTOCOL = 'samedeal.v1.json';
const PROTOCOL = 1;
const CLIENT = 'samedeal-web 1';
const OUTDATED = 'The server is of another release than this page. Load the page anew.';

/**
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Tells `change` (its state or who one is), `notice` with the server's message. */
export class Link extends EventTarget {
  /** @type {LinkState} */
  state = 'idle';
  /** What to tell a person about the state; '' where there is no trouble. */
  sentence = '';
  /** Why it has ended, if it has. @type {'' | 'replaced' | 'outdated' | 'closed'} */
  ending = '';
  /** @type {string | null} */
  player = null;
  /** @type {Message} */
  limits = {};
  /** The shortest round trip of late, in milliseconds; null before the first. @type {number | null} */
  rtt = null;
  /** The server's clock minus ours, in milliseconds. */
  offset = 0;

  /** @type {WebSocket | null} */
  #socket = null;
  #requests = new Requests();
  #pulse = new Pulse(() => this.#ping(), () => this.#abandon());
  /** @type {Map<string, Set<(message: Message) => void>>} */
  #followers = new Map();
  /** @type {{resolve: () => void, reject: (fault: Error) => void}[]} */
  #waiters = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #tries = 0;
  #lostAt = 0;
  /** When one came back, if that explains that one is replaced soon after. */
  #backAt = -Infinity;
  /** Whether one comes back from being replaced, which is not explained so again. */
  #wasShadowed = false;
  #notBefore = 0;
  #wantedName = '';
  /** Why no greeting will be taken; null while one may be. @type {Refusal | null} */
  #unwanted = null;

  /**
   * @param {string} url  `ws://…`
   * @param {Storage | null} storage  where one's guest is kept
   * @param {{guest?: string}} [how]  which, if it is another than the browser's player
   */
  constructor(url, storage, { guest = '' } = {}) {
    super();
    this.url = url;
    this.guest = new Guest(storage, guest);
    window.addEventListener('online', () => this.#hurry({ anew: true }));
    window.addEventListener('offline', () => this.#hurry());
    window.addEventListener('pageshow', () => this.#hurry());
    document.addEventListener('resume', () => this.#hurry());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#hurry();
    });
  }

  get token() {
    return this.guest.token;
  }

  get name() {
    return this.guest.name;
  }

  /** Begins to keep the connection up; again has no effect. */
  open() {
    if (this.state === 'idle' || this.state === 'ended') {
      this.#tries = 0;
      this.#dial();
    }
  }

  /**
   * Has the connection up: one that has ended is opened again.
   *
   * @returns {Promise<void>} rejects with a `Refusal` when it ends meanwhile
   */
  ready() {
    this.open();
    if (this.state === 'up') return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /**
   * Asks the server one thing and returns its result. What was asked when the connection ended for
   * good fails with `ended`: who was replaced by a newer window does not replace it in turn.
   *
   * @param {string} type
   * @param {Message} [fields]
   * @param {{again?: boolean}} [how]  whether to ask again after a lost connection; if it is harmless, unless told
   * @returns {Promise<any>}
   * @throws {Refusal}
   */
  async ask(type, fields = {}, { again = isHarmlessTwice(type) } = {}) {
    for (;;) {
      await this.ready();
      try {
        return await this.#send(type, fields);
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault;
        if (fault.code === 'rate-limited' || (fault.code === 'store-unavailable' && again)) {
          await pause((fault.afterMs ?? 1000) * (1 + Math.random() / 4));
        } else if (fault.code !== 'outcome-unknown' || !again) {
          throw fault;
        }
      }
    }
  }

  /**
   * Hands on all that is told about a race or tournament, in order.
   *
   * @param {string} code
   * @param {(message: Message) => void} told
   * @returns {() => void} ends it
   */
  follow(code, told) {
    const followers = this.#followers.get(code) ?? new Set();
    this.#followers.set(code, followers.add(told));
    return () => {
      followers.delete(told);
      if (!followers.size && this.#followers.get(code) === followers) this.#followers.delete(code);
    };
  }

  /**
   * Takes another name: the server hears it in the next greeting.
   *
   * @param {string} name
   * @returns {Promise<void>}
   * @throws {Refusal} `bad-name`, `name-taken`
   */
  async rename(name) {
    this.#wantedName = name;
    await this.#greetAnew();
  }

  /**
   * Is another player from now on, by a token that was brought from another browser.
   *
   * @param {string} token
   * @returns {Promise<void>}
   * @throws {Refusal} `bad-token`; then all is as it was
   */
  async become(token) {
    const before = this.guest.token;
    this.guest.token = token;
    try {
      await this.#greetAnew();
    } catch (fault) {
      this.guest.be(before);
      throw fault;
    }
    this.guest.be(token);
  }

  /** @returns {Promise<void>} when the server has taken the next greeting */
  async #greetAnew() {
    const told = new Promise((resolve, reject) => {
      this.addEventListener('greeted', (event) => {
        const fault = /** @type {CustomEvent} */ (event).detail;
        if (fault) reject(fault);
        else resolve(undefined);
      }, { once: true });
    });
    if (this.state === 'idle' || this.state === 'ended') this.open();
    else this.#socket?.close(1000, 'greeting anew');
    await told;
  }

  // --- within ---

  /**
   * @param {string} type
   * @param {Message} fields
   * @returns {Promise<any>}
   */
  #send(type, fields) {
    return this.#requests.send(this.#socket, type, fields);
  }

  #dial() {
    clearTimeout(this.#timer);
    this.ending = '';
    // While one tries again and again the sentence stays, so that it is read out once.
    this.#become('connecting', this.#lostAt ? this.sentence : '');
    const socket = new WebSocket(this.url, SUBPROTOCOL);
    this.#socket = socket;
    this.#pulse.expect();
    socket.addEventListener('open', () => this.guest.alone(() => this.#greet(socket)));
    socket.addEventListener('message', (event) => {
      if (socket === this.#socket) this.#told(JSON.parse(event.data));
    });
    socket.addEventListener('close', (event) => {
      if (socket === this.#socket) this.#lost(event.code, event.reason);
    });
  }

  /** @param {WebSocket} socket */
  async #greet(socket) {
    if (socket !== this.#socket) return;
    const { token } = this.guest;
    /** @type {Message} */
    const hello = { protocol: PROTOCOL, client: CLIENT, legal: true };
    if (token !== null) hello.token = token;
    const name = this.#wantedName || (token === null ? this.name : '');
    if (name) hello.name = name;
    const begun = performance.now();
    let welcome;
    try {
      welcome = await this.#send('hello', hello);
    } catch (fault) {
      if (socket === this.#socket && fault instanceof Refusal) this.#unwelcome(fault);
      return;
    }
    if (!this.guest.welcomed(/** @type {any} */ (welcome))) {
      socket.close(1000, 'greeting anew');
      return;
    }
    this.#wantedName = '';
    this.#unwanted = null;
    this.player = welcome.player;
    this.limits = welcome.limits;
    this.#timed(begun, welcome.at);
    this.#tries = 0;
    this.#backAt = this.#lostAt && !this.#wasShadowed ? begun : -Infinity;
    this.#lostAt = 0;
    this.#pulse.heard();
    this.#become('up', '');
    this.dispatchEvent(new CustomEvent('greeted', { detail: null }));
    for (const { resolve } of this.#waiters.splice(0)) resolve();
    this.#beat();
  }

  /** @param {Refusal} fault */
  #unwelcome(fault) {
    if (fault.code === 'outcome-unknown') return;
    if (fault.code === 'bad-protocol') {
      this.#unwanted = fault;
    } else if (fault.code === 'bad-token') {
      this.guest.forget();
    } else if (this.token === null && (fault.code === 'name-taken' || fault.code === 'bad-name')) {
      this.guest.name = null;
    }
    this.#notBefore = performance.now() + (fault.afterMs ?? 0);
    const wasRenaming = this.#wantedName !== '';
    this.#wantedName = '';
    if (wasRenaming) this.guest.keepName();
    this.dispatchEvent(new CustomEvent('greeted', { detail: fault }));
    this.#socket?.close(1000);
  }

  /** @param {Message} message */
  #told(message) {
    if (this.#requests.answered(message)) return;
    if (message.type === 'notice') {
      this.dispatchEvent(new CustomEvent('notice', { detail: message }));
    } else {
      for (const told of [...this.#followers.get(message.race ?? message.tournament) ?? []]) told(message);
    }
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #lost(code, reason) {
    this.#socket = null;
    this.#pulse.stop();
    this.#wasShadowed = isShadow(code, performance.now() - this.#backAt);
    const isOver = this.#unwanted !== null || !(comesBack(code) || this.#wasShadowed);
    const fault = new Refusal(isOver
      ? { code: 'ended', message: this.#unwanted === null ? farewell(code, reason) : OUTDATED }
      : { code: 'outcome-unknown', message: 'The connection was lost before the answer came.' });
    this.#requests.fail(fault);
    if (isOver) {
      this.ending = this.#unwanted === null ? endingOf(code) : 'outdated';
      this.#lostAt = 0;
      this.#become('ended', fault.message);
      for (const { reject } of this.#waiters.splice(0)) reject(fault);
      return;
    }
    const now = performance.now();
    this.#lostAt ||= now;
    const tries = this.#tries++;
    const asked = this.#notBefore - now;
    this.#timer = setTimeout(() => this.#dial(), asked > 0 ? asked : delay(code, { tries, lostMs: now - this.#lostAt }));
    this.#become('waiting', trouble(code, { tries, wasUp: this.player !== null }) ?? this.sentence);
  }

  /**
   * Tries at once what was to be tried later; asks a connection that may be dead for a sign of life.
   *
   * @param {{anew?: boolean}} [how]  whether even a try that is under way is given up for a new one
   */
  #hurry({ anew = false } = {}) {
    if (this.state === 'waiting' || (anew && this.state === 'connecting')) this.#dial();
    else if (this.state === 'up') this.#beat(DOUBT_MS);
  }

  /** Nobody is there: does not wait for the closing handshake either. */
  #abandon() {
    const socket = this.#socket;
    if (socket === null) return;
    this.#socket = null;
    socket.close();
    this.#lost(1006, '');
  }

  /** @param {number} [patience]  milliseconds until the connection counts as dead */
  #beat(patience) {
    if (this.state !== 'up') return;
    this.#pulse.beat(Math.min(10_000, (this.limits.ping_ms ?? 20_000) / 2), patience);
  }

  async #ping() {
    const begun = performance.now();
    const pong = await this.#send('ping', { sent: Math.round(begun) });
    this.#timed(begun, pong.at);
  }

  /**
   * @param {number} begun
   * @param {number} at
   */
  #timed(begun, at) {
    const trip = performance.now() - begun;
    if (this.rtt === null || trip <= this.rtt) this.offset = at + trip / 2 - Date.now();
    this.rtt = this.rtt === null ? trip : Math.min(trip, this.rtt + 1);
  }

  /**
   * @param {LinkState} state
   * @param {string} sentence
   */
  #become(state, sentence) {
    this.state = state;
    this.sentence = sentence;
    this.dispatchEvent(new CustomEvent('change'));
  }
}
