/** What was said in a race: what a snapshot has of it, and what has been heard before. Pure. */

/** @typedef {{name: string, text: string, bot: boolean, at: number}} Line */

/**
 * @param {Record<string, any>} message  `said`, or a line of a snapshot's chat
 * @returns {Line}
 */
export function lineOf({ name, text, bot = false, at }) {
  return { name, text, bot, at };
}

/**
 * The chat after a snapshot, which has the newest lines only; from the first of them on it is right.
 *
 * @param {Line[]} known  the oldest first
 * @param {Line[]} newest  likewise
 * @returns {Line[]} `known` itself if there is nothing else to be read
 */
export function withNewest(known, newest) {
  const since = newest[0]?.at ?? Infinity;
  const older = known.filter((line) => line.at < since);
  const all = [...older, ...newest];
  return all.length === known.length && all.every((line, place) => isSame(line, known[place])) ? known : all;
}

/**
 * @param {Line} one
 * @param {Line | undefined} other
 */
function isSame(one, other) {
  return one.at === other?.at && one.name === other.name && one.text === other.text;
}
