/**
 * The terms that a form wishes for: what may be chosen, the presets, and the form's fields as terms. Pure.
 *
 * A field that has the server's default is left out, and so is what its mode has no use for.
 */

/** @typedef {Record<string, string>} Wishes  a form's fields by name; a tick is `on` or absent */
/** @typedef {import('../net/link.js').Message} Message */

/** What the form has before anybody touches it. @type {Readonly<Wishes>} */
export const USUAL = {
  mode: 'live', start: 'all-ready', start_at: '', countdown: '5', closes: '86400', limit: '3600',
  entrants_min: '2', entrants_max: '8', visibility: 'public', phrase: '', bots: 'on',
  undo: 'not-past-a-reveal', undo_penalty: '5', spectators: 'boards', delay: '0', grace: '300', seed: '',
};

/** The names of the ticks, each of which is off by default but `bots`. */
export const TICKS = ['punctual', 'bots', 'blind', 'hints', 'rated'];

/** @typedef {{key: string, words: string, about: string, wishes: Wishes}} Preset */

/** @type {readonly Preset[]} */
export const PRESETS = [
  { key: 'quick', words: 'Quick race', about: 'All start together as soon as all are ready. Open to everybody.', wishes: {} },
  {
    key: 'fair', words: 'Fair and square', about: 'Rated, people only, no hints, a deal that nobody chose.',
    wishes: { rated: 'on', bots: '' },
  },
  {
    key: 'calm', words: 'Take your time', about: 'Each plays when they like, within 24 hours, on their own clock.',
    wishes: { mode: 'async', spectators: 'progress', blind: 'on' },
  },
  {
    key: 'blind', words: 'Blind', about: 'Nobody sees how the others do until they are done.',
    wishes: { blind: 'on' },
  },
  {
    key: 'friends', words: 'Just friends', about: 'Only who knows the pass phrase comes in. You start it.',
    wishes: { visibility: 'phrase', start: 'host', bots: '' },
  },
];

/**
 * @param {Preset} preset
 * @returns {Wishes} the whole form
 */
export function wishesOf(preset) {
  return { ...USUAL, ...preset.wishes };
}

/**
 * @param {Wishes} wishes
 * @param {string} game  its key
 * @returns {{terms: Message, seed?: string, phrase?: string}} what `create` takes
 */
export function asked(wishes, game) {
  const isAsync = wishes.mode === 'async';
  const whole = (/** @type {string} */ name) => Number(wishes[name]);
  const orNone = (/** @type {string} */ name) => (wishes[name] === 'none' ? null : whole(name));
  /** @type {Message} */
  const all = {
    mode: wishes.mode,
    limit: orNone('limit'),
    entrants_min: whole('entrants_min'),
    entrants_max: whole('entrants_max'),
    visibility: wishes.visibility,
    bots: wishes.bots === 'on',
    undo: wishes.undo,
    blind: wishes.blind === 'on',
    hints: wishes.hints === 'on',
    rated: wishes.rated === 'on',
    spectators: wishes.spectators,
    grace: orNone('grace'),
  };
  if (isAsync) Object.assign(all, { closes: whole('closes'), punctual: wishes.punctual === 'on' });
  else Object.assign(all, { start: wishes.start, countdown: whole('countdown') });
  if (!isAsync && wishes.start === 'at' && wishes.start_at) all.start_at = new Date(wishes.start_at).getTime();
  if (wishes.undo === 'penalty') all.undo_penalty = whole('undo_penalty');
  if (wishes.spectators !== 'none') all.delay = whole('delay');
  /** @type {Message} */
  const terms = { game };
  for (const [name, value] of Object.entries(all)) if (value !== DEFAULTS[name]) terms[name] = value;
  return {
    terms,
    ...(wishes.seed?.trim() ? { seed: wishes.seed.trim() } : {}),
    ...(wishes.visibility === 'phrase' && wishes.phrase ? { phrase: wishes.phrase } : {}),
  };
}

/** The server's defaults, of docs/protocol.md. @type {Message} */
export const DEFAULTS = {
  mode: 'live', start: 'all-ready', countdown: 5, limit: 3600, closes: 86_400, punctual: false,
  entrants_min: 2, entrants_max: 8, undo: 'not-past-a-reveal', undo_penalty: 5, visibility: 'public',
  spectators: 'boards', delay: 0, blind: false, hints: false, rated: false, bots: true, grace: 300,
};
