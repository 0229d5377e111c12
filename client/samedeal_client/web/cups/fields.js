/** What a host can choose for a tournament, as data: each field with its words, bounds and place in the terms. Pure. */

import { FORMATS, TIE_BREAKS, capital } from './words.js';

/** @typedef {Record<string, any>} Values  what stands in the form, by field */

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {'text' | 'area' | 'number' | 'duration' | 'check' | 'select' | 'radio' | 'several' | 'instant' | 'time'
 *   | 'date' | 'url' | 'names' | 'numbers' | 'game' | 'games'} kind
 * @property {string} [hint]
 * @property {number} [min]
 * @property {number} [max]
 * @property {[string, string][]} [options]  value and words
 * @property {string} [at]  its place in the terms, such as `format.length.best_of`; none: it is told beside them
 * @property {unknown} [usual]  what holds without it
 * @property {(values: Values) => boolean} [when]  whether it is asked for
 * @property {boolean} [isNeeded]
 * @property {boolean} [isFolded]  seldom needed: it is opened by its label
 * @property {string} [endless]  what an empty duration means, where there may be none
 * @property {string} [example]
 */

/** @typedef {{title: string, fields: Field[], isFirst?: boolean, when?: (values: Values) => boolean}} Group */

const is = (/** @type {string[]} */ ...formats) => (/** @type {Values} */ values) => formats.includes(values.format);
const isElimination = is('single-elimination', 'double-elimination');
const isScored = is('swiss', 'round-robin', 'ladder');
const isLive = (/** @type {Values} */ values) => values.mode === 'live';
const isSeveral = (/** @type {Values} */ values) => values.choosing !== 'one';
const startsAt = (/** @type {Values} */ values) => values.starting === 'at';
const repeats = (/** @type {Values} */ values) => startsAt(values) && values.repeats;
const HEATS_BREAKS = ['total-time', 'deals-won', 'cards-home'];

/** @type {(format: string) => [string, string][]} */
export const breaksFor = (format) => Object.keys(TIE_BREAKS)
  .filter((key) => !['heats', 'single-elimination', 'double-elimination'].includes(format) || HEATS_BREAKS.includes(key))
  .map((key) => [key, key.replaceAll('-', ' ')]);

