/** Days and weeks as the daily deal names them, `20261130` and `2026-W49`. Pure. */

const DAY_MS = 86_400_000;

/**
 * @param {string} day
 * @returns {Date} its beginning, UTC
 */
export function dateOf(day) {
  return new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6, 8))));
}

/**
 * @param {string} day
 * @param {number} days  may be negative
 * @returns {string}
 */
export function dayAfter(day, days) {
  return new Date(dateOf(day).getTime() + days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
}

/**
 * @param {string} day
 * @param {'long' | 'short'} [how]
 * @returns {string} `Monday, 30 November`, `Mon 30`, in the reader's own way
 */
export function dayWords(day, how = 'long') {
  const parts = how === 'long'
    ? { weekday: /** @type {const} */ ('long'), day: /** @type {const} */ ('numeric'), month: /** @type {const} */ ('long'), year: /** @type {const} */ ('numeric') }
    : { weekday: /** @type {const} */ ('short'), day: /** @type {const} */ ('numeric') };
  return dateOf(day).toLocaleDateString(undefined, { ...parts, timeZone: 'UTC' });
}

/**
 * @param {string} monday  a week's first day
 * @returns {string} its ISO week: the one of the year that its Thursday is in
 */
export function weekOf(monday) {
  const thursday = dateOf(dayAfter(monday, 3));
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * DAY_MS)) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}
