/**
 * The one connection to the server: it greets, keeps itself alive, and comes back when it is lost.
 *
 * Requests get one answer each. When the connection is lost, whatever may be said again without harm
 * is said again by itself; everything else fails with `outcome-unknown`. What is not an answer goes
 * to whoever follows the race (or the tournament) that it is about, in order.
 */

/** @typedef {Record<string, any>} Message */
/** @typedef {'idle' | 'connecting' | 'up' | 'waiting' | 'ended'} LinkState */

/** A refusal by the server, or an answer that will never come. */
export class Refusal extends Error {
  /** @param {{code: string, message: string, reason?: string | null, retry?: string, after_ms?: number | null}} said */
  constructor({ code, message, reason = null, retry = 'never', after_ms = null }) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.retry = retry;
    this.afterMs = after_ms;
  }
}

const SUBPROTOCOL = 'samedeal.v1.json';
const PROTOCOL = 1;
const CLIENT = 'samedeal-web 1';

/** Requests that may not be said twice, as docs/protocol.md lists them. */
const ONCE = new Set([
  'create', 'ready', 'unready', 'start', 'begin', 'give-up', 'cancel', 'disqualify', 'chat',
  'announce-tournament', 'invite-bot',
]);
/** Close codes after which the connection is not tried again by itself. */
const FINAL = new Set([4001, 4006, 1003, 1009]);
const RELOAD_TOKEN = 'bad-token';
const PATIENT_AFTER_MS = 30_000;
const ANSWER_MS = 6000;

/** Tells `change` (its state or who one is), `notice` with the server's sentence. */
export class Link extends EventTarget {
  /** @type {LinkState} */
  state = 'idle';
  /** What to tell a person about the state. */
  sentence = '';
  /** @type {string | null} */
  player = null;
  /** @type {string | null} */
  name = null;
  /** @type {Message} */
  limits = {};
  /** The shortest round trip of late, in milliseconds; null before the first. @type {number | null} */
  rtt = null;
  /** The server's clock minus ours, in milliseconds. */
  offset = 0;

  /** @type {WebSocket | null} */
  #socket = null;
  #nextId = 1;
  /** @type {Map<number, {resolve: (result: any) => void, reject: (fault: Error) => void}>} */
  #asked = new Map();
  /** @type {Map<string, (message: Message) => void>} */
  #followers = new Map();
  /** @type {(() => void)[]} */
  #waiters = [];
  /** @type {number | undefined} */
  #timer;
  /** @type {number | undefined} */
  #heart;
  /** @type {number | undefined} */
  #silence;
  #tries = 0;
  #lostAt = 0;
  #wantedName = '';

  /**
   * @param {string} url  `ws://…`
   * @param {Storage | null} storage  where the token is kept; without one the guest lasts as long as the page
   */
  constructor(url, storage) {
    super();
    this.url = url;
    this.storage = storage;
    /** @type {string | null} */
    this.token = this.#stored('token');
    this.name = this.#stored('name');
    window.addEventListener('online', () => this.#hurry());
    window.addEventListener('pageshow', () => this.#hurry());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#hurry();
    });
  }

  /** Begins to keep the connection up; again has no effect. */
  open() {
    if (this.state === 'idle' || this.state === 'ended') {
      this.#tries = 0;
      this.#dial();
    }
  }

