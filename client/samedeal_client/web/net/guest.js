/**
 * Who one is in this browser: a name, and the token that proves it, the same in all of its windows.
 *
 * Windows that open at once become one guest: only one of them says hello without a token, and the
 * others wait for what it brings. Where the browser lends no locks (plain http, but for this machine)
 * each says hello, and who is answered later is the guest of who was answered first.
 */

/** How long one waits for another window's hello before one says one's own. */
const PATIENCE_MS = 2500;

export class Guest {
  /**
   * @param {Storage | null} storage  without one the guest lasts as long as the page
   * @param {string} [whose]  another guest of the same browser than its player
   */
  constructor(storage, whose = '') {
    this.storage = storage;
    this.whose = whose;
    /** @type {string | null} */
    this.token = this.#stored('token');
    /** @type {string | null} */
    this.name = this.#stored('name');
  }

  /**
   * Says hello, and nobody else says the first one meanwhile.
   *
   * @param {() => Promise<void>} hello  with the token, if there is one by then
   */
  async alone(hello) {
    this.token ??= this.#stored('token');
    const locks = this.storage === null || this.token !== null ? undefined : navigator.locks;
    if (locks === undefined) return hello();
    const patience = new AbortController();
    const late = setTimeout(() => patience.abort(), PATIENCE_MS);
    let isSaid = false;
    const said = () => {
      clearTimeout(late);
      isSaid = true;
      this.token ??= this.#stored('token');
      return hello();
    };
    try {
      await locks.request(this.#place('hello'), { signal: patience.signal }, said);
    } catch (fault) {
      if (isSaid) throw fault;
      await said(); // the other window hangs, or the browser refuses
    }
  }

  /**
   * Takes what a greeting brought.
   *
   * @param {{name: string, token?: string | null}} welcome
   * @returns {boolean} whether one is that guest; otherwise one has to greet anew, as who is kept here
   */
  welcomed({ name, token }) {
    if (token) {
      const earlier = this.#stored('token');
      if (earlier !== null) {
        this.token = earlier;
        return false;
      }
      this.be(token);
    }
    this.name = name;
    this.#store('name', name);
    return true;
  }

  /**
   * Is who has this token from now on.
   *
   * @param {string | null} token
   */
  be(token) {
    this.token = token;
    this.#store('token', token);
  }

  /** Is nobody who is known: the server has forgotten us, or is another one. The name stays. */
  forget() {
    // Another window may have a new token by now.
    if (this.#stored('token') === this.token) this.#store('token', null);
    this.token = null;
  }

  /** Goes by the name that is kept, after another was refused. */
  keepName() {
    this.name = this.#stored('name');
  }

  /** @param {string} key */
  #place(key) {
    return this.whose ? `samedeal.${this.whose}.${key}` : `samedeal.${key}`;
  }

  /** @param {string} key */
  #stored(key) {
    try {
      return this.storage?.getItem(this.#place(key)) ?? null;
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
      if (value === null) this.storage?.removeItem(this.#place(key));
      else this.storage?.setItem(this.#place(key), value);
    } catch {
      // A full or forbidden storage: the guest lasts as long as the page.
    }
  }
}