/** @type {Group[]} */
export const GROUPS = [
  {
    title: 'The essentials', isFirst: true, fields: [
      { name: 'name', label: 'Name', kind: 'text', at: 'name', max: 80, isNeeded: true },
      { name: 'choosing', label: 'What is played', kind: 'radio',
        options: [['one', 'one game'], ['rotate', 'several, one after the other'], ['pick', 'several, the players pick']] },
      { name: 'game', label: 'Game', kind: 'game', at: 'race.game', when: (values) => !isSeveral(values) },
      { name: 'games', label: 'Games', kind: 'games', at: 'games', when: isSeveral },
      { name: 'rounds', label: 'Rounds', kind: 'number', min: 1, max: 99, at: 'format.rounds', isNeeded: true, when: is('swiss', 'heats') },
      { name: 'bell', label: 'The bell rings after', kind: 'duration', min: 60, max: 2_592_000, at: 'bell', when: is('ladder'),
        isNeeded: true, hint: 'Nothing is paired after it; matches in progress count.' },
      { name: 'best_of', label: 'Races of a match: best of', kind: 'number', min: 1, max: 99, usual: 1, at: 'format.length.best_of',
        when: (values) => !is('heats')(values) },
      { name: 'starting', label: 'Start', kind: 'radio', options: [['hand', 'when I say so'], ['at', 'at a set time']] },
      { name: 'starts', label: 'It starts', kind: 'instant', at: 'starts', isNeeded: true, when: startsAt },
    ],
  },
  {
    title: 'About', fields: [
      { name: 'about', label: 'What players should know', kind: 'area', at: 'about', max: 2000, usual: '' },
    ],
  },
  {
    title: 'Format', fields: [
      { name: 'format', label: 'Format', kind: 'select', options: Object.entries(FORMATS).map(([key, { words }]) => [key, words]) },
      { name: 'times', label: 'Everybody meets everybody', kind: 'select', options: [['1', 'once'], ['2', 'twice']], usual: '1', at: 'format.times', when: is('round-robin') },
      { name: 'third_place', label: 'The losers of the semi-finals play for the third place', kind: 'check', usual: false, at: 'format.third_place', when: is('single-elimination') },
      { name: 'reset', label: 'The final is played again if it is its winner’s first loss', kind: 'check', usual: true, at: 'format.reset', when: is('double-elimination'),
        hint: 'So that everybody has two lives.' },
      { name: 'final_of', label: 'The final is best of', kind: 'number', min: 1, max: 99, at: 'format.lengths.final.best_of', when: isElimination, hint: 'Empty: like the others.' },
      { name: 'semi_of', label: 'Semi-finals are best of', kind: 'number', min: 1, max: 99, at: 'format.lengths.semi-final.best_of', when: is('single-elimination'), hint: 'Empty: like the others.' },
      { name: 'replays', label: 'Drawn races are played again', kind: 'number', min: 0, max: 99, usual: 3, at: 'format.length.replays', when: (values) => !is('heats')(values),
        hint: 'So many times in a match; later draws count half for each.' },
      { name: 'size', label: 'At most so many in a race', kind: 'number', min: 3, max: 64, usual: 8, at: 'format.size', when: is('heats') },
      { name: 'heat_points', label: 'Points for the places', kind: 'numbers', usual: '10 8 6 5 4 3 2 1', at: 'format.points', when: is('heats'), hint: 'For the first, the second and so on.' },
      { name: 'finishers_only', label: 'Only finishers get points', kind: 'check', usual: false, at: 'format.finishers_only', when: is('heats') },
      { name: 'win', label: 'Points for a win', kind: 'number', min: 0, max: 1000, usual: 1, at: 'format.points.win', when: isScored },
      { name: 'draw', label: 'for a draw', kind: 'number', min: 0, max: 1000, usual: 0.5, at: 'format.points.draw', when: isScored },
      { name: 'loss', label: 'for a loss', kind: 'number', min: 0, max: 1000, usual: 0, at: 'format.points.loss', when: isScored },
      { name: 'bye', label: 'for a bye', kind: 'number', min: 0, max: 1000, usual: 1, at: 'format.points.bye', when: is('swiss', 'ladder') },
      { name: 'order', label: 'Among equals', kind: 'select', options: [['', 'as is usual'], ['seeds', 'by seed numbers'], ['lots', 'by lot']], usual: '', at: 'format.order', when: is('swiss', 'heats') },
      { name: 'tie_breaks', label: 'Tie-breaks', kind: 'several', options: breaksFor(''), usual: [], at: 'format.tie_breaks', hint: 'In the order in which you tick them. None ticked: as is usual.' },
      { name: 'bracket', label: 'Drawn bracket', kind: 'area', at: 'format.bracket', usual: '', when: isElimination,
        hint: 'A name a line, from top to bottom; an empty line is a bye. Left empty: the standard seeding.' },
    ],
  },
  {
    title: 'Who may play', fields: [
      { name: 'registration', label: 'Registration', kind: 'radio', usual: 'open', at: 'registration',
        options: [['open', 'everybody'], ['invitation', 'whom I invite by name'], ['phrase', 'whoever knows a pass phrase']] },
      { name: 'phrase', label: 'Pass phrase', kind: 'text', max: 64, isNeeded: true, when: (values) => values.registration === 'phrase' },
      { name: 'invited', label: 'Invited', kind: 'names', when: (values) => values.registration === 'invitation', hint: 'Names, between commas or a line each. More can be invited later.' },
      { name: 'visibility', label: 'Listed', kind: 'radio', usual: 'public', at: 'visibility', options: [['public', 'for everybody'], ['unlisted', 'only whoever has the address finds it']] },
      { name: 'cap', label: 'Most players', kind: 'number', min: 2, max: 512, usual: 512, at: 'cap', hint: 'Who comes later is on the waiting list.' },
      { name: 'least', label: 'Fewest players', kind: 'number', min: 2, max: 512, usual: 2, at: 'least', hint: 'With fewer it does not start.' },
      { name: 'seeding', label: 'Seed numbers', kind: 'select', usual: 'registration', at: 'seeding', options: [['registration', 'as they registered'], ['lots', 'by lot'], ['rating', 'by rating in the first game']] },
      { name: 'late_until', label: 'Newcomers are let in until round', kind: 'number', min: 0, max: 99, usual: 0, at: 'late_until', when: is('swiss', 'heats'), hint: '0: nobody after the start.' },
      { name: 'late_joins', label: 'Newcomers are let in until the bell', kind: 'check', usual: false, at: 'late_joins', when: is('ladder') },
      { name: 'bots', label: 'Bots may play', kind: 'check', usual: true, at: 'race.bots' },
    ],
  },
  {
    title: 'Times', fields: [
      { name: 'checks_in', label: 'Players check in before the start', kind: 'check' },
      { name: 'check_in', label: 'The check-in is open for', kind: 'duration', min: 60, max: 604_800, at: 'check_in', isNeeded: true, when: (values) => values.checks_in, hint: 'Who has not checked in by then does not play.' },
      { name: 'no_show', label: 'To be ready for a race', kind: 'duration', min: 10, max: 604_800, usual: 300, at: 'no_show', when: isLive, hint: 'Who is not there then has lost it.' },
      { name: 'rounds_by_hand', label: 'I say when each round is paired', kind: 'check', usual: false, at: 'rounds_by_hand', when: (values) => !is('ladder')(values) },
      { name: 'between', label: 'At least between rounds', kind: 'duration', min: 0, max: 604_800, usual: 0, at: 'between', when: (values) => !is('ladder')(values) },
      { name: 'pick', label: 'To pick a game', kind: 'duration', min: 10, max: 86_400, usual: 60, at: 'pick', when: (values) => values.choosing === 'pick' },
    ],
  },
  {
    title: 'Races', fields: [
      { name: 'mode', label: 'Races', kind: 'radio', usual: 'live', at: 'race.mode', options: [['live', 'live: all at once'], ['async', 'at one’s own pace']] },
      { name: 'closes', label: 'A race is open for', kind: 'duration', min: 60, max: 2_592_000, usual: 86_400, at: 'race.closes', when: (values) => !isLive(values) },
      { name: 'limit', label: 'Time limit', kind: 'duration', min: 10, max: 604_800, usual: 3600, at: 'race.limit', isNeeded: true },
      { name: 'countdown', label: 'Countdown', kind: 'duration', min: 0, max: 60, usual: 5, at: 'race.countdown', when: isLive },
      { name: 'undo', label: 'Undo', kind: 'select', usual: 'not-past-a-reveal', at: 'race.undo', options: [['free', 'free'], ['not-past-a-reveal', 'not past a revealed card'], ['none', 'none'], ['penalty', 'costs time']] },
      { name: 'undo_penalty', label: 'Each undo costs', kind: 'duration', min: 1, max: 600, usual: 5, at: 'race.undo_penalty', when: (values) => values.undo === 'penalty' },
      { name: 'spectators', label: 'Spectators see', kind: 'select', usual: 'boards', at: 'race.spectators', options: [['boards', 'all boards'], ['progress', 'how far everybody is'], ['none', 'nothing']] },
      { name: 'delay', label: 'They are behind by', kind: 'duration', min: 0, max: 3600, usual: 0, at: 'race.delay', when: (values) => values.spectators !== 'none' },
      { name: 'blind', label: 'Blind: rivals are hidden until one is done', kind: 'check', usual: false, at: 'race.blind' },
      { name: 'hints', label: 'Hints are allowed', kind: 'check', usual: false, at: 'race.hints' },
      { name: 'rated', label: 'Rated', kind: 'check', usual: false, at: 'race.rated' },
      { name: 'grace', label: 'To come back when a connection breaks', kind: 'duration', min: 5, max: 86_400, usual: 300, at: 'race.grace', when: isLive, endless: 'until the time limit' },
    ],
  },
  {
    title: 'Once more and again', when: startsAt, fields: [
      { name: 'repeats', label: 'It repeats', kind: 'check', hint: 'The next is announced when this one starts.' },
      { name: 'every', label: 'Every', kind: 'select', options: [['day', 'day'], ['week', 'week'], ['month', 'month']], at: 'repeat.every', when: repeats },
      { name: 'weekdays', label: 'On', kind: 'several', at: 'repeat.weekdays', usual: [], when: (values) => repeats(values) && (values.every === 'week' || (values.every === 'month' && values.monthly === 'nth')),
        options: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [day, capital(day)]) },
      { name: 'monthly', label: 'In the month on', kind: 'select', options: [['day', 'a day by number'], ['last', 'its last day'], ['nth', 'a weekday']], when: (values) => repeats(values) && values.every === 'month' },
      { name: 'day', label: 'Day', kind: 'number', min: 1, max: 31, at: 'repeat.day', isNeeded: true, when: (values) => repeats(values) && values.every === 'month' && values.monthly === 'day' },
      { name: 'nth', label: 'The', kind: 'select', at: 'repeat.nth', options: ['first', 'second', 'third', 'fourth', 'last'].map((nth) => [nth, nth]), when: (values) => repeats(values) && values.every === 'month' && values.monthly === 'nth' },
      { name: 'clock', label: 'At', kind: 'time', at: 'repeat.at', isNeeded: true, when: repeats },
      { name: 'zone', label: 'By the clocks of', kind: 'text', at: 'repeat.zone', isNeeded: true, when: repeats, hint: 'An IANA time zone, such as Europe/Berlin.' },
      { name: 'interval', label: 'Only every so many', kind: 'number', min: 1, max: 366, usual: 1, at: 'repeat.interval', when: repeats, hint: '2: every other day, week or month; counted from the first day below.' },
      { name: 'since', label: 'From', kind: 'date', at: 'repeat.since', usual: '', when: repeats },
      { name: 'until', label: 'Until', kind: 'date', at: 'repeat.until', usual: '', when: repeats },
      { name: 'count', label: 'At most so many times', kind: 'number', min: 1, max: 1000, at: 'repeat.count', when: repeats },
      { name: 'announced_ahead', label: 'Announced at the earliest before the start', kind: 'duration', min: 0, max: 2_592_000, usual: 86_400, at: 'announced_ahead', when: repeats },
    ],
  },
  {
    title: 'Results elsewhere', fields: [
      { name: 'hook', label: 'Post results to this URL', kind: 'url', max: 500, usual: '', hint: 'Signed; the secret is shown once, when it is announced.', example: 'https://example.org/results' },
    ],
  },
];

/** @type {Field[]} */
export const FIELDS = GROUPS.flatMap((group) => group.fields.map((field) => {
  const { when } = group;
  return when ? { ...field, when: (/** @type {Values} */ values) => when(values) && (field.when?.(values) ?? true) } : field;
}));
