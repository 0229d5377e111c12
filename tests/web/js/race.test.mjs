/** One race followed: events folded, own moves guessed and put right, gaps and breaks healed. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';

import { Link } from '../../../client/samedeal_client/web/net/link.js';
import { Race } from '../../../client/samedeal_client/web/net/race.js';
import { print } from '../../../client/samedeal_client/web/table/position.js';
import { FakeSocket, settled, stage } from './sockets.mjs';

const GAME = {
  key: 'tiny', name: 'Tiny', goal: 3, actions: ['draw'], counters: [],
  piles: [{ name: 'F1', home: true }, { name: 'T1', home: false }, { name: 'T2', home: false }, { name: 'S', home: false }, { name: 'W', home: false }],
};
const DEAL = 'game: tiny\nF1: AC\nT1: -- 2C\nT2: 3H\nS: 1 card hidden\nW:';
/** The digest of the deal after T1-F1, which turns up the five of diamonds: by Python's BLAKE2b. */
const DIGEST = '6fa580a256892495';
const LEGAL = ['T1-F1', 'T1-T2', 'draw'];

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  stage();
});
afterEach(() => mock.timers.reset());

const entrant = (number, more = {}) => ({ entrant: number, name: `P${number}`, state: 'racing', home: 1, moves: 0, ...more });

/** What the server says of a running race to its first entrant. */
const snapshot = (more = {}) => ({
  type: 'snapshot', race: 'r', seq: 10, at: 0, phase: 'running', terms: { game: 'tiny' }, host: 'P1', commitment: 'c',
  entrants: [entrant(1, { board: DEAL }), entrant(2)], you: 1, number: 0, legal: LEGAL, elapsed_ms: 1000, ...more,
});

/** A race that the page has joined, at the snapshot; the server's side is `FakeSocket.last`. */
async function joined(more = {}) {
  const link = new Link('ws://here/', null);
  const race = new Race(link, 'r', GAME);
  const joining = race.join();
  await settled();
  await FakeSocket.last.welcome();
  await FakeSocket.last.answer('join', snapshot(more));
  await joining;
  race.refusals = [];
  race.addEventListener('refused', (event) => race.refusals.push(event.detail.code));
  return race;
}

const board = (race, number = 1) => print(race.boards.get(number));
const pile = (race, name, number = 1) => race.boards.get(number).piles.get(name).join(' ');
const played = (more = {}) => ({
  type: 'played', race: 'r', seq: 11, at: 0, number: 1, moves: ['T1-F1'], steps: ['T1-F1'], turned: [['T1', '5D']],
  digest: DIGEST, home: 2, status: 'playing', elapsed_ms: 2000, undoable: true, legal: ['draw'], ...more,
});
const count = (type) => FakeSocket.all.flatMap((socket) => socket.said).filter((said) => said.type === type).length;

test('an own move shows at once, and the answer puts it right', async () => {
  const race = await joined();
  race.play('T1-F1');
  assert.equal(pile(race, 'T1'), '--');
  assert.equal(race.legal, null);
  await settled();
  assert.equal(FakeSocket.last.heard('play').number, 1);
  await FakeSocket.last.answer('play', played());
  assert.equal(pile(race, 'T1'), '5D');
  assert.deepEqual([race.legal, race.number, race.seq, race.pending, race.me.home], [['draw'], 1, 11, 0, 2]);
  assert.equal(count('resume'), 0);
});

test('a board is stuck as the server says, though moves to and fro are legal', async () => {
  const race = await joined();
  race.play('T1-F1');
  await settled();
  await FakeSocket.last.answer('play', played({ status: 'stuck', legal: ['T1-T2'] }));
  assert.deepEqual([race.isStuck, race.legal], [true, ['T1-T2']]);
  race.undo();
  await settled();
  await FakeSocket.last.refuse('undo', { code: 'no-undo', message: 'No.' });
  assert.equal(race.isStuck, true);
  await FakeSocket.last.answer('resume', snapshot({ seq: 12 }));
  assert.equal(race.isStuck, false);
});

test('a refused move is taken back, and its number is not used up', async () => {
  const race = await joined();
  const before = board(race);
  race.play('T1-T2');
  await settled();
  await FakeSocket.last.refuse('play', { code: 'illegal-move', message: 'No.' });
  assert.equal(board(race), before);
  assert.deepEqual(race.legal, LEGAL);
  assert.deepEqual(race.refusals, ['illegal-move']);
  assert.equal(FakeSocket.last.heard('resume').after, undefined);
  await FakeSocket.last.answer('resume', snapshot());
  race.play('T1-F1');
  await settled();
  assert.equal(FakeSocket.last.heard('play').number, 1);
});

