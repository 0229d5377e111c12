/** The table's pure modules: what taps and keys mean, and how piles and cards are called. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tap } from '../../../client/samedeal_client/web/table/choice.js';
import { pileLabel, pileTitle } from '../../../client/samedeal_client/web/table/description.js';
import { cardAt, pileUnder } from '../../../client/samedeal_client/web/table/geometry.js';
import { Hand } from '../../../client/samedeal_client/web/table/hand.js';
import { Keyboard } from '../../../client/samedeal_client/web/table/keyboard.js';
import { layout } from '../../../client/samedeal_client/web/table/layout.js';
import { Moves } from '../../../client/samedeal_client/web/table/moves.js';
import { apply, parse, print } from '../../../client/samedeal_client/web/table/position.js';
import { pileLine } from '../../../client/samedeal_client/web/table/textboard.js';
import { aimed, read } from '../../../client/samedeal_client/web/table/typed.js';

const KINDS = { F: 'foundation', T: 'tableau', C: 'cell', R: 'reserve', S: 'stock', W: 'waste' };

/** A game of so many piles, drawn as foundations and the like above columns. */
function game({ grid, actions = /** @type {string[]} */ ([]), counters = /** @type {string[]} */ ([]), home = 'F' }) {
  const rows = grid.map((/** @type {string} */ line) => line.split(/ +/).map((name) => (name === '.' ? null : name)));
  const piles = rows.flatMap((/** @type {(string | null)[]} */ line, /** @type {number} */ row) =>
    line.flatMap((name, column) =>
      name === null
        ? []
        : [{ name, kind: KINDS[name[0]], row, column, spread: name[0] === 'T' ? 'down' : 'none', dealt: 1, hidden: 'nothing', home: name[0] === home }],
    ),
  );
  return /** @type {any} */ ({ key: 'g', name: 'G', grid: rows, piles, actions, counters });
}

const SMALL = game({ grid: ['S W F1 F2', 'T1 T2 T3 T4'], actions: ['draw'] });
const TEN = game({ grid: ['. . . . . . . . F1 F2', 'T1 T2 T3 T4 T5 T6 T7 T8 T9 T10'] });
const CLUBS = game({ grid: ['T1 T2 S W'], actions: ['redeal'], home: 'W' });
/** @param {string} lines */
const piles = (lines) => parse(`game: g\n${lines}`).piles;

// Positions

test('a stock whose cards are only counted is read', () => {
  assert.deepEqual(parse('game: g\nS: 3 cards hidden').piles.get('S'), ['--', '--', '--']);
  assert.equal(parse('game: g\nS: 3 cards hidden').hiddenStock, 3);
});

test('a step takes the next card of the stock, which is written first', () => {
  const after = apply(parse('game: g\nS: 2D KH\nW: 5C'), { steps: ['S-W'] });
  assert.equal(print(after), 'game: g\nS: KH\nW: 5C 2D');
});

test('cards are covered before others are turned up', () => {
  const told = { steps: ['T1-T2'], covered: ['T2'], turned: [{ pile: 'T1', card: 'AS' }] };
  const after = apply(parse('game: g\nT1: -- 9H\nT2: 8H'), told);
  assert.equal(print(after), 'game: g\nT1: AS\nT2: -- 9H');
});

test('a step that the position cannot take is refused, and the position stays as it was', () => {
  const before = parse('game: g\nT1: 9H\nT2:');
  assert.throws(() => apply(before, { steps: ['T1-T2:2'] }), RangeError);
  assert.equal(print(before), 'game: g\nT1: 9H\nT2:');
});

test('the first card that comes home fixes the base rank of a game that has one', () => {
  const based = game({ grid: ['F1 F2', 'T1 T2'], counters: ['base'] });
  assert.equal(apply(parse('game: g\nF1:\nT1: 9H'), { steps: ['T1-F1'] }, based).counters.get('base'), 9);
});

test('what is no position is refused', () => {
  for (const text of ['', 'T1: 9H', 'game: g\nT1: 9X', 'game: g\nhello']) assert.throws(() => parse(text), SyntaxError);
});

// Taps

const LEGAL = ['T1-F1', 'T1-T3', 'T2-T3', 'T2-T4', 'T4-T3:2', 'draw'];
const LYING = piles('T1: AS\nT2: 8H\nT3: 9H\nT4: KS 8S 7S\nS: --');

