/** The one connection: greeting, asking again, coming back, and when it does not. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';

import { Link, Refusal } from '../../../client/samedeal_client/web/net/link.js';
import { FakeSocket, settled, stage } from './sockets.mjs';

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  stage();
});
afterEach(() => mock.reset());

const storage = () => {
  const kept = new Map();
  return { kept, getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
};

/** A link that has been welcomed. */
async function greeted(how = {}) {
  const link = new Link('ws://here/', how.storage ?? null, how);
  link.open();
  await FakeSocket.last.welcome();
  assert.equal(link.state, 'up');
  return link;
}

test('a new guest says hello without a token and keeps the one that is sent', async () => {
  const keeps = storage();
  await greeted({ storage: keeps });
  assert.equal(FakeSocket.last.said[0].token, undefined);
  assert.equal(keeps.kept.get('samedeal.token'), 'secret');
  await greeted({ storage: keeps });
  assert.equal(FakeSocket.last.said[0].token, 'secret');
});

test('who looks on is another guest than the player of the same browser', async () => {
  const keeps = storage();
  await greeted({ storage: keeps });
  await greeted({ storage: keeps, guest: 'onlooker' });
  assert.equal(FakeSocket.last.said[0].token, undefined);
  assert.equal(FakeSocket.last.said[0].name, undefined);
});

test('a token never goes anywhere but into hello', async () => {
  const link = await greeted({ storage: storage() });
  link.ask('list').catch(() => {});
  await settled();
  assert.ok(!FakeSocket.last.url.includes('secret'));
  assert.ok(FakeSocket.last.said.slice(1).every((said) => !JSON.stringify(said).includes('secret')));
});

test('who is unknown becomes a new guest of the same name', async () => {
  const keeps = storage();
  keeps.setItem('samedeal.token', 'old');
  keeps.setItem('samedeal.name', 'Ada');
  const link = new Link('ws://here/', keeps);
  link.open();
  await FakeSocket.last.refuseHello('bad-token');
  FakeSocket.last.lose(1000);
  mock.timers.tick(0);
  await FakeSocket.last.welcome('Ada');
  assert.equal(FakeSocket.last.said[0].token, undefined);
  assert.equal(FakeSocket.last.said[0].name, 'Ada');
});

/** Two windows of a browser that has no guest yet, both connected, and nothing answered. */
async function twoWindows() {
  const keeps = storage();
  const windows = [new Link('ws://here/', keeps), new Link('ws://here/', keeps)];
  for (const link of windows) link.open();
  const sockets = [...FakeSocket.all];
  for (const socket of sockets) await socket.opened();
  return { keeps, windows, sockets };
}

test('of two first windows one says hello, and the other comes with the token that it brings', async () => {
  stage({ locks: true });
  const { windows, sockets } = await twoWindows();
  assert.equal(sockets[1].said.length, 0);
  await sockets[0].welcome();
  assert.equal(sockets[1].said[0].token, 'secret');
  await sockets[1].welcome();
  assert.deepEqual(windows.map((link) => link.state), ['up', 'up']);
});

test('who waits for a window that hangs says hello in the end', async () => {
  stage({ locks: true });
  const { sockets } = await twoWindows();
  mock.timers.tick(2500);
  await settled();
  assert.equal(sockets[1].said[0].type, 'hello');
});

test('without locks, who is answered later becomes the guest of who was answered first', async () => {
  const { keeps, windows, sockets } = await twoWindows();
  await sockets[0].welcome('Ada', 'first');
  await sockets[1].welcome('Bob', 'second');
  assert.equal(windows[1].state, 'connecting');
  sockets[1].lose(1000);
  mock.timers.tick(0);
  await FakeSocket.last.welcome('Ada');
  assert.equal(FakeSocket.last.said[0].token, 'first');
  assert.equal(keeps.kept.get('samedeal.token'), 'first');
  assert.deepEqual(windows.map((link) => [link.state, link.name]), [['up', 'Ada'], ['up', 'Ada']]);
});

