/** What hosts and referees do, as data: each deed with who may, when it is offered, what it asks for and its act. Pure. */

import { extension, isOver, matchOf, playersOf, roundToStart } from './ledger.js';
import { namesOf, secondsOf } from './plan.js';
import { called, versus } from './words.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('./fields.js').Field} Field */
/** @typedef {import('./fields.js').Values} Values */

/**
 * @typedef {object} Deed
 * @property {string} word
 * @property {string} title
 * @property {string} sentence  what it does
 * @property {'hosts' | 'staff' | 'the host'} whose
 * @property {'all' | 'player' | 'match'} about  what it is done to
 * @property {string} done
 * @property {(sheet: Message, subject: any) => boolean} when  whether it is offered; `subject` is a player or match
 * @property {(sheet: Message, subject: any) => Field[]} [asks]
 * @property {(values: Values, sheet: Message, subject: any) => Message} makes
 * @property {boolean} [isGrave]
 */

/** @type {Field} */
const REASON = { name: 'reason', label: 'Reason', kind: 'text', max: 200, isNeeded: true, hint: 'It stands in the log, for everybody to read.' };
const isAhead = (/** @type {Message} */ sheet) => ['announced', 'check-in'].includes(sheet.head.phase);
const isRunning = (/** @type {Message} */ sheet) => sheet.head.phase === 'running';
const isHalted = (/** @type {Message} */ sheet) => (sheet.head.halted ?? null) !== null;
const isOut = (/** @type {Message} */ player) => ['withdrawn', 'disqualified', 'absent'].includes(player.state);
const countedRaces = (/** @type {Message} */ match) => (match.races ?? []).filter((/** @type {Message} */ race) => race.state !== 'void');

