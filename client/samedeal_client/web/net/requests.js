/** What was asked over the connection, and the answers: each request gets one. */

/** @typedef {Record<string, any>} Message */

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

/** Requests that may not be said twice, as docs/protocol.md lists them. */
const ONCE = new Set([
  'create', 'ready', 'unready', 'start', 'begin', 'give-up', 'cancel', 'disqualify', 'chat',
  'announce-tournament', 'invite-bot',
]);

/** @param {string} type */
export function isHarmlessTwice(type) {
  return !ONCE.has(type);
}

/** The requests of a page that wait for their answers. */
export class Requests {
  #nextId = 1;
  /** @type {Map<number, {resolve: (result: any) => void, reject: (fault: Error) => void}>} */
  #asked = new Map();

  /**
   * @param {WebSocket | null} socket
   * @param {string} type
   * @param {Message} fields
   * @returns {Promise<any>} the result
   */
  send(socket, type, fields) {
    if (socket === null || socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Refusal({ code: 'outcome-unknown', message: 'The connection was lost.' }));
    }
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      socket.send(JSON.stringify({ type, id, ...fields }));
    });
  }

  /**
   * @param {Message} message
   * @returns {boolean} whether it is an answer
   */
  answered(message) {
    if (message.type !== 'ok' && message.type !== 'error') return false;
    const waiting = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (message.type === 'ok') waiting?.resolve(message.result ?? null);
    else waiting?.reject(new Refusal(/** @type {any} */ (message)));
    return true;
  }

  /**
   * Nothing that was asked will be answered any more.
   *
   * @param {Refusal} fault
   */
  fail(fault) {
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of asked) reject(fault);
  }
}
