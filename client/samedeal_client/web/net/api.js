/** The read-only JSON API, as docs/api.md describes it. */

/** A refusal of the API, or no answer at all. */
export class ApiFault extends Error {
  /**
   * @param {string} code
   * @param {string} message  a sentence that a person can act on
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** @type {Map<string, Promise<unknown>>} */
const kept = new Map();

/**
 * Asks `/api/v1/…`.
 *
 * @param {string} path  such as `games/opus`, with its query
 * @param {{signal?: AbortSignal}} [how]
 * @returns {Promise<any>}
 * @throws {ApiFault} with the server's code, or `unreachable`
 */
export async function get(path, { signal } = {}) {
  let answer;
  try {
    answer = await fetch(`/api/v1/${path}`, { signal: signal ?? null });
  } catch (fault) {
    if (signal?.aborted) throw fault;
    throw new ApiFault('unreachable', 'The server cannot be reached. Check the network and try again.');
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    throw new ApiFault(body.error ?? String(answer.status), body.message ?? 'The server refused.');
  }
  return body;
}

/**
 * Asks once for something that does not change while the page is open, such as a game's table.
 *
 * @param {string} path
 * @returns {Promise<any>}
 * @throws {ApiFault}
 */
export function getOnce(path) {
  const known = kept.get(path);
  if (known !== undefined) return known;
  const asked = get(path);
  kept.set(path, asked);
  asked.catch(() => kept.delete(path));
  return asked;
}

/**
 * @param {string} key  a game's, or `key:variant`
 * @returns {Promise<any>} its description, with table and rules
 */
export function game(key) {
  return getOnce(`games/${key}`);
}

/** @returns {Promise<any[]>} all games, briefly */
export async function games() {
  return (await getOnce('games')).games;
}