test('a first tap chooses, a tap on a target plays', () => {
  const moves = new Moves(SMALL, LEGAL);
  const first = tap(moves, LYING, null, 'T2', 0);
  assert.deepEqual(first, { chosen: { pile: 'T2', count: 1 }, play: null });
  assert.equal(tap(moves, LYING, first.chosen, 'T4').play, 'T2-T4');
});

test('a second tap on the chosen card plays it home, else where a card lies', () => {
  const moves = new Moves(SMALL, LEGAL);
  assert.equal(tap(moves, LYING, { pile: 'T1', count: 1 }, 'T1').play, 'T1-F1');
  const onto = new Moves(SMALL, ['T1-T2', 'T1-T3']);
  assert.equal(tap(onto, piles('T1: 8H\nT2:\nT3: 9H'), { pile: 'T1', count: 1 }, 'T1').play, 'T1-T3');
});

test('a card brought to the wrong foundation or cell goes to the right one', () => {
  assert.equal(new Moves(SMALL, ['T1-F1']).brought('T1', 'F2', 1), 'T1-F1');
  assert.equal(new Moves(SMALL, ['T1-F1']).brought('T1', 'T2', 1), null);
  const cells = game({ grid: ['T1 T2 F1', 'C1 C2 .'] });
  assert.equal(new Moves(cells, ['T1-C2']).brought('T1', 'C1', 1), 'T1-C2');
  assert.equal(new Moves(cells, ['T1-C2']).brought('T1', 'F1', 1), null);
});

test('a tap on another card than those that may move takes as many as may', () => {
  assert.deepEqual(tap(new Moves(SMALL, LEGAL), LYING, null, 'T4', 0).chosen, { pile: 'T4', count: 2 });
  assert.deepEqual(tap(new Moves(SMALL, LEGAL), LYING, null, 'T4', 2).chosen, { pile: 'T4', count: 2 });
});

test('a tap on the stock asks for what it does now', () => {
  assert.equal(tap(new Moves(SMALL, LEGAL), LYING, { pile: 'T2', count: 1 }, 'S').play, 'draw');
  assert.equal(tap(new Moves(SMALL, []), LYING, null, 'S').play, null);
});

test('where cards are only cast off one tap does it', () => {
  assert.equal(tap(new Moves(CLUBS, ['T1-W', 'redeal']), piles('T1: 9C\nT2: 9H'), null, 'T1').play, 'T1-W');
});

test('a tap that can mean nothing lets go', () => {
  assert.deepEqual(tap(new Moves(SMALL, LEGAL), LYING, { pile: 'T2', count: 1 }, 'T3').play, 'T2-T3');
  assert.deepEqual(tap(new Moves(SMALL, LEGAL), LYING, { pile: 'T1', count: 1 }, 'F2').play, 'T1-F1');
  assert.deepEqual(tap(new Moves(SMALL, LEGAL), LYING, { pile: 'T1', count: 1 }, 'W'), { chosen: null, play: null });
});

// What is wanted while the server thinks

/** A table that is waiting, and what was played on it. */
function waiting() {
  /** @type {string[]} */
  const played = [];
  const table = /** @type {any} */ ({
    game: SMALL, moves: new Moves(SMALL, []), isWaiting: true, layout: null,
    piles: () => LYING, cards: (/** @type {string} */ name) => LYING.get(name) ?? [],
    mark() {}, draw() {}, moveMs: () => 0, onSay() {}, onMove: (/** @type {string} */ move) => played.push(move),
  });
  const hand = new Hand(table);
  /** @param {string[]} legal */
  const told = (legal) => {
    Object.assign(table, { isWaiting: false, moves: new Moves(SMALL, legal) });
    hand.follow();
    hand.close();
    return played;
  };
  return { hand, told };
}

test('two taps are played as soon as they are known to be legal, and only once', () => {
  const { hand, told } = waiting();
  hand.tap('T2');
  hand.tap('T4');
  assert.deepEqual(told(LEGAL), ['T2-T4']);
  assert.deepEqual(told(LEGAL), ['T2-T4']);
});

test('of several wishes the last one counts', () => {
  const { hand, told } = waiting();
  hand.want('T2', 'T4');
  hand.tap('S');
  assert.deepEqual(told(LEGAL), ['draw']);
});

