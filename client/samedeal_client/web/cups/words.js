/**
 * Tournaments in sentences: what they are, how they stand, what is wanted of whom. Pure.
 *
 * What has its usual value is left out on the wire; the usual values are `USUAL`.
 */

import { counted, ordinal, span, when } from '../words.js';
import { isOver, openRace, playersOf, youOf } from './ledger.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('./ledger.js').Sheet} Sheet */

/** What terms are where nothing is said. @type {Readonly<Message>} */
export const USUAL = Object.freeze({
  about: '', games: [], choice: 'rotate', pick: 60, visibility: 'public', registration: 'open', cap: 512, least: 2,
  seeding: 'registration', starts: null, check_in: null, rounds_by_hand: false, between: 0, no_show: 300,
  late_until: 0, late_joins: false, bell: null, repeat: null, announced_ahead: 86_400,
});

/** @type {Record<string, {words: string, explained: string}>} */
export const FORMATS = {
  swiss: {
    words: 'Swiss',
    explained: 'Everybody plays all rounds, against players who do about as well. Nobody is out early; good for any number.',
  },
  'single-elimination': { words: 'Single elimination', explained: 'A knock-out: who loses is out. The shortest way to a champion.' },
  'double-elimination': { words: 'Double elimination', explained: 'Who loses twice is out: one bad deal is forgiven.' },
  'round-robin': {
    words: 'Round robin', explained: 'Everybody meets everybody, once or twice. The fairest, for up to a dozen players.',
  },
  heats: { words: 'Heats', explained: 'Many in a race, points for the places, over several rounds. A grand prix.' },
  ladder: {
    words: 'Ladder', explained: 'An arena: whoever is free is paired with somebody else who is, until the bell. Come and go as you like.',
  },
};

/** How each tie-break is reckoned, as docs/tournaments.md says it. @type {Record<string, {short: string, explained: string}>} */
export const TIE_BREAKS = {
  'head-to-head': {
    short: 'h2h',
    explained: 'points from the matches among exactly those who are tied; it counts only if each of them has met each other',
  },
  buchholz: {
    short: 'Buch.',
    explained: 'the sum of the opponents\' points; a bye and a match won by walkover count as an opponent with one\'s own '
      + 'points, a match forfeited and a round missed as nothing',
  },
  'buchholz-cut-1': { short: 'Buch. −1', explained: 'Buchholz without its lowest term' },
  'median-buchholz': { short: 'Median', explained: 'Buchholz without its lowest and its highest term' },
  'sonneborn-berger': {
    short: 'S.-B.',
    explained: 'the points of opponents one has beaten, and half of those one drew with; byes and walkovers as in Buchholz',
  },
  'total-time': { short: 'Time', explained: 'more races finished, then less time over all of them together' },
  'deals-won': { short: 'Deals', explained: 'races in which one came first; k who share the first place get 1/k each' },
  'cards-home': { short: 'Cards', explained: 'cards brought home in all races together' },
};

const PLACES_SHOWN = 3;
/** Who is simply told their place when it is over. */
const IN_PLAY = ['waiting', 'registered', 'checked-in', 'playing', 'sitting-out'];
const STATES = /** @type {Record<string, string>} */ ({
  waiting: 'on the waiting list', 'checked-in': 'checked in', 'sitting-out': 'sits out', withdrawn: 'has left',
  absent: 'was not there',
});

/**
 * @param {Message} format  of the terms
 * @returns {string} `Swiss, 5 rounds, matches best of 3`
 */
export function formatText(format) {
  const said = [FORMATS[format.format]?.words ?? format.format];
  if (format.format === 'round-robin' && format.times === 2) said[0] = 'Double round robin';
  if (format.rounds) said.push(counted(format.rounds, 'round'));
  if (format.third_place) said.push('third place played');
  if (format.reset === false) said.push('one final');
  if (format.format === 'heats') said.push(`up to ${format.size ?? 8} in a race`);
  const length = format.length?.best_of ?? 1;
  if (length > 1) said.push(`matches best of ${length}`);
  return said.join(', ');
}

