/** On into the race that follows one that is over: with one's place, and with what one knows of it. */

import { Refusal } from '../net/link.js';
import { knows } from './taken.js';

/** @typedef {import('../net/race.js').Race} Race */

/** Refusals after which the rematch's own page tells more: it has begun, is full, or asks for its pass phrase. */
const TOLD_THERE = new Set(['not-open', 'race-full', 'wrong-phrase']);

/**
 * Opens the rematch of a race that is over, or finds the one that is open, and enters it.
 *
 * @param {Race} race
 * @returns {Promise<string>} its code
 * @throws {Refusal}
 */
export async function openRematch(race) {
  const { race: next } = await race.ask('rematch');
  await enterRematch(race, next);
  return next;
}

/**
 * Enters the rematch, if one has raced; whoever has met only bots, which come along, says ready as well.
 *
 * @param {Race} race  that is over
 * @param {string} next  the rematch
 * @throws {Refusal}
 */
export async function enterRematch(race, next) {
  const phrase = race.phrase === undefined ? {} : { phrase: race.phrase };
  if (race.phrase !== undefined) knows(next, race.phrase);
  if (race.me === null || race.me.state === 'withdrawn') return;
  const rivals = race.standings.filter((line) => line.entrant !== race.you);
  try {
    await race.link.ask('join', { race: next, ...phrase });
    if (race.terms.mode !== 'async' && rivals.length > 0 && rivals.every((line) => line.bot)) {
      await race.link.ask('ready', { race: next });
    }
  } catch (fault) {
    if (!(fault instanceof Refusal) || !TOLD_THERE.has(fault.code)) throw fault;
  }
}