test('a run that is wanted is as long as is legal', () => {
  const { hand, told } = waiting();
  hand.want('T4', 'T3');
  assert.deepEqual(told(LEGAL), ['T4-T3:2']);
});

test('a wish that turns out not to be legal is forgotten', () => {
  const { hand, told } = waiting();
  hand.want('T1', 'T4');
  assert.deepEqual(told(LEGAL), []);
  assert.equal(hand.wanted, null);
});

// Keys

/** @param {string} keys */
const small = (keys) => read(keys, new Moves(SMALL, LEGAL), LYING);

test('short and long spellings are understood', () => {
  for (const [keys, move] of [['1f', 'T1-F1'], ['24', 'T2-T4'], ['t2t4', 'T2-T4'], ['2.4', 'T2-T4'], ['43', 'T4-T3:2'], ['d', 'draw']]) {
    assert.equal(small(keys).move, move, keys);
  }
});

test('a pile alone is only named, and waits for more', () => {
  assert.deepEqual(small('2'), { move: null, isOpen: true, source: 'T2', either: [] });
});

test('keys that are the beginning of another move wait', () => {
  const ten = new Moves(TEN, ['T2-T1', 'T2-T10']);
  assert.deepEqual(read('21', ten, new Map()), { move: 'T2-T1', isOpen: true, source: null, either: [] });
  assert.equal(read('210', ten, new Map()).isOpen, false);
});

test('what could mean two moves that differ is not guessed', () => {
  const two = new Moves(SMALL, ['T1-F1', 'T1-F2']);
  assert.deepEqual(read('1f', two, piles('T1: 2S\nF1: AS\nF2: AS')).move, 'T1-F1');
  assert.deepEqual(read('1f', two, piles('T1: 2S\nF1: AS\nF2: AH')).either, ['T1-F1', 'T1-F2']);
});

test('keys that come before it is known what is legal name their piles', () => {
  assert.deepEqual(aimed('14', SMALL), { wish: ['T1', 'T4'], isOpen: false, source: null });
  assert.deepEqual(aimed('2f', SMALL).wish, ['T2', 'F1']);
  assert.deepEqual(aimed('w', SMALL), { wish: null, isOpen: true, source: 'W' });
  assert.deepEqual(aimed('21', TEN), { wish: ['T2', 'T1'], isOpen: true, source: null });
  assert.deepEqual(aimed('x', SMALL), { wish: null, isOpen: false, source: null });
});

test('no move is no move', () => {
  assert.deepEqual(small('14'), { move: null, isOpen: false, source: null, either: [] });
});

/** What a table without a legal move is asked as keys are pressed. */
function pressed(/** @type {any} */ what, /** @type {string[]} */ keys) {
  /** @type {string[]} */
  const asked = [];
  const table = /** @type {any} */ ({
    game: what, moves: new Moves(what, []), isWaiting: false, cards: () => [], mark() {},
    piles: () => new Map(), onTry: (/** @type {string} */ move) => asked.push(move),
  });
  const hand = new Hand(table);
  const keyboard = new Keyboard(/** @type {any} */ ({
    moves: () => table.moves, game: what, piles: table.piles, show() {},
    choose: (/** @type {string} */ pile) => hand.choose({ pile, count: 1 }), letGo: () => hand.choose(null),
    attempt: (/** @type {string | null} */ source, /** @type {string | null} */ target) => hand.attempt(source, target),
    say: (/** @type {string} */ sentence) => asked.push(sentence),
  }));
  for (const key of keys) keyboard.anywhere(/** @type {any} */ ({ key, timeStamp: 0 }));
  keyboard.close();
  return { asked, chosen: hand.chosen };
}

test('a typed move that is not legal is tried, so that the server says why, and no card stays in hand', () => {
  assert.deepEqual(pressed(SMALL, ['2', '1']), { asked: ['T2-T1'], chosen: null });
  assert.deepEqual(pressed(SMALL, ['w', ' ', '4']), { asked: ['W-T4'], chosen: null });
  assert.deepEqual(pressed(TEN, ['2', '1', 'Enter']), { asked: ['T2-T1'], chosen: null });
  assert.deepEqual(pressed(TEN, ['2', '1', '0']), { asked: ['T2-T10'], chosen: null });
  assert.deepEqual(pressed(SMALL, ['d']), { asked: ['draw'], chosen: null });
  assert.deepEqual(pressed(SMALL, ['2', '9']), { asked: ['29 is no move.'], chosen: null });
});

