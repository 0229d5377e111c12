/** What happened lately, the newest first. Pure. */

/** @typedef {import('../net/link.js').Message} Message */

const MOST = 12;
/** What the races that are shown beside tell better. */
const BESIDE = / is called, | runs$/;

/**
 * @param {readonly string[]} news
 * @param {Message} changed  a `tournament-changed`
 * @returns {string[]}
 */
export function newer(news, changed) {
  const lines = (changed.text ?? []).filter((/** @type {string} */ line) => !BESIDE.test(line));
  return [...lines.toReversed(), ...news].slice(0, MOST);
}