test('two windows that the server has forgotten become one guest as well', async () => {
  const keeps = storage();
  const windows = [await greeted({ storage: keeps }), await greeted({ storage: keeps })];
  for (const socket of [...FakeSocket.all]) socket.lose(1006);
  mock.timers.tick(1000);
  const [first, second] = FakeSocket.all.slice(2);
  for (const socket of [first, second]) await socket.opened();
  await first.refuse('hello', { code: 'bad-token', message: 'No.' });
  first.lose(1000);
  mock.timers.tick(1000);
  await FakeSocket.last.welcome('Ada', 'new');
  await second.refuse('hello', { code: 'bad-token', message: 'No.' });
  second.lose(1000);
  mock.timers.tick(1000);
  await FakeSocket.last.welcome('Ada', 'newer');
  assert.equal(FakeSocket.last.said[0].token, 'new');
  assert.deepEqual(windows.map((link) => link.token), ['new', 'new']);
});

test('a harmless request is said again on the next connection, another fails', async () => {
  const link = await greeted();
  const listed = link.ask('list');
  const told = link.ask('chat', { race: 'r', text: 'hi' });
  await settled();
  FakeSocket.last.lose(1006);
  await assert.rejects(told, (fault) => fault instanceof Refusal && fault.code === 'outcome-unknown');
  mock.timers.tick(1000);
  await FakeSocket.last.welcome();
  await FakeSocket.last.answer('list', { races: [] });
  assert.deepEqual(await listed, { races: [] });
  assert.equal(FakeSocket.last.said.filter((said) => said.type === 'chat').length, 0);
});

test('a window that was replaced does not come back by itself, whatever it had asked', async () => {
  const link = await greeted();
  const listed = link.ask('list');
  await settled();
  FakeSocket.last.lose(4001, 'replaced');
  await assert.rejects(listed, (fault) => fault.code === 'ended');
  mock.timers.tick(60_000);
  await settled();
  assert.equal(FakeSocket.all.length, 1);
  assert.equal(link.state, 'ended');
  assert.equal(link.ending, 'replaced');
  link.open();
  await FakeSocket.last.welcome();
  assert.equal(link.state, 'up');
});

for (const { since, sockets } of [{ since: 9_000, sockets: 3 }, { since: 10_000, sockets: 2 }]) {
  test(`replaced ${since / 1000} s after one came back, one ${sockets > 2 ? 'comes once more, and once only' : 'stays away'}`, async () => {
    let now = 1000;
    mock.method(performance, 'now', () => now);
    const link = await greeted();
    FakeSocket.last.lose(1006);
    mock.timers.tick(1000);
    await FakeSocket.last.welcome();
    now += since;
    for (let time = 0; time < 2; time += 1) {
      FakeSocket.last.lose(4001, 'replaced');
      mock.timers.tick(1000);
      if (link.state === 'connecting') await FakeSocket.last.welcome();
    }
    assert.equal(FakeSocket.all.length, sockets);
    assert.equal(link.ending, 'replaced');
  });
}

test('what waits for a connection that ends is told so', async () => {
  const link = new Link('ws://here/', null);
  const listed = link.ask('list');
  await settled();
  FakeSocket.last.lose(1003);
  await assert.rejects(listed, (fault) => fault.code === 'ended');
});

for (const code of [1000, 1001, 1006, 1012, 4002, 4003, 4004, 4005]) {
  test(`after ${code} one comes back within a second`, async () => {
    const link = await greeted();
    FakeSocket.last.lose(code);
    assert.equal(link.state, 'waiting');
    mock.timers.tick(1000);
    assert.equal(FakeSocket.all.length, 2);
  });
}

for (const code of [1002, 1003, 1009, 4001, 4006, 4999]) {
  test(`after ${code} one stays away`, async () => {
    const link = await greeted();
    FakeSocket.last.lose(code);
    mock.timers.tick(600_000);
    assert.equal(FakeSocket.all.length, 1);
    assert.equal(link.state, 'ended');
    assert.notEqual(link.sentence, '');
  });
}

test('a server of another protocol is asked once, and the page says what helps', async () => {
  const link = new Link('ws://here/', null);
  link.open();
  await FakeSocket.last.refuseHello('bad-protocol');
  FakeSocket.last.lose(1000);
  mock.timers.tick(600_000);
  assert.equal(FakeSocket.all.length, 1);
  assert.equal(link.ending, 'outdated');
});