// Places

test('a point finds the topmost card there, and the place of an empty pile', () => {
  const lying = piles('T1: KS 8S 7S\nT2:');
  const laid = layout(SMALL, { width: 400, height: 500 }, lying);
  const { x = 0, y = 0, step = 0 } = laid.piles.get('T1') ?? {};
  assert.deepEqual(cardAt(laid, lying, { x: x + 5, y: y + 3 }), { pile: 'T1', index: 0 });
  assert.deepEqual(cardAt(laid, lying, { x: x + 5, y: y + 1.5 * step }), { pile: 'T1', index: 1 });
  assert.deepEqual(cardAt(laid, lying, { x: x + 5, y: y + 2.5 * step }), { pile: 'T1', index: 2 });
  const empty = laid.piles.get('T2');
  assert.deepEqual(cardAt(laid, lying, { x: (empty?.x ?? 0) + 5, y: (empty?.y ?? 0) + 3 }), { pile: 'T2', index: -1 });
  assert.equal(cardAt(laid, lying, { x: 399, y: 499 }), null);
});

test('a card dropped far below a short column is dropped on it', () => {
  const lying = piles('T1: KS\nT2: 9H');
  const laid = layout(SMALL, { width: 400, height: 500 }, lying);
  const { x = 0 } = laid.piles.get('T2') ?? {};
  const card = { x: x - 0.4 * laid.card.width, y: 500 - laid.card.height - 5, ...laid.card };
  assert.equal(pileUnder(laid, lying, card, () => true), 'T2');
  assert.equal(pileUnder(laid, lying, card, (name) => name === 'T1'), 'T1');
  assert.equal(pileUnder(laid, lying, card, () => false), null);
});

test('the mirrored table is the table seen from the other side', () => {
  const size = { width: 400, height: 500 };
  const [plain, mirrored] = [layout(SMALL, size, new Map()), layout(SMALL, size, new Map(), { mirror: true })];
  for (const [name, { x }] of plain.piles) {
    assert.equal(mirrored.piles.get(name)?.x, size.width - x - plain.card.width);
  }
});

test('a table that nobody plays at keeps no place for the button of redeals', () => {
  const fans = game({ grid: ['T1 T2', 'T3 T4', '. .'], actions: ['redeal'] });
  const size = { width: 400, height: 500 };
  const [played, watched] = [layout(fans, size, new Map()), layout(fans, size, new Map(), { isPlayable: false })];
  assert.notEqual(played.button, null);
  assert.equal(watched.button, null);
  assert.ok(watched.card.width > played.card.width, `${watched.card.width} is not more than ${played.card.width}`);
});

test('a player who wants larger or smaller cards gets them', () => {
  const widths = ['80', '100', '140'].map((scale) => layout(SMALL, { width: 400, height: 300 }, new Map(), { scale: Number(scale) }).card.width);
  assert.ok(widths[0] < widths[1] && widths[1] < widths[2], String(widths));
});

// Words

test('piles are called what they are', () => {
  const [stock, , foundation] = SMALL.piles;
  const column = SMALL.piles.find((/** @type {any} */ pile) => pile.name === 'T3');
  assert.equal(pileLabel(column, ['--', '--', '9S', '8D', '7H']), 'Column 3: 5 cards, 2 hidden, top 7 of hearts');
  assert.equal(pileLabel(column, []), 'Column 3: empty');
  assert.equal(pileLabel(foundation, ['AS']), 'Foundation 1: 1 card, top ace of spades');
  assert.equal(pileLabel(stock, ['--', '--']), 'Stock: 2 cards, face down');
  assert.equal(pileTitle({ ...column, spread: 'right' }), 'Fan 3');
});

test('the list of piles reads every card that shows', () => {
  const column = SMALL.piles.find((/** @type {any} */ pile) => pile.name === 'T3');
  assert.equal(pileLine(column, ['--', 'TC', 'QD']), 'Column 3: 1 hidden card, 10 of clubs, queen of diamonds');
  assert.equal(pileLine(SMALL.piles[0], ['--', '--']), 'Stock: 2 hidden cards');
  assert.equal(pileLine(column, []), 'Column 3: empty');
});
