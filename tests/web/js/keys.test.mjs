/** The player's own keys. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEEDS, Keys } from '../../../client/samedeal_client/web/keys.js';
import { pressed } from '../../../client/samedeal_client/web/parts/rules.js';

/** @param {Record<string, string>} [kept] */
function storage(kept = {}) {
  const map = new Map(Object.entries(kept));
  return /** @type {Storage} */ (/** @type {unknown} */ ({
    getItem: (/** @type {string} */ name) => map.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ value) => map.set(name, value),
    removeItem: (/** @type {string} */ name) => map.delete(name),
  }));
}

test('a key that was changed asks for it from then on, also after a reload', () => {
  const store = storage();
  new Keys(store).set('undo', 'b');
  const keys = new Keys(store);
  assert.equal(keys.deed('b'), 'undo');
  assert.equal(keys.deed('u'), null);
  assert.ok(keys.list().some(([key, words]) => key === 'b' && words === DEEDS.undo.words));
  keys.reset();
  assert.equal(new Keys(store).of('undo'), 'u');
});

test('a capital is said as what is pressed for it', () => {
  assert.deepEqual(['u', 'L', '?', 'Ä'].map(pressed), ['u', 'Shift+L', '?', 'Shift+Ä']);
});

test('no usual key is one of the table’s, and no two are the same', () => {
  const keys = new Keys(null);
  for (const deed of /** @type {import('../../../client/samedeal_client/web/keys.js').Deed[]} */ (Object.keys(DEEDS))) {
    assert.equal(keys.fault(deed, keys.of(deed)), null);
  }
});

test('a key that is taken or is the table’s is refused with a sentence', () => {
  const keys = new Keys(null);
  assert.match(keys.fault('undo', 'h') ?? '', /taken already: a hint/);
  for (const key of ['t', '3', 'd', 'w', '+', ' ', '.']) assert.match(keys.fault('undo', key) ?? '', /moves cards/);
  for (const key of ['', 'ab', '\n']) assert.ok(keys.fault('undo', key));
  assert.throws(() => keys.set('undo', 'h'), RangeError);
  assert.equal(keys.fault('undo', 'u'), null);
});

test('keys can be swapped by way of a third, and what strangers stored counts for nothing', () => {
  const store = storage();
  const keys = new Keys(store);
  keys.set('undo', 'x');
  keys.set('hint', 'u');
  keys.set('undo', 'h');
  assert.deepEqual([new Keys(store).of('undo'), new Keys(store).of('hint')], ['h', 'u']);
  assert.equal(new Keys(storage({ 'samedeal.key.undo': 'h' })).of('undo'), 'u');
  assert.equal(new Keys(storage({ 'samedeal.key.undo': 'three' })).of('undo'), 'u');
});