/**
 * @param {Message} head
 * @returns {string} `announced`, `check-in`, `round 2 of 5`, `paused`, `over`, `called off`
 */
export function phaseText(head) {
  if (head.phase === 'called-off') return 'called off';
  if (head.halted !== undefined && head.halted !== null) return 'paused';
  if (head.phase === 'check-in') return 'check-in is open';
  if (head.phase === 'announced') return 'open for registration';
  if (head.phase === 'running' && head.round) return `round ${head.round}${head.rounds ? ` of ${head.rounds}` : ''}`;
  return head.phase;
}

/**
 * @param {Map<number, Message>} players
 * @param {number} number
 * @returns {string} a bot says that it is one
 */
export function called(players, number) {
  const player = players.get(number);
  if (!player) return `#${number}`;
  return player.bot ? `${player.name} (bot)` : player.name;
}

/**
 * @param {Message} player
 * @returns {string} empty for who simply plays
 */
export function playerState(player) {
  return player.state === 'playing' ? '' : STATES[player.state] ?? player.state;
}

/** @param {string} said */
export function sentence(said) {
  return capital(stopped(said));
}

/** @param {string} said */
export function capital(said) {
  return `${(said[0] ?? '').toUpperCase()}${said.slice(1)}`;
}

/** @param {string} said */
function stopped(said) {
  return said === '' || /[.!?]$/.test(said) ? said : `${said}.`;
}

/**
 * How it stands, in one line; where something comes by itself, with its instant.
 *
 * @param {Sheet} sheet
 * @param {Message | null} [table]  the standings, if they are known
 * @returns {{before: string, until: number | null, after: string}} `before` the clock and `after` it
 */
export function stateLine(sheet, table = null) {
  const { head } = sheet;
  const at = head.next_at ?? null;
  const players = playersOf(sheet);
  const plain = (/** @type {string} */ said) => ({ before: said, until: null, after: '' });
  const timed = (/** @type {string} */ before, after = '') => ({ before, until: at, after });
  if (head.phase === 'called-off') return plain(`Called off: ${stopped(head.reason ?? '')}`);
  if (head.phase === 'over') {
    const first = (table?.lines ?? []).filter((/** @type {Message} */ line) => line.place === 1);
    const won = head.champion ? [head.champion] : first.map((/** @type {Message} */ line) => line.player);
    const names = listed(won.map((/** @type {number} */ each) => called(players, each)));
    if (won.length > 3) return plain(`It is over: ${won.length} share the first place.`);
    return plain(won.length ? `★ ${names} ${won.length === 1 ? 'has' : 'have'} won.` : `It is over: ${stopped(head.reason ?? 'all is played')}`);
  }
  if (head.halted !== undefined && head.halted !== null) return plain(`Paused: ${stopped(head.halted)}`);
  const there = (sheet.players ?? []).filter((/** @type {Message} */ each) => !['withdrawn', 'waiting', 'absent'].includes(each.state));
  if (head.phase === 'announced') {
    const registered = `${counted(there.length, 'player')} so far.`;
    if (head.next === 'check-in' && at !== null) return timed('Check-in opens in', `. ${registered}`);
    if (at !== null) return timed('It starts in', `. ${registered}`);
    return plain(`The host starts it. ${registered}`);
  }
  if (head.phase === 'check-in') {
    const here = there.filter((/** @type {Message} */ each) => each.state === 'checked-in').length;
    const said = there.length ? `${here} of ${counted(there.length, 'player')} ${here === 1 ? 'is' : 'are'} here.` : 'Nobody has registered yet.';
    return at === null ? plain(`Check-in is open; the host starts it. ${said}`) : timed('Check-in is open:', ` left. ${said}`);
  }
  const round = head.round ? `Round ${head.round}${head.rounds ? ` of ${head.rounds}` : ''}` : 'It runs';
  const waits = head.waits ? `: ${head.waits}` : '';
  if (head.next === 'bell' && at !== null) return timed('The bell rings in', head.waits ? `. ${sentence(head.waits)}` : '.');
  if (head.next === 'round' && at !== null) return timed(`Round ${(head.round ?? 0) + 1} is paired in`, '.');
  return plain(sentence(round + waits));
}