test('a greeting that is refused again and again is not said without pause', async () => {
  const link = new Link('ws://here/', null);
  link.open();
  for (let round = 0; round < 5; round += 1) {
    await FakeSocket.last.refuseHello('internal');
    FakeSocket.last.lose(1000);
    mock.timers.tick(round === 0 ? 0 : 1000);
  }
  const count = FakeSocket.all.length;
  await FakeSocket.last.refuseHello('internal');
  FakeSocket.last.lose(1000);
  mock.timers.tick(300);
  assert.equal(FakeSocket.all.length, count);
  await FakeSocket.last.refuseHello('internal', 5000);
});

test('a connection that says nothing is given up, though it never closes', async () => {
  const link = await greeted();
  mock.timers.tick(6000);
  assert.equal(link.state, 'waiting');
  mock.timers.tick(1000);
  await FakeSocket.last.welcome();
  assert.equal(link.state, 'up');
});

test('a handshake that hangs is given up', () => {
  const link = new Link('ws://here/', null);
  link.open();
  mock.timers.tick(6000);
  assert.equal(link.state, 'waiting');
  assert.equal(link.sentence, 'The server cannot be reached. Trying again …');
});

test('when the network changes a connection has to show quickly that it lives', async () => {
  const link = await greeted();
  window.dispatchEvent(new Event('offline'));
  await settled();
  mock.timers.tick(1300);
  assert.equal(link.state, 'waiting');
  window.dispatchEvent(new Event('online'));
  assert.equal(link.state, 'connecting');
  window.dispatchEvent(new Event('online')); // a dial from before it may hang
  assert.equal(FakeSocket.all.length, 3);
});

test('one that answers stays', async () => {
  const link = await greeted();
  document.dispatchEvent(new Event('resume'));
  await settled();
  await FakeSocket.last.answer('ping', { at: 5 });
  mock.timers.tick(5000);
  assert.equal(link.state, 'up');
  assert.equal(FakeSocket.all.length, 1);
});

test('the sentence of a lost connection is said once, however often one tries', async () => {
  const link = await greeted();
  const said = new Set();
  link.addEventListener('change', () => said.add(link.sentence));
  FakeSocket.last.lose(1006);
  for (let round = 0; round < 4; round += 1) {
    mock.timers.tick(1000);
    FakeSocket.last.lose(1006);
  }
  mock.timers.tick(1000);
  await FakeSocket.last.welcome();
  assert.deepEqual([...said], ['The connection is lost. Your moves are safe; trying again …', '']);
});

test('two who follow one race both hear it, and one goes without the other', async () => {
  const link = await greeted();
  const heard = [];
  const end = link.follow('r', () => heard.push('first'));
  link.follow('r', () => heard.push('second'));
  FakeSocket.last.tell({ type: 'away', race: 'r', seq: 1 });
  end();
  end();
  FakeSocket.last.tell({ type: 'back', race: 'r', seq: 2 });
  assert.deepEqual(heard, ['first', 'second', 'second']);
});

test('a request that came too fast is said again when the server likes', async () => {
  const link = await greeted();
  const told = link.ask('chat', { race: 'r', text: 'hi' });
  await settled();
  await FakeSocket.last.refuse('chat', { code: 'rate-limited', message: 'slowly', retry: 'after', after_ms: 3000 });
  mock.timers.tick(3800);
  await settled();
  await FakeSocket.last.answer('chat', null);
  assert.equal(await told, null);
});

test('a name that is taken is told to who wanted it, and the old one stays', async () => {
  const keeps = storage();
  const link = await greeted({ storage: keeps });
  const renamed = link.rename('Bob');
  await settled();
  FakeSocket.last.lose(1000);
  mock.timers.tick(0);
  await FakeSocket.last.refuseHello('name-taken');
  await assert.rejects(renamed, (fault) => fault.code === 'name-taken');
  FakeSocket.last.lose(1000);
  mock.timers.tick(1000);
  await FakeSocket.last.welcome();
  assert.equal(FakeSocket.last.said[0].name, undefined);
  assert.equal(FakeSocket.last.said[0].token, 'secret');
});
