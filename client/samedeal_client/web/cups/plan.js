/**
 * A host's plan: what stands in the form, as the terms of a tournament. Pure.
 *
 * The server has the last word on terms; here is only caught what is not even a number or a duration.
 */

import { FIELDS } from './fields.js';

/** @typedef {import('./fields.js').Values} Values */
/** @typedef {import('./fields.js').Field} Field */
/** @typedef {{key: string, words: string, explained: string, values: Values}} Preset */

/** @type {Preset[]} */
export const PRESETS = [
  {
    key: 'swiss', words: 'Evening Swiss', explained: 'Five rounds; everybody plays all of them. About two hours.',
    values: { format: 'swiss', rounds: '5', no_show: '3m', limit: '20m', late_until: '2' },
  },
  {
    key: 'cup', words: 'Cup', explained: 'Single elimination: who loses is out; a best-of-3 final and a match for the third place.',
    values: { format: 'single-elimination', third_place: true, final_of: '3', limit: '30m' },
  },
  {
    key: 'heats', words: 'League of heats', explained: 'Four races of up to eight, points for the places.',
    values: { format: 'heats', rounds: '4', no_show: '3m', limit: '15m', late_until: '2' },
  },
  {
    key: 'arena', words: 'Arena for an hour', explained: 'Come and go: whoever is free is paired, until the bell.',
    values: { format: 'ladder', bell: '1h', late_joins: true, replays: '0', no_show: '1m', limit: '10m', countdown: '3s' },
  },
  {
    key: 'lives', words: 'Two lives', explained: 'Double elimination: who loses twice is out.',
    values: { format: 'double-elimination', limit: '20m' },
  },
  {
    key: 'club', words: 'The club’s league', explained: 'Everybody meets everybody, at their own pace within a week.',
    values: { format: 'round-robin', times: '2', mode: 'async', closes: '7d', rounds_by_hand: true },
  },
];

const UNITS = /** @type {Record<string, number>} */ ({ '': 1, s: 1, m: 60, min: 60, h: 3600, d: 86_400 });

/**
 * @param {string} text  `90`, `90s`, `5m`, `2h`, `1h 30m`, `1d`
 * @returns {number | null} seconds
 */
export function secondsOf(text) {
  const parts = [...text.trim().matchAll(/(\d{1,9})\s*(s|min|m|h|d|)(?:\s+|$)/gy)];
  if (!parts.length || parts.map((part) => part[0]).join('') !== text.trim()) return null;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 1), 0);
}

/**
 * @param {number} seconds
 * @returns {string} the shortest text that `secondsOf` reads so: `90s`, `5m`
 */
export function durationOf(seconds) {
  for (const [unit, length] of Object.entries({ d: 86_400, h: 3600, m: 60 })) {
    if (seconds >= length && seconds % length === 0) return `${seconds / length}${unit}`;
  }
  return `${seconds}s`;
}

/**
 * @param {{name: string, zone: string, game: string}} known
 * @param {Preset} preset
 * @returns {Values} what the form says to begin with
 */
export function begun({ name, zone, game }, preset) {
  /** @type {Values} */
  const values = {};
  for (const field of FIELDS) values[field.name] = beginning(field);
  return {
    ...values, name: `${name ? `${name}’s ` : ''}${name ? preset.words.toLowerCase() : preset.words}`, game, zone, choosing: 'one',
    starting: 'hand', monthly: 'day', every: 'week', clock: '19:30', check_in: '15m', ...preset.values,
  };
}

/** @param {Field} field */
function beginning(field) {
  if (field.kind === 'check') return field.usual ?? false;
  if (field.kind === 'several' || field.kind === 'games') return [];
  if (field.kind === 'duration' && typeof field.usual === 'number') return durationOf(field.usual);
  if (field.usual !== undefined) return String(field.usual);
  return field.options?.[0]?.[0] ?? '';
}

/**
 * @param {Values} values
 * @returns {Field[]} those that are asked for
 */
export function asked(values) {
  return FIELDS.filter((field) => field.when?.(values) ?? true);
}

/**
 * @param {Values} values
 * @returns {{terms: Record<string, any>, faults: Map<string, string>}} faults by field, a sentence each
 */
export function termsOf(values) {
  /** @type {Map<string, string>} */
  const faults = new Map();
  /** @type {Record<string, any>} */
  const terms = { name: '', format: { format: values.format }, race: {} };
  for (const field of asked(values)) {
    const { value, fault } = wire(field, values[field.name]);
    if (fault) faults.set(field.name, fault);
    else if (field.at && value !== undefined && !isUsual(field, value)) place(terms, field.at, value);
  }
  if (values.choosing !== 'one') {
    const [first, ...others] = values.games;
    if (first === undefined || others.length === 0) faults.set('games', 'Tick two games at least.');
    terms.race.game = first;
    terms.games = others;
    if (values.choosing === 'pick') terms.choice = 'pick';
  }
  if (terms.repeat && values.every === 'month' && values.monthly === 'last') terms.repeat.last_day = true;
  // Longer matches replay their draws like the others.
  const { length, lengths = {} } = terms.format;
  if (length?.replays !== undefined) for (const longer of Object.values(lengths)) longer.replays = length.replays;
  return { terms, faults };
}