/**
 * @param {Sheet} sheet
 * @param {Message | null} [table]  the standings, if they are known
 * @returns {string[]} what the viewer is in it, a sentence each; when it is over, which place they have got
 */
export function youLines(sheet, table = null) {
  const you = youOf(sheet);
  const lines = sheet.role ? [`You ${isOver(sheet) ? 'were' : 'are'} ${sheet.role === 'host' ? 'the host' : `a ${sheet.role}`}.`] : [];
  if (you === null) return lines;
  if (isOver(sheet) && IN_PLAY.includes(you.state)) {
    const place = (table?.lines ?? []).find((/** @type {Message} */ line) => line.player === you.player)?.place;
    if (place && sheet.head.phase === 'over') lines.push(`You came ${ordinal(place)}.`);
    return lines;
  }
  switch (you.state) {
    case 'registered':
      lines.push(sheet.head.phase === 'check-in'
        ? 'You are registered: check in now, or you do not play.' : 'You are registered.');
      break;
    case 'checked-in':
      lines.push('You are checked in.');
      break;
    case 'waiting': {
      const before = (sheet.players ?? []).filter((/** @type {Message} */ each) => each.state === 'waiting' && each.player < you.player);
      lines.push(`You are on the waiting list, at place ${before.length + 1}.`);
      break;
    }
    case 'playing':
      lines.push(`You play${you.seed ? `, with seed number ${you.seed}` : ''}.`);
      break;
    case 'sitting-out':
      lines.push('You sit out: nobody is paired with you until you come back.');
      break;
    case 'withdrawn':
      lines.push('You have left.');
      break;
    case 'absent':
      lines.push('You were not there when it started.');
      break;
    default:
      lines.push(`You are ${you.state}.`);
  }
  return lines;
}

/**
 * @param {Message} match
 * @param {Map<number, Message>} players
 * @returns {string} `Ada – Bo`, or the many of a heat
 */
export function versus(match, players) {
  const names = match.players.map((/** @type {number} */ each) => called(players, each));
  return names.join(names.length < 3 ? ' – ' : ', ');
}

/**
 * @param {Message} match
 * @param {Map<number, Message>} players
 * @returns {string} how it stands or ended: `2–1`, `race is on`, `walkover for Ada`
 */
export function matchState(match, players) {
  if (match.ending) {
    let said = match.ending;
    if (match.ending === 'bye') said = 'has a bye';
    else if (match.ending === 'walkover' && match.winner) said = `walkover for ${called(players, match.winner)}`;
    else if (match.ending === 'double forfeit') said = 'nobody wins';
    else if ((match.places ?? []).length) said = placesText(match, players);
    else if (match.ending === 'played') said = levelText(match, players) ?? (match.score || 'over');
    const why = match.unplayed ? ` (${match.unplayed})` : '';
    return `${said}${why}${match.overridden ? ` (ruled: ${match.overridden})` : ''}`;
  }
  const score = match.score ? `${match.score}, ` : '';
  if (match.pick) return `${score}${called(players, match.pick.player)} picks the game`;
  const race = openRace(match);
  if (race === null) return match.score || 'to be played';
  return score + (race.state === 'running' ? 'race is on' : 'race is called');
}

/**
 * What decided a match that was level after its races.
 *
 * @param {Message} match
 * @returns {string | null} `cards home 40–38`, `the better seed number`; null where races or a ruling did
 */
export function decided(match) {
  if (match.ending !== 'played' || !match.winner || match.overridden) return null;
  return /^[^,]*, (.+)$/.exec(match.score ?? '')?.[1] ?? null;
}

/**
 * @param {Message} match
 * @returns {number} how many of its races were drawn and played again
 */
export function replaysOf(match) {
  const over = (match.races ?? []).filter((/** @type {Message} */ race) => race.state === 'over').length;
  const scored = scoresOf(match).reduce((sum, score) => sum + numberOf(score), 0);
  return Math.max(0, over - scored);
}

