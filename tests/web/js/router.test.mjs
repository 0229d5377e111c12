/** Which page an address is. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { match } from '../../../client/samedeal_client/web/router.js';

test('what an address names is decoded', () => {
  assert.deepEqual(match('/players/Zo%C3%AB%20%2F')?.params, ['Zoë /']);
  for (const path of ['/games/opus:no-wrap', '/games/opus%3Ano-wrap', '/practice/opus%3ano-wrap']) {
    assert.deepEqual(match(path)?.params, ['opus:no-wrap'], path);
  }
});

test('what cannot be decoded is taken as it is', () => {
  assert.deepEqual(match('/players/%E0%A4%A')?.params, ['%E0%A4%A']);
});

test('a slash at the end does not matter, and the first page is only a slash', () => {
  assert.equal(match('/games/')?.route, match('/games')?.route);
  assert.notEqual(match('/'), null);
});

test('an address that is no page is none', () => {
  for (const path of ['/x', '/r/', '/r/a/b', '/games/A/b', '/embed', '/embed/t/a']) {
    assert.equal(match(path), null, path);
  }
});

test('pages for streams and other sites have no frame around them', () => {
  assert.equal(match('/overlay/r/a')?.route.bare, true);
  assert.equal(match('/embed/r/a')?.route.bare, true);
  assert.notEqual(match('/r/a')?.route.bare, true);
});
