/**
 * The table's pure modules against what the rules say: the file SAMEDEAL_CORPUS has every game's
 * description and random playouts of it.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { digest } from '../../../client/samedeal_client/web/table/digest.js';
import { cardRect, overlap, pileRect } from '../../../client/samedeal_client/web/table/geometry.js';
import { layout } from '../../../client/samedeal_client/web/table/layout.js';
import { Moves } from '../../../client/samedeal_client/web/table/moves.js';
import { apply, parse, play, print } from '../../../client/samedeal_client/web/table/position.js';
import { read } from '../../../client/samedeal_client/web/table/typed.js';

/** @type {{game: any, playouts: {board: string, digest: string, legal: string[], told: any, move: string | null}[][]}[]} */
const corpus = JSON.parse(readFileSync(process.env.SAMEDEAL_CORPUS ?? '', 'utf8'));
const SIZES = [[360, 640], [360, 520], [640, 300], [768, 1024], [1280, 720], [1920, 1080]];
const MINIS = [[120, 90], [200, 140]];
/** What has to show of a covered card for its rank and suit to be read: as the faces are drawn. */
const CORNER = { full: 30 / 140, large: 45 / 140 };
const SIDE = { full: 27 / 100, large: 47 / 100 };

for (const { game, playouts } of corpus) {
  const views = playouts.flat();
  const some = views.filter((_, at) => at % 15 === 0 || at === views.length - 1);

  test(`${game.key}: positions read and written are the same`, () => {
    for (const { board } of views) assert.equal(print(parse(board)), board);
  });

  test(`${game.key}: a position has the digest that the server says`, () => {
    for (const view of views) assert.equal(digest(parse(view.board)), view.digest, view.board);
  });

  test(`${game.key}: what is told of a move makes the board that it led to`, () => {
    for (const playout of playouts) {
      let position = parse(playout[0].board);
      for (const { told, board } of playout.slice(1)) {
        position = apply(position, told, game);
        assert.equal(print(position), board, JSON.stringify(told));
      }
    }
  });

  test(`${game.key}: a move shown before it is told moves the right cards`, () => {
    for (const playout of playouts) {
      for (let at = 1; at < playout.length; at += 1) {
        const { move, told, board } = playout[at];
        const before = parse(playout[at - 1].board);
        const shown = play(before, move, game);
        assert.equal(shown === null, !move.includes('-'), move);
        if (shown === null || told.board !== null || told.steps.length !== 1) continue;
        const after = parse(board);
        for (const [name, cards] of after.piles) assert.equal(shown.piles.get(name)?.length, cards.length, move);
        const [source, target] = move.split(':')[0].split('-');
        assert.equal(shown.piles.get(target)?.at(-1), before.piles.get(source)?.at(-1));
      }
    }
  });

  test(`${game.key}: every legal move can be played by pile and by keys`, () => {
    for (const { board, legal } of views) {
      const moves = new Moves(game, legal);
      const { piles } = parse(board);
      for (const { text, source, target, count } of moves.transfers) {
        assert.equal(moves.brought(source, target, count), text);
        assert.ok(legal.includes(moves.quick(source) ?? ''));
        const meant = read(`${source}.${target}`.toLowerCase(), moves, piles);
        assert.ok(meant.move === text || meant.either.includes(text), text);
      }
      assert.equal(read('d', moves, piles).move, legal.find((move) => !move.includes('-')) ?? null);
    }
  });

  for (const [width, height] of [...SIZES, ...MINIS]) {
    test(`${game.key}: the table fits ${width} by ${height}`, () => {
      const mini = width < 300;
      for (const wishes of mini ? [{ mini }] : [{}, { mirror: true }, { scale: 80 }, { scale: 140 }, { large: true }, { isPlayable: false }]) {
        for (const { board } of some) {
          const { piles } = parse(board);
          check(game, piles, layout(game, { width, height }, piles, wishes), { width, height });
        }
      }
    });
  }

  test(`${game.key}: cards keep their size for as long as no column grows by more than three`, () => {
    const sizes = new Set();
    for (const { board } of some) {
      const { piles } = parse(board);
      const grown = game.piles.some((pile) => pile.spread !== 'none' && (piles.get(pile.name) ?? []).length > pile.dealt + 3);
      if (!grown) sizes.add(layout(game, { width: 800, height: 600 }, piles).card.width);
    }
    assert.equal(sizes.size, 1);
  });
}

/**
 * No card is outside the table, no pile covers another, and no corner is covered.
 *
 * @param {any} game
 * @param {Map<string, string[]>} piles
 * @param {import('../../../client/samedeal_client/web/table/layout.js').Layout} laid
 * @param {{width: number, height: number}} size
 */
function check(game, piles, laid, { width, height }) {
  const rects = game.piles.map(({ name }) => ({ name, ...pileRect(laid, name, piles.get(name) ?? []) }));
  if (laid.button) rects.push({ name: 'redeal', ...laid.button });
  for (const rect of rects) {
    const { name, x, y } = rect;
    assert.ok(x >= 0 && y >= 0 && x + rect.width <= width + 0.5 && y + rect.height <= height + 0.5, `${name} is outside: ${JSON.stringify(rect)}`);
  }
  for (const [at, one] of rects.entries()) {
    for (const other of rects.slice(at + 1)) assert.ok(overlap(one, other) < 0.5, `${one.name} covers ${other.name}`);
  }
  if (laid.card.width <= 12) return; // a thumbnail, whose corners nobody can read anyway
  for (const { name } of game.piles) {
    const cards = piles.get(name) ?? [];
    const place = laid.piles.get(name);
    if (place === undefined || place.spread === 'none' || cards.length < 2) continue;
    const [one, two] = [cardRect(laid, name, cards, 0), cardRect(laid, name, cards, 1)];
    const shows = place.spread === 'down' ? (two.y - one.y) / one.height : (two.x - one.x) / one.width;
    const least = place.spread === 'down' ? CORNER[laid.face] : SIDE[laid.face];
    assert.ok(shows >= least, `${name}: ${shows} of ${cards.length} cards shows`);
  }
}
