/** The pure parts of the pages around the races: what a form wishes for, codes, days. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dayAfter, weekOf } from '../../../client/samedeal_client/web/parts/days.js';
import { placeOf } from '../../../client/samedeal_client/web/parts/place.js';
import { shortTerms } from '../../../client/samedeal_client/web/parts/races.js';
import { glossary } from '../../../client/samedeal_client/web/parts/rules.js';
import { captions } from '../../../client/samedeal_client/web/parts/reel.js';
import { mayGoHomeAfter } from '../../../client/samedeal_client/web/parts/told.js';
import { PATIENCE_MS, Twice } from '../../../client/samedeal_client/web/parts/twice.js';
import { PRESETS, USUAL, asked, wishesOf } from '../../../client/samedeal_client/web/parts/wishes.js';

const preset = (key) => asked(wishesOf(PRESETS.find((each) => each.key === key)), 'opus').terms;

test('what nobody changed is left to the server', () => {
  assert.deepEqual(asked(USUAL, 'opus'), { terms: { game: 'opus' } });
  assert.deepEqual(preset('quick'), { game: 'opus' });
});

test('a fair race is rated and for people only', () => {
  assert.deepEqual(preset('fair'), { game: 'opus', rated: true, bots: false });
});

test('an async race says nothing of a start, nor a live one of an end', () => {
  const wishes = { ...USUAL, start: 'host', countdown: '9', closes: '3600', punctual: 'on' };
  assert.deepEqual(asked({ ...wishes, mode: 'async' }, 'opus').terms, { game: 'opus', mode: 'async', closes: 3600, punctual: true });
  assert.deepEqual(asked(wishes, 'opus').terms, { game: 'opus', start: 'host', countdown: 9 });
});

test('a phrase is said only where one is asked for, and a seed of blanks is none', () => {
  assert.deepEqual(asked({ ...USUAL, phrase: 'x', seed: '  ' }, 'opus'), { terms: { game: 'opus' } });
  assert.deepEqual(asked({ ...USUAL, visibility: 'phrase', phrase: 'x', seed: ' a ' }, 'opus'),
    { terms: { game: 'opus', visibility: 'phrase' }, seed: 'a', phrase: 'x' });
});

test('no limit is null, which is not the usual one', () => {
  assert.deepEqual(asked({ ...USUAL, limit: 'none', grace: '60' }, 'opus').terms, { game: 'opus', limit: null, grace: 60 });
});

test('a code or a link to any page of a race leads to it, and other words lead nowhere', () => {
  assert.equal(placeOf(' nmsv-86bv-3k27 '), '/r/nmsv-86bv-3k27');
  assert.equal(placeOf('https://cards.example/r/nmsv-86bv-3k27/watch?x=1'), '/r/nmsv-86bv-3k27');
  assert.equal(placeOf('NMSV 86BV 3K27'), '/r/nmsv-86bv-3k27');
  assert.equal(placeOf('cup-wz9vg3xfzv'), '/t/cup-wz9vg3xfzv');
  for (const words of ['', 'two words', 'https://cards.example/games/opus', '../r']) assert.equal(placeOf(words), null, words);
});

test('days pass over the ends of months and years, and weeks are those of ISO 8601', () => {
  assert.equal(dayAfter('20261130', 1), '20261201');
  assert.equal(dayAfter('20270101', -1), '20261231');
  assert.equal(weekOf('20261130'), '2026-W49');
  assert.equal(weekOf('20261228'), '2026-W53');
  assert.equal(weekOf('20270104'), '2027-W01');
});

test('what cannot be taken back is done when it is asked for twice, with nothing between and soon', () => {
  const twice = new Twice();
  const answers = [['a', 0], ['a', 500], ['a', 600], ['b', 700], ['a', 800], ['a', 800 + PATIENCE_MS]]
    .map(([what, now]) => twice.isSure(String(what), Number(now)));
  assert.deepEqual(answers, [false, true, false, false, false, false]);
});

test('cards go home by themselves after a move, but not after an undo, nor when one was taken down', () => {
  assert.equal(mayGoHomeAfter(['T1-T2']), true);
  assert.equal(mayGoHomeAfter(['draw', 'W-F1']), true);
  assert.equal(mayGoHomeAfter([]), false);
  assert.equal(mayGoHomeAfter(['F1-T2']), false);
});

test('the caption of a replay tells what happened at that very step, and of whom', () => {
  const [ada, bob] = [
    { entrant: 1, name: 'Ada', state: 'finished', ended_ms: 9000, frames: [[0, '', 0, ''], [2000, 'redeal', 0, ''], [9000, 'T1-F1', 1, '']] },
    { entrant: 2, name: 'Bob', state: 'gave-up', ended_ms: 6000, frames: [[0, '', 0, ''], [5000, 'T2-T3', 0, '']] },
  ];
  assert.deepEqual(captions([ada, bob]).map(({ at, words }) => [at, words]), [
    [0, 'The deal'], [2000, 'Ada redeals'], [5000, 'Bob: T2-T3'], [6000, 'Bob: gave up'], [9000, 'Ada finishes'],
  ]);
});

test('a card of a race says its terms in words that stand for themselves', () => {
  const said = shortTerms({ terms: { mode: 'live', blind: true, hints: true, rated: true }, seeded: true }).join(' | ');
  assert.match(said, /All start together/);
  assert.match(said, /Rivals hidden until you are done/);
  assert.doesNotMatch(said, /\b(live|async|blind|seed|rated)\b/i);
  assert.match(shortTerms({ terms: { mode: 'async' } }).join(), /own clock/);
});

test('the words on a table are explained by its own piles and numbers', () => {
  const pile = (/** @type {string} */ name) => ({ name, home: name.startsWith('F') });
  const piles = ['T1', 'F1', 'F2', 'F3', 'F4'].map(pile);
  const words = new Map(glossary({ piles, goal: 52, actions: ['redeal'], redeals: 3 }));
  assert.match(words.get('Home') ?? '', /52 cards.*F1 to F4/);
  assert.match(words.get('Redeal') ?? '', /3 times/);
  const once = new Map(glossary({ piles: [{ name: 'W', home: true }], goal: 13, actions: ['draw'], redeals: null }));
  assert.match(once.get('Home') ?? '', /come: W\./);
  assert.deepEqual([...once.keys()], ['Home', 'Draw', 'Safe']);
});
