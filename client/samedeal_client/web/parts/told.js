/** What a move did, in words for who listens. Pure. */

import { cardTitle, pileTitle } from '../table/description.js';
import { transfer } from '../table/position.js';
import { counted } from '../words.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('../table/description.js').Description} Description */
/** @typedef {import('../table/position.js').Position} Position */

/** @type {Record<string, string>} */
const ACTIONS = { deal: 'A row dealt', redeal: 'Redealt' };

/**
 * @param {Description} game
 * @param {Position} board  as it is now
 * @param {Message} played  the server's answer
 * @returns {string} `7 of hearts to Foundation 1. King of clubs turned up on Column 3.`
 */
export function playedWords(game, board, played) {
  const moves = played.moves ?? [];
  const title = (/** @type {string} */ name) => {
    const pile = game.piles.find((each) => each.name === name);
    return pile ? pileTitle(pile) : name;
  };
  const top = (/** @type {string} */ name) => cardTitle(board.piles.get(name)?.at(-1) ?? '--');
  if (moves.length === 0) return 'Taken back.';
  if (moves.length > 1) return `${counted(moves.length, 'move')}, ${counted(played.home, 'card')} home.`;
  const [move] = moves;
  const sentences = [];
  if (move === 'draw') {
    sentences.push(`${top('W')} drawn`);
  } else if (!move.includes('-')) {
    sentences.push(ACTIONS[move] ?? move);
  } else {
    const { target, count } = transfer(move);
    sentences.push(`${count > 1 ? `${counted(count, 'card')}, ${top(target)} on top,` : top(target)} to ${title(target)}`);
    for (const [pile, card] of played.turned ?? []) sentences.push(`${cardTitle(card)} turned up on ${title(pile)}`);
  }
  return `${sentences.map((each) => each[0]?.toUpperCase() + each.slice(1)).join('. ')}.`;
}

/**
 * Whether cards may go home by themselves now: not when something was taken back, and not when a card
 * was taken down from where it was home, since it would go straight back.
 *
 * @param {readonly string[]} moves  what was just played
 * @returns {boolean}
 */
export function mayGoHomeAfter(moves) {
  return moves.length > 0 && !moves.some((move) => move.startsWith('F'));
}