/** @type {Deed[]} */
export const DEEDS = [
  {
    word: 'open', title: 'Open the check-in', sentence: 'Players can say from now on that they are here. Who has not checked in at the start does not play.',
    whose: 'hosts', about: 'all', done: 'The check-in is open.',
    when: (sheet) => sheet.head.phase === 'announced' && Boolean(sheet.terms.check_in), makes: () => ({ act: 'open-check-in' }),
  },
  {
    word: 'start', title: 'Start', sentence: 'It starts with those who are there.', whose: 'hosts', about: 'all', done: 'It has started.', when: isAhead,
    asks: () => [{ name: 'order', label: 'Order of the field (seeding), by hand', kind: 'names', isFolded: true, hint: 'Names, the strongest first; the others come after them. Empty: as the terms say.' }],
    makes: ({ order }, sheet) => ({ act: 'start-tournament', order: namesOf(order ?? '').map((name) => numberOf(name, sheet)) }),
  },
  {
    word: 'round', title: 'Start the next round', sentence: 'The next round is paired now, without waiting any longer.', whose: 'hosts', about: 'all', done: 'The round is paired.',
    when: (sheet) => isRunning(sheet) && !isHalted(sheet) && sheet.terms.format.format !== 'ladder' && (sheet.head.next === 'round' || Boolean(sheet.terms.rounds_by_hand)),
    makes: (_values, sheet) => roundToStart(sheet),
  },
  {
    word: 'bell', title: 'Ring the bell', sentence: 'Nothing more is paired; matches in progress count.', whose: 'hosts', about: 'all', done: 'The bell has rung.',
    when: (sheet) => isRunning(sheet) && sheet.terms.format.format === 'ladder' && sheet.head.next === 'bell', makes: () => ({ act: 'ring-bell' }),
  },
  {
    word: 'halt', title: 'Pause', sentence: 'Nothing is paired, called or timed out; races that run go on and count.', whose: 'staff', about: 'all', done: 'It is paused.',
    when: (sheet) => !isOver(sheet) && !isHalted(sheet), asks: () => [REASON], makes: ({ reason }) => ({ act: 'halt', reason }),
  },
  {
    word: 'continue', title: 'Continue', sentence: 'Everything that was waited for waits as much longer as the pause was.', whose: 'staff', about: 'all', done: 'It goes on.',
    when: (sheet) => !isOver(sheet) && isHalted(sheet), makes: () => ({ act: 'continue' }),
  },
  {
    word: 'extend', title: 'Give more time', sentence: 'What it waits for comes so much later: check-in and start, the next round, or the bell.', whose: 'staff', about: 'all', done: 'There is more time.',
    when: (sheet) => !isOver(sheet) && Boolean(sheet.head.next_at), asks: () => [SPAN], makes: ({ span }, sheet) => extension(sheet, secondsOf(span) ?? 0, null),
  },
  {
    word: 'invite', title: 'Invite', sentence: 'People of these names may register.', whose: 'hosts', about: 'all', done: 'Invited.',
    when: (sheet) => !isOver(sheet) && sheet.terms.registration === 'invitation',
    asks: () => [{ name: 'names', label: 'Names', kind: 'names', isNeeded: true, hint: 'Between commas, or one a line.' }],
    makes: ({ names }) => ({ act: 'invite', names: namesOf(names) }),
  },
  {
    word: 'appoint', title: 'Appoint', sentence: 'A co-host may do all but appoint, call off and post results; a referee rules on races, matches and players, and pauses.',
    whose: 'the host', about: 'all', done: 'Appointed.', when: (sheet) => !isOver(sheet),
    asks: () => [
      { name: 'name', label: 'Name', kind: 'text', max: 96, isNeeded: true },
      { name: 'role', label: 'As', kind: 'radio', options: [['referee', 'referee'], ['co-host', 'co-host'], ['none', 'neither any longer']] },
    ],
    makes: ({ name, role }) => ({ act: 'appoint', name, role }),
  },
  {
    word: 'hook', title: 'Post results to a URL', sentence: 'Results are posted there as they come, signed.', whose: 'the host', about: 'all', done: 'Results are posted there.',
    when: (sheet) => !isOver(sheet), asks: () => [{ name: 'url', label: 'URL', kind: 'url', max: 500, isNeeded: true, example: 'https://example.org/results' }],
    makes: ({ url }) => ({ act: 'add-hook', url }),
  },
  {
    word: 'unhook', title: 'Post no more', sentence: 'Nothing is posted to this URL any more.', whose: 'the host', about: 'all', done: 'Nothing is posted there any more.',
    when: (sheet) => (sheet.hooks ?? []).length > 0,
    asks: (sheet) => [{ name: 'url', label: 'URL', kind: 'select', options: sheet.hooks.map((/** @type {string} */ url) => [url, url]) }],
    makes: ({ url }) => ({ act: 'remove-hook', url }),
  },
  {
    word: 'call-off', title: 'Call it off', sentence: 'The tournament ends without a result. This cannot be taken back.', whose: 'the host', about: 'all', done: 'It is called off.', isGrave: true,
    when: (sheet) => !isOver(sheet),
    asks: (sheet) => [REASON, ...(sheet.terms.repeat ? [/** @type {Field} */ ({ name: 'series', label: 'The series ends as well', kind: 'check' })] : [])],
    makes: ({ reason, series }) => ({ act: 'call-off', reason, ...(series ? { series } : {}) }),
  },
  {
    word: 'let-in', title: 'Let in', sentence: 'They get a place, beyond the cap or late.', whose: 'hosts', about: 'player', done: 'Let in.',
    when: (sheet, player) => !isOver(sheet) && player.state === 'waiting', makes: (_values, _sheet, player) => ({ act: 'let-in', player: player.player }),
  },
  {
    word: 'withdraw', title: 'Withdraw', sentence: 'They leave the tournament; open matches go to the opponents.', whose: 'staff', about: 'player', done: 'Withdrawn.', isGrave: true,
    when: (sheet, player) => !isOver(sheet) && !isOut(player), makes: (_values, _sheet, player) => ({ act: 'withdraw', player: player.player }),
  },
  {
    word: 'disqualify', title: 'Disqualify', sentence: 'They are out and placed last; open matches go to the opponents.', whose: 'staff', about: 'player', done: 'Disqualified.', isGrave: true,
    when: (sheet, player) => !isOver(sheet) && player.state !== 'disqualified', asks: () => [REASON],
    makes: ({ reason }, _sheet, player) => ({ act: 'disqualify', player: player.player, reason }),
  },
  {
    word: 'reinstate', title: 'Reinstate', sentence: 'The withdrawal or disqualification is taken back; what was lost stays lost.', whose: 'hosts', about: 'player', done: 'Reinstated.',
    when: (sheet, player) => !isOver(sheet) && ['withdrawn', 'disqualified'].includes(player.state), asks: () => [REASON],
    makes: ({ reason }, _sheet, player) => ({ act: 'reinstate', player: player.player, reason }),
  },
  {
    word: 'more-time', title: 'More time', sentence: 'Its players have so much longer to be ready, or to pick.', whose: 'staff', about: 'match', done: 'There is more time.',
    when: (sheet, match) => !isOver(sheet) && !match.ending && (Boolean(match.pick) || countedRaces(match).some((/** @type {Message} */ race) => race.state === 'called')),
    asks: () => [SPAN], makes: ({ span }, sheet, match) => extension(sheet, secondsOf(span) ?? 0, match.match),
  },
  {
    word: 'void', title: 'Void a race', sentence: 'The race counts for nothing and another is played, on another deal. Later matches that rest on it are taken back.',
    whose: 'staff', about: 'match', done: 'The race is void.', when: (sheet, match) => !isOver(sheet) && countedRaces(match).length > 0,
    asks: (_sheet, match) => [
      { name: 'number', label: 'Race', kind: 'select', options: countedRaces(match).toReversed().map((/** @type {Message} */ race) => [String(race.number), `race ${race.number}, ${race.state}`]) },
      REASON,
    ],
    makes: ({ number, reason }, _sheet, match) => ({ act: 'void-race', match: match.match, number: Number(number), reason }),
  },
  {
    word: 'override', title: 'Override', sentence: 'You say how the match ended, whatever its races say. Later matches that rest on it are taken back.',
    whose: 'staff', about: 'match', done: 'Overridden.', when: (sheet, match) => !isOver(sheet) && match.players.length > 1,
    asks: (sheet, match) => [{ name: 'result', label: 'Result', kind: 'radio', isNeeded: true, options: results(sheet, match) }, REASON],
    makes: ({ result, reason }, _sheet, match) => ruling(match, result, reason),
  },
];