/** @param {string} score  `1½` */
function numberOf(score) {
  return Number(score.replace('½', '') || 0) + (score.includes('½') ? 0.5 : 0);
}

/**
 * @param {Message} match
 * @param {Map<number, Message>} players
 * @returns {string | null} `½–½ after 3 replays, Ada wins by the better seed number`
 */
function levelText(match, players) {
  const how = decided(match);
  if (how === null) return null;
  const replays = replaysOf(match);
  const after = replays ? ` after ${counted(replays, 'replay')}` : '';
  return `${match.score.split(',')[0]}${after}, ${called(players, match.winner)} wins by ${how}`;
}

/**
 * @param {Message} heat
 * @param {Map<number, Message>} players
 * @returns {string} `Ada 10, Bo 8, Cy 6`
 */
function placesText(heat, players) {
  const first = heat.places.slice(0, PLACES_SHOWN).map((/** @type {Message} */ each) => `${called(players, each.player)} ${each.points ?? 0}`);
  return first.join(', ') + (heat.places.length > PLACES_SHOWN ? ', …' : '');
}

/**
 * @param {Message} match
 * @param {number} player
 * @returns {{mark: 'won' | 'lost' | 'drawn' | 'open' | 'bye', words: string}} how a match of two stands for one of them
 */
export function outcome(match, player) {
  if (!match.ending) return { mark: 'open', words: 'plays' };
  if (match.ending === 'bye') return { mark: 'bye', words: 'bye' };
  const how = match.ending === 'played' ? '' : match.ending === 'walkover' ? ' by walkover' : ', nobody came';
  if (match.ending === 'double forfeit') return { mark: 'lost', words: `lost${how}` };
  if (!match.winner) return { mark: 'drawn', words: 'drew' };
  return match.winner === player ? { mark: 'won', words: `won${how}` } : { mark: 'lost', words: `lost${how}` };
}

/**
 * @param {Message} match
 * @returns {[string, string]} what stands behind each of two players: races won, `w/o` for who won without one
 */
export function scoresOf(match) {
  if (match.ending === 'walkover') return match.winner === match.players[0] ? ['w/o', ''] : ['', 'w/o'];
  if (match.ending === 'double forfeit') return ['–', '–'];
  const found = /^([^–-]+)[–-]([^–,-]+)/.exec(match.score ?? '');
  return found ? [(found[1] ?? '').trim(), (found[2] ?? '').trim()] : ['', ''];
}

const SPECTATORS = /** @type {Record<string, string>} */ ({
  none: 'no spectators until it is over', progress: 'spectators see how far everybody is', boards: 'spectators see all boards',
});
const UNDO = /** @type {Record<string, string>} */ ({
  free: 'undo is free', 'not-past-a-reveal': 'undo, but not past a revealed card', none: 'no undo',
});

/**
 * @param {Message} terms  a tournament's
 * @param {(key: string) => string} gameName
 * @returns {[string, string][]} what was announced, by its heading
 */
