/** A browser's surroundings as far as a connection knows them, and a server by hand. */

/** Lets what has been promised happen. */
export async function settled() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** One lock for all windows, handed on in order. */
class FakeLocks {
  last = Promise.resolve();

  request(name, { signal }, taken) {
    const before = this.last;
    let free = () => {};
    this.last = new Promise((resolve) => { free = resolve; });
    const aborted = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return Promise.race([before, aborted]).then(taken).finally(() => void before.then(free));
  }
}

/** Sets an empty stage: nobody has connected. */
export function stage({ locks = false } = {}) {
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks: locks ? new FakeLocks() : undefined } });
  FakeSocket.all = [];
  globalThis.window = new EventTarget();
  globalThis.document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  globalThis.WebSocket = FakeSocket;
}

/** A WebSocket whose other end is the test. It closes only when the test says so. */
export class FakeSocket extends EventTarget {
  static OPEN = 1;
  /** @type {FakeSocket[]} */
  static all = [];

  static get last() {
    return FakeSocket.all.at(-1);
  }

  constructor(url, subprotocol) {
    super();
    this.url = url;
    this.subprotocol = subprotocol;
    this.readyState = 0;
    /** What the client said, in order. */
    this.said = [];
    FakeSocket.all.push(this);
  }

  send(text) {
    this.said.push(JSON.parse(text));
  }

  close() {
    this.readyState = 2;
  }

  // --- the server's side ---

  tell(message) {
    this.dispatchEvent(Object.assign(new Event('message'), { data: JSON.stringify(message) }));
  }

  /** The last that was said of a type. */
  heard(type) {
    return this.said.findLast((said) => said.type === type);
  }

  async answer(type, result) {
    this.tell({ type: 'ok', id: this.heard(type).id, result });
    await settled();
  }

  async refuse(type, error) {
    this.tell({ type: 'error', id: this.heard(type).id, ...error });
    await settled();
  }

  async opened() {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
    await settled();
  }

  async welcome(name = 'Ada', token = 'secret') {
    if (!this.readyState) await this.opened();
    await this.answer('hello', { player: 'p1', name, token: this.said[0].token ? undefined : token, at: 0, limits: { ping_ms: 20_000 } });
  }

  async refuseHello(code, after_ms) {
    await this.opened();
    await this.refuse('hello', { code, message: `No: ${code}.`, after_ms });
  }

  lose(code, reason = '') {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }));
  }
}
