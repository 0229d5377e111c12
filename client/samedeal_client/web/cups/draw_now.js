/** Draws what matters now: how it stands in a line, what the viewer can do, and their own match. */

import { h } from '../dom.js';
import { counted } from '../words.js';
import { countdown, nameOf } from './draw.js';
import { gamesOf, isOver, openRace, picks, playersOf, wanted, youOf } from './ledger.js';
import { capital, replaysOf, scoresOf, stateLine, youLines } from './words.js';

/** @typedef {import('../net/link.js').Message} Message */

/**
 * @param {Message} sheet
 * @param {Message | null} table  the standings, if they are known
 * @returns {HTMLElement}
 */
export function drawNow(sheet, table) {
  const { before, until, after } = stateLine(sheet, table);
  const you = youLines(sheet, table);
  const buttons = [...offers(sheet), ...(sheet.role ? [h('a', { class: 'button', 'data-key': 'console', href: `/t/${sheet.tournament}/host` }, 'Host console')] : [])];
  const isRest = isOver(sheet) || (sheet.head.halted ?? null) !== null;
  return h('div', { class: `now sheet${isRest ? ' rest' : ''}` },
    h('p', { class: 'state-line' }, before, until === null ? null : [' ', countdown(until)], after),
    you.length ? h('p', { class: 'quiet' }, you.join(' ')) : null,
    buttons.length ? h('div', { class: 'row' }, buttons) : null);
}

/**
 * What a visitor may do now, as buttons.
 *
 * @param {Message} sheet
 * @returns {HTMLElement[]}
 */
function offers(sheet) {
  const you = youOf(sheet);
  const { phase } = sheet.head;
  if (isOver(sheet)) return [];
  const button = (/** @type {string} */ act, /** @type {string} */ words, kind = '') => h('button', { type: 'button', class: kind, 'data-key': act, 'data-do': act }, words);
  const canRest = ['swiss', 'heats', 'ladder'].includes(sheet.terms.format.format);
  switch (you?.state) {
    case undefined:
    case 'absent':
      return mayRegister(sheet) ? registering(sheet) : [];
    case 'registered':
      return [...(phase === 'check-in' ? [button('check-in', 'I am here', 'primary')] : []), button('withdraw', 'Take my registration back')];
    case 'checked-in':
    case 'waiting':
      return [
        ...(you?.state === 'waiting' && phase === 'check-in' ? [button('check-in', 'I am here', 'primary')] : []),
        button('withdraw', phase === 'running' ? 'Leave' : 'Take my registration back')];
    case 'playing':
      return [...(canRest ? [button('sit-out', 'Sit out')] : []), button('withdraw', 'Leave the tournament', 'danger')];
    case 'sitting-out':
      return [button('come-back', 'Come back', 'primary'), button('withdraw', 'Leave the tournament', 'danger')];
    case 'withdrawn':
      return phase === 'running' ? [button('come-back', 'Come back', 'primary')] : registering(sheet);
    default:
      return [];
  }
}

/** @param {Message} sheet */
export function mayRegister(sheet) {
  const { head, terms } = sheet;
  if (head.phase === 'announced' || head.phase === 'check-in') return true;
  if (head.phase !== 'running') return false;
  return (terms.late_until ?? 0) > (head.round ?? 0) || (Boolean(terms.late_joins) && head.next === 'bell');
}

/** @param {Message} sheet */
function registering(sheet) {
  const { terms, head } = sheet;
  const taken = (sheet.players ?? []).filter((/** @type {Message} */ each) => !['withdrawn', 'absent', 'disqualified'].includes(each.state)).length;
  const words = taken >= (terms.cap ?? 512) ? 'Join the waiting list' : head.phase === 'running' ? 'Join late' : 'Register';
  const button = h('button', { type: 'submit', class: 'primary' }, words);
  const phrase = terms.registration === 'phrase'
    ? [h('label', {}, 'Pass phrase ', h('input', { type: 'text', name: 'phrase', maxlength: 64, autocomplete: 'off', required: true }))] : [];
  const note = terms.registration === 'invitation' ? [h('span', { class: 'quiet' }, 'By invitation.')] : [];
  return [h('form', { class: 'row', 'data-key': 'register', 'data-do': 'register' }, phrase, button, note)];
}