export function termsLines(terms, gameName) {
  /** @type {Message} */
  const { race, ...said } = { ...USUAL, ...terms };
  const games = [race.game, ...said.games].map(gameName);
  /** @type {[string, string][]} */
  const lines = [['Format', `${formatText(terms.format)}. ${FORMATS[terms.format.format]?.explained ?? ''}`]];
  const chosen = said.choice === 'pick' ? 'the players pick' : 'one after the other';
  lines.push([games.length > 1 ? 'Games' : 'Game', games.length > 1 ? `${games.join(', ')}: ${chosen}` : games.join('')]);
  lines.push(['Start', said.starts ? when(said.starts) : 'by the host’s word']);
  if (said.check_in) lines.push(['Check-in', `${span(said.check_in)}${said.starts ? ' before the start' : ''}; who has not by then does not play`]);
  const who = { open: 'everybody', invitation: 'by invitation', phrase: 'whoever knows the pass phrase' }[String(said.registration)];
  lines.push(['Registration', `${who}; ${said.cap < 512 ? `${said.least} to ${said.cap} players` : `at least ${counted(said.least, 'player')}`}`]);
  lines.push(['Seed numbers', { registration: 'as they registered', lots: 'by lot', rating: 'by rating' }[String(said.seeding)] ?? '']);
  if ((race.mode ?? 'live') === 'live') lines.push(['No-show', `${span(said.no_show)} to be ready once a race is called; who is not has lost it`]);
  if (terms.format.format !== 'heats') lines.push(['Drawn races', drawsText(terms.format)]);
  if (said.rounds_by_hand) lines.push(['Rounds', 'the host has each paired']);
  if (said.between) lines.push(['Between rounds', `at least ${span(said.between)}`]);
  if (said.late_until) lines.push(['Coming late', `until round ${said.late_until}`]);
  if (said.late_joins) lines.push(['Coming late', 'until the bell']);
  if (said.bell) lines.push(['Bell', `${span(said.bell)} after the start; matches in progress count`]);
  if (terms.format.points) lines.push(['Points', pointsText(terms.format.points)]);
  const breaks = terms.format.tie_breaks;
  if (breaks?.length) lines.push(['Tie-breaks', breaks.join(', then ')]);
  if (said.repeat) lines.push(['Repeats', aloud(said.repeat)]);
  lines.push(['Races', raceText(race)]);
  return lines;
}

/** @param {Message} format */
function drawsText(format) {
  const replays = format.length?.replays ?? 3;
  const again = replays ? `played again on another deal, up to ${counted(replays, 'time')} in a match; then a draw counts half for each` : 'not played again; a draw counts half for each';
  return format.format.endsWith('elimination') ? `${again}. A match still level goes by cards home, then by races finished, by time, by the better seed number` : again;
}

/** @param {Message} race  its terms */
function raceText(race) {
  const said = [];
  if (race.mode === 'async') said.push(`at your own pace, within ${span(race.closes ?? 86_400)} each`);
  if (race.limit !== null) said.push(`at most ${span(race.limit ?? 3600)}`);
  said.push(race.undo === 'penalty' ? `each undo costs ${span(race.undo_penalty ?? 5)}` : UNDO[race.undo ?? 'not-past-a-reveal'] ?? '');
  if (race.hints) said.push('hints');
  if (race.blind) said.push('blind: rivals are hidden until you are done');
  said.push(SPECTATORS[race.spectators ?? 'boards'] ?? '');
  if (race.delay) said.push(`${span(race.delay)} behind`);
  said.push(race.rated ? 'rated' : 'unrated');
  if (race.bots === false) said.push('no bots');
  return said.join('; ');
}

/** @param {Message | number[]} points */
function pointsText(points) {
  if (Array.isArray(points)) return points.join(', ');
  return `win ${points.win ?? 1}, draw ${points.draw ?? 0.5}, loss ${points.loss ?? 0}, bye ${points.bye ?? 1}`;
}

/**
 * @param {Message} schedule
 * @returns {string} `every 2 weeks on Tuesday and Friday at 19:30 (Europe/Berlin)`
 */
export function aloud(schedule) {
  const several = schedule.interval ?? 1;
  const days = listed((schedule.weekdays ?? []).map((/** @type {string} */ day) => day[0]?.toUpperCase() + day.slice(1)));
  const parts = [several === 1 ? `every ${schedule.every}` : `every ${several} ${schedule.every}s`];
  if (schedule.nth) parts.push(`on the ${schedule.nth} ${days}`);
  else if (days) parts.push(`on ${days}`);
  else if (schedule.day) parts.push(`on day ${schedule.day}`);
  else if (schedule.last_day) parts.push('on the last day');
  const bounds = [];
  if (schedule.count) bounds.push(schedule.count === 1 ? 'once' : `${schedule.count} times`);
  if (schedule.since) bounds.push(`from ${schedule.since}`);
  if (schedule.until) bounds.push(`until ${schedule.until}`);
  const said = `${parts.join(' ')} at ${schedule.at} (${schedule.zone})`;
  return bounds.length ? `${said}, ${bounds.join(' ')}` : said;
}

/** @param {string[]} words */
function listed(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