test('what is asked while a move is under way waits, and has the next number', async () => {
  const race = await joined();
  race.play('T1-F1');
  race.finish();
  race.undo();
  await settled();
  assert.deepEqual([count('play'), count('finish'), count('undo')], [1, 0, 0]);
  await FakeSocket.last.answer('play', played());
  assert.deepEqual([count('finish'), FakeSocket.last.heard('finish').number, count('undo')], [1, 2, 0]);
  await FakeSocket.last.refuse('finish', { code: 'not-finishable', message: 'Not yet.' });
  await FakeSocket.last.answer('resume', snapshot({ seq: 11, number: 1 }));
  assert.equal(FakeSocket.last.heard('undo').number, 2);
});

test('a move whose answer was lost is said again with its number, after the race is taken up', async () => {
  const race = await joined();
  race.play('T1-F1');
  await settled();
  FakeSocket.last.lose(1006);
  assert.equal(pile(race, 'F1'), 'AC 2C', 'the guess stays');
  mock.timers.tick(1000);
  await FakeSocket.last.welcome();
  assert.equal(FakeSocket.last.heard('resume').after, 10);
  assert.equal(FakeSocket.last.heard('play'), undefined);
  await FakeSocket.last.answer('resume', { type: 'resumed', race: 'r', after: 10, seq: 10 });
  assert.equal(FakeSocket.last.heard('play').number, 1);
  await FakeSocket.last.answer('play', played());
  assert.deepEqual([pile(race, 'T1'), race.number, race.refusals.length], ['5D', 1, 0]);
  assert.equal(count('resume'), 1, 'one is enough');
});

test('one that was done before the connection broke is not shown twice', async () => {
  const race = await joined();
  race.play('T1-F1');
  await settled();
  FakeSocket.last.lose(1006);
  mock.timers.tick(1000);
  await FakeSocket.last.welcome();
  const after = DEAL.replace('AC', 'AC 2C').replace('-- 2C', '5D');
  const now = snapshot({ seq: 11, number: 1, entrants: [entrant(1, { board: after, home: 2 }), entrant(2)], legal: ['draw'] });
  await FakeSocket.last.answer('resume', now);
  await FakeSocket.last.answer('play', played());
  assert.equal(pile(race, 'F1'), 'AC 2C');
  assert.equal(race.number, 1);
});

test('a store that rests a moment is waited for', async () => {
  const race = await joined();
  race.play('T1-F1');
  await settled();
  await FakeSocket.last.refuse('play', { code: 'store-unavailable', message: 'Not now.', retry: 'after', after_ms: 500 });
  assert.equal(pile(race, 'F1'), 'AC 2C');
  mock.timers.tick(500);
  await settled();
  assert.equal(count('play'), 2);
  assert.deepEqual(race.refusals, []);
});

test('a window that was replaced shows what is sure, asks nothing, and can be played in again', async () => {
  const race = await joined();
  const before = board(race);
  race.play('T1-F1');
  await settled();
  FakeSocket.last.lose(4001);
  await settled();
  assert.equal(board(race), before);
  assert.deepEqual(race.legal, LEGAL);
  mock.timers.tick(60_000);
  await settled();
  assert.equal(FakeSocket.all.length, 1);
  race.link.open();
  await FakeSocket.last.welcome();
  assert.ok(FakeSocket.last.heard('resume'));
});

test('what was said before comes with a snapshot, and what was heard stays', async () => {
  const line = (at, text) => ({ at, name: 'Bob', text });
  const race = await joined({ chat: [line(1, 'hi'), line(2, 'ready?')] });
  const texts = () => race.chat.map(({ text }) => text);
  assert.deepEqual(texts(), ['hi', 'ready?']);
  FakeSocket.last.tell({ type: 'said', race: 'r', seq: 11, ...line(3, 'go!') });
  const known = race.chat;
  FakeSocket.last.tell(snapshot({ seq: 12, chat: [line(2, 'ready?'), line(3, 'go!')] }));
  assert.equal(race.chat, known, 'nothing is new');
  FakeSocket.last.tell(snapshot({ seq: 14, chat: [line(3, 'go!'), line(4, 'gg')] }));
  assert.deepEqual(texts(), ['hi', 'ready?', 'go!', 'gg']);
  assert.notEqual(race.chat, known);
  FakeSocket.last.tell(snapshot({ seq: 15 }));
  assert.deepEqual(texts(), ['hi', 'ready?', 'go!', 'gg']);
});

test('events that were missed are asked for; those that are known are not told twice', async () => {
  const race = await joined();
  FakeSocket.last.tell({ type: 'away', race: 'r', seq: 12, entrant: 2 });
  await settled();
  assert.equal(FakeSocket.last.heard('resume').after, 10);
  assert.equal(race.entrants.get(2).away, false);
  await FakeSocket.last.answer('resume', { type: 'resumed', race: 'r', after: 10, seq: 12 });
  for (const seq of [11, 12, 12, 11]) {
    FakeSocket.last.tell({ type: 'said', race: 'r', seq, name: 'P2', text: `line ${seq}`, at: 0 });
  }
  assert.deepEqual(race.chat.map((line) => line.text), ['line 11', 'line 12']);
});