/** @type {Field} */
const SPAN = { name: 'span', label: 'How much more', kind: 'duration', min: 1, max: 604_800, usual: 300, isNeeded: true, hint: '90s, 5m, 2h or 1d.' };
const RIGHTS = /** @type {Record<string, string[]>} */ ({ host: ['the host', 'hosts', 'staff'], 'co-host': ['hosts', 'staff'], referee: ['staff'] });

/**
 * @param {Message} sheet
 * @param {Deed['about']} about
 * @param {any} [subject]  a player or match
 * @returns {Deed[]} what the viewer may do now
 */
export function offered(sheet, about, subject = null) {
  const rights = RIGHTS[sheet.role ?? ''] ?? [];
  return DEEDS.filter((deed) => deed.about === about && rights.includes(deed.whose) && deed.when(sheet, subject));
}

/**
 * @param {Message} sheet
 * @param {string} word
 * @param {string | null} key  a player's number or a match's id
 * @returns {{deed: Deed, subject: any, name: string} | null} the deed with what it is done to; null if that is gone
 */
export function deedOf(sheet, word, key) {
  const deed = DEEDS.find((each) => each.word === word);
  if (deed === undefined) return null;
  const players = playersOf(sheet);
  if (deed.about === 'all') return { deed, subject: null, name: '' };
  const subject = deed.about === 'player' ? players.get(Number(key)) ?? null : matchOf(sheet, key ?? '');
  if (subject === null) return null;
  return { deed, subject, name: deed.about === 'player' ? called(players, subject.player) : `${subject.match}, ${versus(subject, players)}` };
}

/**
 * @param {string} name  or number, as `#3`
 * @param {Message} sheet
 * @returns {number}
 * @throws {RangeError} with a sentence, if nobody is called so
 */
function numberOf(name, sheet) {
  const known = (sheet.players ?? []).findLast((/** @type {Message} */ each) => each.name.toLowerCase() === name.toLowerCase())
    ?? (sheet.players ?? []).find((/** @type {Message} */ each) => String(each.player) === name.replace('#', ''));
  if (!known) throw new RangeError(`“${name}” is no player of this tournament.`);
  return known.player;
}

/**
 * @param {Message} sheet
 * @param {Message} match
 * @returns {[string, string][]}
 */
function results(sheet, match) {
  const players = playersOf(sheet);
  const { format } = sheet.terms.format;
  const draws = ['swiss', 'round-robin', 'ladder'].includes(format);
  const won = match.players.map((/** @type {number} */ each) => [`played ${each}`, `${called(players, each)} has won`]);
  const walked = match.players.map((/** @type {number} */ each) => [`walkover ${each}`, `walkover for ${called(players, each)}`]);
  return [...won, ...walked, ...(draws ? [['draw', 'a draw']] : []), ['none', 'both have lost']];
}

/**
 * @param {Message} match
 * @param {string} result
 * @param {string} reason
 * @returns {Message}
 */
function ruling(match, result, reason) {
  const act = { act: 'override', match: match.match, reason };
  if (result === 'draw') return { ...act, ending: 'played' };
  if (result === 'none') return { ...act, ending: 'double forfeit' };
  const [ending, winner] = result.split(' ');
  return { ...act, ending, winner: Number(winner) };
}
