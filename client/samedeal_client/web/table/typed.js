/**
 * Moves by the letters of piles, as they are typed: `3f` takes T3 home, `34` brings T3 onto T4, `w4`
 * the waste, `d` asks the stock. Pure; understood by the legal moves alone, and never guessed.
 */

/** @typedef {import('./description.js').Description} Description */
/** @typedef {import('./moves.js').Moves} Moves */
/** @typedef {import('./layout.js').Piles} Piles */

/**
 * @typedef {object} Reading
 * @property {string | null} move  what the keys mean by now
 * @property {boolean} isOpen  whether more keys could mean another move
 * @property {string | null} source  the pile that the keys name so far
 * @property {string[]} either  the moves between which the keys do not decide
 */

/**
 * @param {string} keys  in lower case; `.` may stand between two piles
 * @param {Moves} moves
 * @param {Piles} piles
 * @returns {Reading}
 */
export function read(keys, moves, piles) {
  const plain = plainOf(moves.game);
  const known = moves.transfers.map((move) => ({ move, ways: spellings(move, plain) }));
  const meant = known.filter(({ ways }) => ways.includes(keys)).map(({ move }) => move);
  const isOpen = known.some(({ move, ways }) => !meant.includes(move) && ways.some((way) => way.startsWith(keys)));
  const source = moves.game.piles.find(({ name }) => short(name, plain).includes(keys))?.name ?? null;
  if (keys === 'd' && moves.action !== null) return { move: moves.action, isOpen: false, source: null, either: [] };
  const one = meant[0];
  const isOne = one !== undefined && meant.every((move) => alike(one, move, piles));
  return {
    move: isOne ? one.text : null,
    isOpen,
    source,
    either: isOne ? [] : meant.map(({ text }) => text),
  };
}

/**
 * Which piles keys name, legal or not: for when that is not known yet.
 *
 * @param {string} keys
 * @param {Description} game
 * @returns {{wish: [string, string] | null, isOpen: boolean, source: string | null}} source and target
 */
export function aimed(keys, game) {
  const plain = plainOf(game);
  const names = game.piles.map(({ name }) => name);
  let isOpen = false;
  /** @type {[string, string] | null} */
  let wish = null;
  for (const source of names) {
    for (const target of names) {
      const ways = spellings({ source, target }, plain);
      if (ways.includes(keys)) wish ??= [source, target];
      else isOpen ||= ways.some((way) => way.startsWith(keys));
    }
  }
  return { wish, isOpen, source: names.find((name) => short(name, plain).includes(keys)) ?? null };
}

/** @param {Description} game */
function plainOf(game) {
  const first = game.piles.find((pile) => pile.kind === 'tableau' || pile.kind === 'reserve');
  return first?.name[0]?.toLowerCase() ?? '';
}

/**
 * @param {{source: string, target: string}} move
 * @param {string} plain  the letter that may be left out
 */
function spellings({ source, target }, plain) {
  const ends = [...short(target, plain), ...(/^[FC]/.test(target) ? [target[0]?.toLowerCase()] : [])];
  return short(source, plain).flatMap((start) => ends.flatMap((end) => [`${start}${end}`, `${start}.${end}`]));
}

/**
 * @param {string} name
 * @param {string} plain
 */
function short(name, plain) {
  const low = name.toLowerCase();
  return low[0] === plain ? [low, low.slice(1)] : [low];
}

/**
 * Whether two moves do the same: one source, and targets of one kind with the same card on top.
 *
 * @param {import('./moves.js').Transfer} one
 * @param {import('./moves.js').Transfer} other
 * @param {Piles} piles
 */
function alike(one, other, piles) {
  return (
    one.source === other.source &&
    one.count === other.count &&
    one.target[0] === other.target[0] &&
    piles.get(one.target)?.at(-1) === piles.get(other.target)?.at(-1)
  );
}