/**
 * The viewer's own match, on top of everything.
 *
 * @param {Message} sheet
 * @param {(key: string) => string} gameName
 * @returns {HTMLElement | null} null for who plays nothing now
 */
export function drawOwn(sheet, gameName) {
  const you = youOf(sheet);
  if (you === null || isOver(sheet)) return null;
  const players = playersOf(sheet);
  const [call] = wanted(sheet);
  const [pick] = picks(sheet);
  if (call) {
    const { match, race } = call;
    const called = race.state === 'called' && race.ready_by && (sheet.terms.race.mode ?? 'live') === 'live'
      ? h('p', {}, 'Be there and ready within ', countdown(race.ready_by), ', or it is lost.') : null;
    return h('section', { class: 'own-match sheet', 'aria-labelledby': 'own-head', 'data-key': 'own' },
      h('h2', { id: 'own-head' }, race.state === 'running' ? 'Your race is on' : 'Your race is ready'),
      h('p', {}, against(match, sheet, players), ` ${gameName(race.game)}. `, series(match, sheet), replayed(match)), called,
      h('p', { class: 'row' }, h('button', { type: 'button', class: 'primary big', 'data-do': 'race', 'data-of': race.race }, 'To your race')));
  }
  if (pick) {
    return h('section', { class: 'own-match sheet', 'aria-labelledby': 'own-head', 'data-key': 'own' },
      h('h2', { id: 'own-head' }, 'Pick the game of your next race'),
      h('p', {}, against(pick, sheet, players), ' ', series(pick, sheet), ' ', countdown(pick.pick.until), ' left, then the lot picks.'),
      h('div', { class: 'row' }, gamesOf(sheet).map((key) => h('button', { type: 'button', 'data-key': key, 'data-do': 'pick', 'data-of': pick.match, 'data-game': key }, gameName(key)))));
  }
  const open = (sheet.matches ?? []).find((/** @type {Message} */ match) => !match.ending && match.players.includes(you.player));
  if (open) {
    const waits = open.pick ? 'Your rival picks the game.' : openRace(open) === null ? 'Its race is called in a moment.' : '';
    return h('section', { class: 'own-match sheet quietly', 'aria-labelledby': 'own-head', 'data-key': 'own' },
      h('h2', { id: 'own-head' }, 'Your match'), h('p', {}, against(open, sheet, players), ' ', series(open, sheet), ' ', waits));
  }
  if (sheet.head.phase !== 'running' || you.state !== 'playing') return null;
  const last = (sheet.matches ?? []).findLast((/** @type {Message} */ match) => match.players.includes(you.player));
  const isBye = last?.ending === 'bye';
  const isElimination = sheet.terms.format.format.endsWith('elimination');
  return h('section', { class: 'own-match sheet quietly', 'aria-labelledby': 'own-head', 'data-key': 'own' },
    h('h2', { id: 'own-head' }, isBye ? 'You have a bye' : 'You are done for now'),
    h('p', {}, isBye ? isElimination ? 'You go on without a race; your next match waits for the others. ' : 'Nobody is left to play you this round: it counts as the terms say. ' : '', 'Stay on this page: you are brought into your next race.'));
}

/**
 * @param {Message} match
 * @param {Message} sheet
 * @param {Map<number, Message>} players
 */
function against(match, sheet, players) {
  const rivals = match.players.filter((/** @type {number} */ each) => each !== sheet.you);
  const names = rivals.length > 3 ? [`${counted(rivals.length, 'rival')}`] : rivals.flatMap((/** @type {number} */ each, /** @type {number} */ at) => [at ? ', ' : '', nameOf(players, each)]);
  return h('span', {}, `${capital(match.label)} (${match.match}), against `, names, '.');
}

/** @param {Message} match */
function replayed(match) {
  const replays = replaysOf(match);
  return replays ? ` ${counted(replays, 'race')} drawn and played again.` : '';
}

/**
 * @param {Message} match
 * @param {Message} sheet
 */
function series(match, sheet) {
  if ((match.best_of ?? 1) < 2) return '';
  const scores = scoresOf(match);
  const own = match.players.indexOf(sheet.you);
  return h('b', {}, `${scores[own] || 0}–${scores[1 - own] || 0}, best of ${match.best_of}.`);
}