/**
 * One value as the wire has it; undefined for one that is left out.
 *
 * @param {Field} field
 * @param {any} said
 * @returns {{value?: any, fault?: string}}
 */
export function wire(field, said) {
  const text = typeof said === 'string' ? said.trim() : '';
  const isEmpty = said === undefined || said === null || (typeof said === 'string' ? text === '' : Array.isArray(said) && said.length === 0);
  if (isEmpty && field.endless) return { value: null };
  if (isEmpty && field.isNeeded) return { fault: 'This is needed.' };
  if (isEmpty) return {};
  switch (field.kind) {
    case 'number':
      return bounded(field, Number(text || said), String, Number.isFinite(Number(text || said)) ? null : `“${text}” is no number.`);
    case 'duration': {
      const seconds = secondsOf(text);
      return bounded(field, seconds ?? 0, durationOf, seconds === null ? `“${text}” is no duration: write 90s, 5m, 2h or 1d.` : null);
    }
    case 'instant': {
      const at = new Date(text).getTime();
      return Number.isNaN(at) ? { fault: 'Give a day and a time.' } : { value: at };
    }
    case 'numbers': {
      const numbers = text.split(/[\s,]+/).map(Number);
      return numbers.every(Number.isInteger) ? { value: numbers } : { fault: 'Write whole numbers, such as 10 8 6 5.' };
    }
    case 'names':
      return { value: namesOf(text) };
    case 'area':
      return { value: field.name === 'bracket' ? said.replace(/\n+$/, '').split('\n').map((/** @type {string} */ line) => line.trim() || null) : text };
    case 'select':
      return { value: field.name === 'times' ? Number(said) : said };
    case 'text':
    case 'url':
      return text.length > (field.max ?? Infinity) ? { fault: `At most ${field.max} characters.` } : { value: text };
    default:
      return { value: said };
  }
}

/**
 * @param {string} text
 * @returns {string[]} names between commas or line ends
 */
export function namesOf(text) {
  return text.split(/[,\n]/).map((name) => name.trim()).filter(Boolean);
}

/**
 * @param {Field} field
 * @param {number} value
 * @param {(bound: number) => string} shown
 * @param {string | null} fault
 */
function bounded(field, value, shown, fault) {
  if (fault) return { fault };
  if (field.min !== undefined && value < field.min) return { fault: `At least ${shown(field.min)}.` };
  if (field.max !== undefined && value > field.max) return { fault: `At most ${shown(field.max)}.` };
  return { value };
}

/**
 * @param {Field} field
 * @param {unknown} value
 */
function isUsual(field, value) {
  const usual = field.kind === 'numbers' ? String(field.usual).split(' ').map(Number) : field.name === 'times' ? Number(field.usual) : field.usual;
  return JSON.stringify(value) === JSON.stringify(usual);
}

/**
 * @param {Record<string, any>} terms
 * @param {string} path
 * @param {unknown} value
 */
function place(terms, path, value) {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let at = terms;
  for (const step of steps) at = at[step] ??= {};
  at[last] = value;
}

/** Words in the server's sentences that are no field's own name. @type {[RegExp, string][]} */
const TELLING = [
  [/time zone|zoneinfo/, 'zone'], [/bracket|two byes/, 'bracket'], [/best of an odd/, 'best_of'], [/tie-break/, 'tie_breaks'], [/pass phrase/, 'phrase'],
  [/win must be worth/, 'win'], [/points must not/, 'heat_points'], [/no time:/, 'clock'], [/game is named twice|more than one game/, 'games'],
];

/**
 * @param {string} said  the server's sentence
 * @param {Values} values
 * @returns {string | null} the field that it is about, if it is asked for
 */
export function fieldOf(said, values) {
  const fields = asked(values);
  const path = /`\$\.terms\.([\w.-]+)/.exec(said)?.[1];
  const quoted = [...said.matchAll(/`([\w.-]+)`/g)].map((found) => found[1] ?? '');
  const named = [...(path ? [path] : []), ...quoted].map((name) => fields.find((field) =>
    field.at === name || field.name === name || (said.includes('`repeat`') && field.at === `repeat.${name}`)
    || (said.includes('`race`') && field.at === `race.${name}`)));
  const telling = TELLING.filter(([words]) => words.test(said)).map(([, name]) => fields.find((field) => field.name === name));
  return [...named, ...telling].find((field) => field !== undefined)?.name ?? null;
}
