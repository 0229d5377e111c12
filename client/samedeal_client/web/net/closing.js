/** What the end of a connection means: whether and when one comes back, and what to tell of it. */

/** Codes after which one comes back by oneself; no other is known to allow it. */
const COMES_BACK = new Set([1000, 1001, 1005, 1006, 1011, 1012, 1013, 1014, 4000, 4002, 4003, 4004, 4005]);
/** We have closed it ourselves, such as to greet anew. */
const OURS = 1000;
const RESTARTING = 1012;
const REPLACED = 4001;
const PATIENT_AFTER_MS = 30_000;
/** For how long after one came back the connection of before may be heard late. */
const SHADOW_MS = 10_000;

/** @param {number} code */
export function comesBack(code) {
  return COMES_BACK.has(code);
}

/**
 * Whether one may have been replaced by one's own connection of before, heard late by a server that
 * stood still.
 *
 * @param {number} code
 * @param {number} backMs  for how long one has been back
 */
export function isShadow(code, backMs) {
  return code === REPLACED && backMs < SHADOW_MS;
}

/**
 * @param {number} code  after which one does not come back
 * @returns {'replaced' | 'closed'}
 */
export function endingOf(code) {
  return code === REPLACED ? 'replaced' : 'closed';
}

/**
 * @param {number} code  after which one does not come back
 * @param {string} reason
 * @returns {string} a sentence for people
 */
export function farewell(code, reason) {
  if (code === REPLACED) return 'You are playing this race in another window.';
  return `The server closed the connection (${reason || code}).`;
}

/**
 * @param {number} code  after which one comes back
 * @param {{tries: number, wasUp: boolean}} how  how often one has tried since it was lost; whether it ever was up
 * @returns {string | null} a sentence for people; null for a greeting anew, which is over in a moment and no trouble
 */
export function trouble(code, { tries, wasUp }) {
  if (code === OURS && tries === 0) return null;
  if (code === RESTARTING) return 'The server restarts. Your race is safe; coming back by itself …';
  return wasUp ? 'The connection is lost. Your moves are safe; trying again …'
    : 'The server cannot be reached. Trying again …';
}

/**
 * How long to wait: at once after a clean close of our own, then under a second for half a minute.
 *
 * @param {number} code
 * @param {{tries: number, lostMs: number}} how  how often one has tried since it was lost, and how long that is ago
 * @returns {number} milliseconds
 */
export function delay(code, { tries, lostMs }) {
  if (code === OURS && tries === 0) return 0;
  const most = lostMs > PATIENT_AFTER_MS ? 5000 : Math.min(900, 150 * 2 ** tries);
  return most * (0.5 + Math.random() / 2);
}
