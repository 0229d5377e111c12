/**
 * The newest sheet of a tournament: the one that came first, and what has changed since. Pure.
 *
 * What is told replaces what was; who missed something needs the whole sheet again.
 */

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {Message} Sheet  a `tournament-sheet` of docs/tournament-protocol.md */

/** The phases after which nothing comes. */
const ENDED = ['over', 'called-off'];
const WANTED = ['called', 'running'];

/**
 * Takes in a `tournament-changed`.
 *
 * @param {Sheet} sheet
 * @param {Message} changed
 * @param {string | null} name  the viewer's
 * @returns {{sheet: Sheet, isStale: boolean}} stale: the whole sheet is needed, since something was
 *   missed or became the viewer's to know
 */
export function evolve(sheet, changed, name) {
  if (changed.seq <= sheet.seq) return { sheet, isStale: false };
  if (changed.after > sheet.seq) return { sheet, isStale: true };
  const news = changed.players ?? [];
  const registered = new Set(news.map((/** @type {Message} */ each) => each.name));
  return {
    isStale: tellsMore(sheet, changed, name),
    sheet: {
      ...sheet,
      seq: changed.seq,
      at: changed.at,
      head: changed.head,
      staff: changed.staff ?? sheet.staff,
      players: put(sheet.players ?? [], news),
      matches: putMatches(sheet.matches ?? [], changed.matches ?? [], changed.gone ?? []),
      invited: (sheet.invited ?? []).filter((/** @type {string} */ each) => !registered.has(each)),
      next: changed.next ?? sheet.next,
    },
  };
}

/**
 * Whether a whole sheet would tell the viewer what a change does not: their number, their role, or
 * the seed.
 *
 * @param {Sheet} sheet
 * @param {Message} changed
 * @param {string | null} name
 */
function tellsMore(sheet, changed, name) {
  const isOneOf = (/** @type {Message[]} */ some) => some.some((each) => each.name === name);
  const isPlayerNow = (sheet.you ?? null) === null && isOneOf(changed.players ?? []);
  const hasRole = isOneOf(changed.staff ?? []);
  const hasOtherRole = Boolean(changed.staff) && hasRole !== Boolean(sheet.role);
  const isOverNow = ENDED.includes(changed.head.phase) && !sheet.seed;
  return isPlayerNow || hasRole || hasOtherRole || isOverNow;
}

/**
 * @param {Message[]} known
 * @param {Message[]} news
 */
function put(known, news) {
  const byNumber = new Map([...known, ...news].map((each) => [each.player, each]));
  return [...byNumber.values()].sort((one, other) => one.player - other.player);
}

/**
 * Matches in the order in which they were paired; one that was taken back and paired anew is the last.
 *
 * @param {Message[]} known
 * @param {Message[]} news
 * @param {string[]} gone
 */
function putMatches(known, news, gone) {
  const byId = new Map(known.map((each) => [each.match, each]));
  for (const id of gone) byId.delete(id);
  for (const each of news) byId.set(each.match, each);
  return [...byId.values()];
}

// --- what it says --------------------------------------------------------------------------------

/** @param {Sheet} sheet */
export function isOver(sheet) {
  return ENDED.includes(sheet.head.phase);
}

/**
 * @param {Sheet} sheet
 * @returns {Map<number, Message>} the players by number
 */
export function playersOf(sheet) {
  return new Map((sheet.players ?? []).map((/** @type {Message} */ each) => [each.player, each]));
}

/**
 * @param {Sheet} sheet
 * @returns {Message | null} the viewer as a player
 */
export function youOf(sheet) {
  return (sheet.players ?? []).find((/** @type {Message} */ each) => each.player === sheet.you) ?? null;
}

/**
 * @param {Sheet} sheet
 * @param {string} id
 * @returns {Message | null}
 */
export function matchOf(sheet, id) {
  return (sheet.matches ?? []).find((/** @type {Message} */ each) => each.match === id) ?? null;
}

/**
 * @param {Sheet} sheet
 * @returns {{match: Message, race: Message}[]} the races that want the viewer, the first called in front
 */
export function wanted(sheet) {
  const found = [];
  for (const match of sheet.matches ?? []) {
    if (match.ending || !match.players.includes(sheet.you)) continue;
    for (const race of match.races ?? []) if (WANTED.includes(race.state)) found.push({ match, race });
  }
  return found;
}

/**
 * @param {Sheet} sheet
 * @returns {Message[]} the matches for whose next race the viewer is to pick the game
 */
export function picks(sheet) {
  const you = sheet.you ?? null;
  return (sheet.matches ?? []).filter((/** @type {Message} */ match) => you !== null && match.pick?.player === you);
}

/**
 * @param {Message} match
 * @returns {Message | null} the race that is called or runs
 */
export function openRace(match) {
  return (match.races ?? []).findLast((/** @type {Message} */ race) => WANTED.includes(race.state)) ?? null;
}

/**
 * @param {Sheet} sheet
 * @returns {string[]} the keys of the tournament's games
 */
export function gamesOf(sheet) {
  return [sheet.terms.race.game, ...(sheet.terms.games ?? [])];
}

// --- acts that name what they were made for --------------------------------------------------------

/**
 * @param {Sheet} sheet
 * @returns {Message} the act that has the next round paired, and no second one if it is sent again
 */
export function roundToStart(sheet) {
  return { act: 'start-round', round: (sheet.head.round ?? 0) + 1 };
}

/**
 * @param {Sheet} sheet
 * @param {number} seconds
 * @param {string | null} match
 * @returns {Message} the act that gives so much more time, once, however often it is sent
 */
export function extension(sheet, seconds, match) {
  const shown = match === null ? startOrNext(sheet) : awaited(sheet, match);
  return { act: 'extend', seconds, ...(match === null ? {} : { match }), ...(shown === null ? {} : { shown }) };
}

/** @param {Sheet} sheet */
function startOrNext(sheet) {
  const { next, next_at: at = null } = sheet.head;
  // The start, which is put off with the check-in.
  if (next === 'check-in' && at !== null && sheet.terms.check_in) return at + sheet.terms.check_in * 1000;
  return at;
}

/**
 * @param {Sheet} sheet
 * @param {string} id
 */
function awaited(sheet, id) {
  const match = matchOf(sheet, id);
  const called = (match?.races ?? []).find((/** @type {Message} */ race) => race.state === 'called');
  return called?.ready_by ?? match?.pick?.until ?? null;
}