  /** @returns {Promise<void>} when the connection is up; rejects when it has ended for good */
  ready() {
    this.open();
    if (this.state === 'up') return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /**
   * Asks the server one thing and returns its result.
   *
   * @param {string} type
   * @param {Message} [fields]
   * @param {{again?: boolean}} [how]  whether to ask again after a lost connection; if it is harmless, unless told
   * @returns {Promise<any>}
   * @throws {Refusal}
   */
  async ask(type, fields = {}, { again = !ONCE.has(type) } = {}) {
    for (;;) {
      await this.ready();
      try {
        return await this.#send(type, fields);
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault;
        if (fault.code === 'rate-limited' || (fault.code === 'store-unavailable' && again)) {
          await new Promise((resolve) => setTimeout(resolve, (fault.afterMs ?? 1000) * (1 + Math.random() / 4)));
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
    this.#followers.set(code, told);
    return () => {
      if (this.#followers.get(code) === told) this.#followers.delete(code);
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
    const before = this.token;
    this.token = token;
    try {
      await this.#greetAnew();
    } catch (fault) {
      this.token = before;
      this.#store('token', before);
      throw fault;
    }
    this.#store('token', token);
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

  /** Takes over again, after another window has. */
  takeOver() {
    this.open();
  }

  // --- within ---

  /**
   * @param {string} type
   * @param {Message} fields
   * @returns {Promise<any>}
   */
  #send(type, fields) {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Refusal({ code: 'outcome-unknown', message: 'The connection was lost.' }));
    }
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      socket.send(JSON.stringify({ type, id, ...fields }));
    });
  }

  #dial() {
    clearTimeout(this.#timer);
    this.#become('connecting', this.#lostAt ? 'The connection was lost. Trying again …' : 'Connecting …');
    const socket = new WebSocket(this.url, SUBPROTOCOL);
    this.#socket = socket;
    this.#silence = window.setTimeout(() => socket.close(), ANSWER_MS);
    socket.addEventListener('open', () => this.#greet(socket));
    socket.addEventListener('message', (event) => {
      if (socket === this.#socket) this.#told(JSON.parse(event.data));
    });
    socket.addEventListener('close', (event) => {
      if (socket === this.#socket) this.#lost(event.code, event.reason);
    });
  }

  /** @param {WebSocket} socket */
  async #greet(socket) {
    /** @type {Message} */
    const hello = { protocol: PROTOCOL, client: CLIENT, legal: true };
    if (this.token !== null) hello.token = this.token;
    const name = this.#wantedName || (this.token === null ? this.name : '');
    if (name) hello.name = name;
    const begun = performance.now();
    let welcome;
    try {
      welcome = await this.#send('hello', hello);
    } catch (fault) {
      if (socket === this.#socket && fault instanceof Refusal) this.#unwelcome(fault);
      return;
    }
    this.#wantedName = '';
    if (welcome.token) {
      this.token = welcome.token;
      this.#store('token', welcome.token);
    }
    this.player = welcome.player;
    this.name = welcome.name;
    this.#store('name', welcome.name);
    this.limits = welcome.limits;
    this.#timed(begun, welcome.at);
    this.#tries = 0;
    this.#lostAt = 0;
    clearTimeout(this.#silence);
    this.#become('up', '');
    this.dispatchEvent(new CustomEvent('greeted', { detail: null }));
    for (const go of this.#waiters.splice(0)) go();
    this.#beat();
  }

  /** @param {Refusal} fault */
  #unwelcome(fault) {
    if (fault.code === 'outcome-unknown') return;
    if (fault.code === RELOAD_TOKEN) {
      // The server has forgotten us, or is another one: be a new guest of the same name.
      this.token = null;
      this.#store('token', null);
    } else if (this.#wantedName || this.token === null) {
      this.name = null;
    }
    const wasRenaming = this.#wantedName !== '';
    this.#wantedName = '';
    if (wasRenaming) this.name = this.#stored('name');
    this.dispatchEvent(new CustomEvent('greeted', { detail: fault }));
    this.#socket?.close(1000);
  }

  /** @param {Message} message */
  #told(message) {
    if (message.type === 'ok' || message.type === 'error') {
      const waiting = this.#asked.get(message.id);
      this.#asked.delete(message.id);
      if (message.type === 'ok') waiting?.resolve(message.result ?? null);
      else waiting?.reject(new Refusal(/** @type {any} */ (message)));
    } else if (message.type === 'notice') {
      this.dispatchEvent(new CustomEvent('notice', { detail: message }));
    } else {
      this.#followers.get(message.race ?? message.tournament)?.(message);
    }
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #lost(code, reason) {
    this.#socket = null;
    clearTimeout(this.#silence);
    clearTimeout(this.#heart);
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of asked) {
      reject(new Refusal({ code: 'outcome-unknown', message: 'The connection was lost before the answer came.' }));
    }
    if (FINAL.has(code)) {
      this.#become('ended', code === 4001
        ? 'You are playing this race in another window.'
        : `The server closed the connection (${reason || code}).`);
      return;
    }
    this.#lostAt ||= performance.now();
    const delay = this.#pause(code);
    this.#tries += 1;
    this.#become('waiting', code === 1012
      ? 'The server restarts. Your race is safe; coming back by itself …'
      : 'The connection is lost. Your moves are safe; trying again …');
    this.#timer = window.setTimeout(() => this.#dial(), delay);
  }

  /**
   * How long to wait: at once after a clean close of our own, then under a second for half a minute.
   *
   * @param {number} code
   */
  #pause(code) {
    if (code === 1000) return 0;
    const patient = performance.now() - this.#lostAt > PATIENT_AFTER_MS;
    const most = patient ? 5000 : Math.min(900, 150 * 2 ** this.#tries);
    return most * (0.5 + Math.random() / 2);
  }

  /** Tries at once what was to be tried later; asks a connection that may be dead for a sign of life. */
  #hurry() {
    if (this.state === 'waiting') this.#dial();
    else if (this.state === 'up') this.#beat();
  }

  #beat() {
    clearTimeout(this.#heart);
    const socket = this.#socket;
    if (socket === null || this.state !== 'up') return;
    const begun = performance.now();
    clearTimeout(this.#silence);
    this.#silence = window.setTimeout(() => {
      // Nobody there: do not wait for the closing handshake either.
      if (socket === this.#socket) {
        socket.close();
        this.#lost(1006, '');
      }
    }, ANSWER_MS);
    this.#send('ping', { sent: Math.round(begun) }).then(
      (pong) => {
        clearTimeout(this.#silence);
        this.#timed(begun, pong.at);
        this.#heart = window.setTimeout(() => this.#beat(), Math.min(10_000, (this.limits.ping_ms ?? 20_000) / 2));
      },
      () => {},
    );
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

  /** @param {string} key */
  #stored(key) {
    try {
      return this.storage?.getItem(`samedeal.${key}`) ?? null;
    } catch {
      return null;
    }
  }

  /**
   * @param {string} key
   * @param {string | null} value
   */
  #store(key, value) {
    try {
      if (value === null) this.storage?.removeItem(`samedeal.${key}`);
      else this.storage?.setItem(`samedeal.${key}`, value);
    } catch {
      // A full or forbidden storage: the guest lasts as long as the page.
    }
  }
}
