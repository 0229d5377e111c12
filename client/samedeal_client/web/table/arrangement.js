/**
 * The ways in which a table can be laid out, as rows and columns: the drawing's, and others like it. Pure.
 */

/** @typedef {import('./description.js').Description} Description */
/** @typedef {import('./description.js').Pile} Pile */
/** @typedef {{pile: Pile, row: number, column: number, spread: Pile['spread']}} Stand */

/**
 * @typedef {object} Arrangement
 * @property {Stand[]} stands
 * @property {number} columns
 * @property {number} rows
 * @property {{row: number, column: number, span: number} | null} button  free places side by side, where a redeal needs one
 */

/**
 * As drawn; with rows of columns joined to one long row; with fans as columns.
 *
 * @param {Description} game
 * @param {{isPlayable?: boolean}} [how]
 * @returns {Arrangement[]}
 */
export function arrangements(game, { isPlayable = true } = {}) {
  const stands = game.piles.map((pile) => ({ pile, row: pile.row, column: pile.column, spread: pile.spread }));
  const ways = [stands];
  const joined = join(game, stands);
  if (joined) ways.push(joined);
  if (stands.some((stand) => stand.spread === 'right')) {
    ways.push(stands.map((stand) => ({ ...stand, spread: stand.spread === 'right' ? 'down' : stand.spread })));
  }
  const needsButton = isPlayable && game.actions.length > 0 && !game.piles.some((pile) => pile.kind === 'stock');
  return ways.map((way) => arranged(game, way, needsButton));
}

/**
 * @param {Description} game
 * @param {Stand[]} stands
 * @param {boolean} needsButton
 * @returns {Arrangement}
 */
function arranged(game, stands, needsButton) {
  let button = null;
  if (needsButton) {
    game.grid.forEach((line, row) =>
      line.forEach((name, column) => {
        if (name === null) button ??= { row, column, span: freeFrom(line, column) };
      }),
    );
  }
  return {
    stands,
    columns: Math.max(...stands.map((stand) => stand.column)) + 1,
    rows: Math.max(...stands.map((stand) => stand.row)) + 1,
    button,
  };
}

/**
 * @param {(string | null)[]} line
 * @param {number} column
 * @returns {number} how many places side by side have no pile
 */
function freeFrom(line, column) {
  const next = line.findIndex((name, at) => at > column && name !== null);
  return (next < 0 ? line.length : next) - column;
}

/**
 * Two rows of columns as one; what stands above them is set apart at both sides, or in the middle.
 *
 * @param {Description} game
 * @param {Stand[]} stands
 * @returns {Stand[] | null} null where there are no two such rows
 */
function join(game, stands) {
  const rows = game.grid.map((_, row) => stands.filter((stand) => stand.row === row));
  const isColumns = (/** @type {number} */ row) => (rows[row] ?? []).every((stand) => stand.spread === 'down');
  const upper = rows.findIndex((_, row) => row + 1 < rows.length && isColumns(row) && isColumns(row + 1));
  if (upper < 0 || rows.length > upper + 2) return null;
  const first = rows[upper] ?? [];
  const second = rows[upper + 1] ?? [];
  const wide = first.length + second.length;
  return stands.map((stand) => {
    if (stand.row === upper + 1) return { ...stand, row: upper, column: stand.column + first.length };
    if (stand.row === upper) return stand;
    const line = rows[stand.row] ?? [];
    const hasStock = line.some((each) => each.pile.kind === 'stock');
    const isLeft = stand.pile.kind === 'stock' || stand.pile.kind === 'waste';
    const shift = hasStock ? (isLeft ? 0 : wide - Math.max(...line.map((each) => each.column)) - 1) : (wide - line.length) / 2;
    return { ...stand, column: stand.column + shift };
  });
}

/**
 * Columns of the drawing in which nothing spreads down, beside others: they are squared up closely.
 *
 * @param {Stand[]} stands
 */
export function railsOf(stands) {
  const rails = new Set(stands.map(({ column }) => column));
  for (const { column, spread } of stands) if (spread === 'down') rails.delete(column);
  return rails.size === new Set(stands.map(({ column }) => column)).size ? new Set() : rails;
}
