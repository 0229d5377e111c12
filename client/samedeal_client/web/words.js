/** Times, counts and states as a person reads them. Pure. */

/**
 * @param {number | null | undefined} ms
 * @param {{tenths?: boolean}} [how]
 * @returns {string} `4:07`, `4:07.3` or `1:02:03`; `–` for none
 */
export function clock(ms, { tenths = false } = {}) {
  if (ms === null || ms === undefined) return '–';
  const whole = Math.floor(Math.max(0, ms) / (tenths ? 100 : 1000));
  const seconds = tenths ? Math.floor(whole / 10) : whole;
  const rest = tenths ? `.${whole % 10}` : '';
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = `${two(seconds % 60)}${rest}`;
  return hours ? `${hours}:${two(minutes)}:${tail}` : `${minutes}:${tail}`;
}

/**
 * @param {number | null | undefined} seconds
 * @returns {string} `45 s`, `10 min`, `1 h 30 min`, `2 days`
 */
export function span(seconds) {
  if (seconds === null || seconds === undefined) return 'no limit';
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 3600) return seconds % 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds / 60} min`;
  if (seconds < 86_400) {
    const minutes = Math.floor((seconds % 3600) / 60);
    return minutes ? `${Math.floor(seconds / 3600)} h ${minutes} min` : `${Math.floor(seconds / 3600)} h`;
  }
  const days = Math.round(seconds / 8640) / 10;
  return days === 1 ? '1 day' : `${days} days`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 * @returns {string} `1 card`, `3 cards`
 */
export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @type {Record<string, string>} */
const STATES = {
  entered: 'not ready',
  ready: 'ready',
  racing: 'racing',
  finished: 'finished',
  stuck: 'stuck',
  'gave-up': 'gave up',
  'out-of-time': 'out of time',
  disqualified: 'disqualified',
  withdrawn: 'withdrew',
  hidden: 'racing',
};

/**
 * @param {string} state  an entrant's, as the protocol says it
 * @returns {string}
 */
export function stateWords(state) {
  return STATES[state] ?? state.replaceAll('-', ' ');
}

/**
 * @param {number} place
 * @returns {string} `1st`, `22nd`
 */
export function ordinal(place) {
  const tens = place % 100;
  if (tens >= 11 && tens <= 13) return `${place}th`;
  return `${place}${['th', 'st', 'nd', 'rd'][place % 10] ?? 'th'}`;
}

/**
 * @param {number} ms  UTC
 * @returns {string} in the reader's own zone
 */
export function when(ms) {
  return new Date(ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
