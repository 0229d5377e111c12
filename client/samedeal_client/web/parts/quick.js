/** A race against a bot of the server's own, with one click. */

import { Refusal } from '../net/link.js';

/** @typedef {import('../net/link.js').Link} Link */

/** The server's bots as everybody calls them, what they do, and how long one takes over a move. */
export const RIVALS = /** @type {const} */ ({
  random: { words: 'Random: any move by chance', pace_ms: 4000 },
  greedy: { words: 'Greedy: what helps at once', pace_ms: 3000 },
  patient: { words: 'Patient: looks ahead', pace_ms: 2000 },
});

/** @typedef {keyof typeof RIVALS} Rival */

/**
 * Opens an unlisted live race, enters it, calls a bot and says ready.
 *
 * @param {Link} link
 * @param {{game: string, rival: Rival}} wish
 * @returns {Promise<string>} the race's code
 * @throws {Refusal}
 */
export async function raceBot(link, { game, rival }) {
  await link.ready();
  if (!link.limits.house_bots) {
    throw new Refusal({ code: 'no-bots', message: 'This server has no bots of its own. Open a race for others, or practise alone.' });
  }
  const { pace_ms } = RIVALS[rival];
  const { race } = await link.ask('create', { terms: { game, visibility: 'unlisted' } });
  try {
    await link.ask('join', { race });
    await link.ask('invite-bot', { race, bot: rival, pace_ms });
    await link.ask('ready', { race });
  } catch (fault) {
    // Nobody shall wait in a race that no rival comes to.
    await link.ask('cancel', { race });
    throw fault;
  }
  return race;
}

/**
 * @param {string} key
 * @returns {key is Rival}
 */
export function isRival(key) {
  return key in RIVALS;
}