test('the whole race is asked for, though a part of it was asked for before', async () => {
  const race = await joined();
  FakeSocket.last.tell({ type: 'away', race: 'r', seq: 12, entrant: 2 }); // a gap
  await settled();
  await FakeSocket.last.answer('resume', { type: 'resumed', race: 'r', after: 10, seq: 12 });
  FakeSocket.last.tell({ type: 'skip', race: 'r', seq: 11 });
  FakeSocket.last.tell({ type: 'moved', race: 'r', seq: 12, entrant: 1, moves: ['draw'], home: 1 }); // from elsewhere
  await settled();
  assert.equal(FakeSocket.last.heard('resume').after, undefined);
});

test('a rival’s move that does not fit asks for the whole', async () => {
  const race = await joined({ entrants: [entrant(1, { board: DEAL }), entrant(2, { board: DEAL })] });
  FakeSocket.last.tell({ type: 'moved', race: 'r', seq: 11, entrant: 2, moves: ['T1-F1'], steps: ['T1-F1:7'], home: 2 });
  await settled();
  assert.equal(FakeSocket.last.heard('resume').after, undefined);
});

test('a board that is not the one meant is put right by a snapshot, and counted', async () => {
  const race = await joined({ entrants: [entrant(1, { board: DEAL }), entrant(2, { board: DEAL })] });
  race.play('T1-F1');
  await settled();
  await FakeSocket.last.answer('play', played({ turned: [['T1', '6D']] }));
  assert.deepEqual([FakeSocket.last.heard('resume').after, race.doubts], [undefined, 1]);
  const after = DEAL.replace('AC', 'AC 2C').replace('-- 2C', '5D');
  await FakeSocket.last.answer('resume', snapshot({ seq: 11, number: 1, entrants: [entrant(1, { board: after }), entrant(2, { board: DEAL })] }));
  assert.deepEqual([pile(race, 'T1'), race.number], ['5D', 1]);
  const moved = { type: 'moved', race: 'r', entrant: 2, moves: ['T1-F1'], steps: ['T1-F1'], turned: [['T1', '5D']], home: 2 };
  FakeSocket.last.tell({ ...moved, seq: 12, digest: DIGEST });
  assert.deepEqual([pile(race, 'T1', 2), race.doubts], ['5D', 1]);
  FakeSocket.last.tell({ ...moved, seq: 13, moves: ['T2-T1'], steps: ['T2-T1'], turned: [], digest: DIGEST });
  await settled();
  assert.deepEqual([count('resume'), race.doubts], [2, 2]);
});

test('an event of a newer server is passed over', async () => {
  const race = await joined();
  FakeSocket.last.tell({ type: 'fireworks', race: 'r', seq: 11 });
  FakeSocket.last.tell({ type: 'away', race: 'r', seq: 12, entrant: 2 });
  assert.equal(race.entrants.get(2).away, true);
});

test('time that the server was down is on nobody’s clock', async () => {
  const race = await joined({ elapsed_ms: 10_000 });
  FakeSocket.last.tell({ type: 'stoppage', race: 'r', seq: 11, stopped_ms: 4000 });
  assert.ok(Math.abs(race.elapsed() - 6000) < 500);
});

test('a countdown that stops leaves a start by the clock where it was', async () => {
  const terms = { game: 'tiny', start: 'at', start_at: Date.now() + 60_000 };
  const race = await joined({ phase: 'countdown', terms, starts_in_ms: 5000, legal: undefined, elapsed_ms: undefined });
  FakeSocket.last.tell({ type: 'countdown-stopped', race: 'r', seq: 11, reason: 'P2 left' });
  assert.equal(race.phase, 'open');
  race.link.offset = 0;
  assert.ok(race.startsIn() > 50_000);
});

test('one’s clock stops when one is done', async () => {
  const race = await joined();
  FakeSocket.last.tell({ type: 'done', race: 'r', seq: 11, entrant: 1, state: 'gave-up', home: 1 });
  assert.deepEqual([race.isRacing, race.legal], [false, []]);
  const stopped = race.elapsed();
  assert.equal(race.elapsed(), stopped);
});

test('a race that is closed hears and asks nothing more', async () => {
  const race = await joined();
  race.close();
  FakeSocket.last.tell({ type: 'away', race: 'r', seq: 11, entrant: 2 });
  assert.equal(race.seq, 10);
  FakeSocket.last.lose(1006);
  mock.timers.tick(1000);
  await FakeSocket.last.welcome();
  assert.equal(count('resume'), 0);
});
