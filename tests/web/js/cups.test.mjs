/** The pure parts of the tournament pages: what is known, drawn, asked for and done. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { bracket } from '../../../client/samedeal_client/web/cups/bracket.js';
import { deedOf, offered } from '../../../client/samedeal_client/web/cups/deeds.js';
import { evolve, extension, picks, roundToStart, wanted } from '../../../client/samedeal_client/web/cups/ledger.js';
import { sortedCards } from '../../../client/samedeal_client/web/cups/lists.js';
import { read } from '../../../client/samedeal_client/web/cups/logbook.js';
import { onward } from '../../../client/samedeal_client/web/cups/onward.js';
import { begun, durationOf, fieldOf, PRESETS, secondsOf, termsOf } from '../../../client/samedeal_client/web/cups/plan.js';
import { crossTable, heatTable, played, rounds } from '../../../client/samedeal_client/web/cups/tables.js';
import { decided, matchState, playerState, stateLine, termsLines, youLines } from '../../../client/samedeal_client/web/cups/words.js';

const NAMES = ['Ada', 'Bo', 'Cy', 'Dee', 'Eve'];
const people = (count, state = 'playing') => NAMES.slice(0, count).map((name, at) => ({ player: at + 1, name, state, seed: at + 1 }));
const match = (id, players, more = {}) => ({ match: id, round: 1, label: 'round 1', players, ...more });
const won = (id, players, winner, score = '1–0') => match(id, players, { ending: 'played', winner, score });
const sheetOf = (more = {}) => ({
  tournament: 'cup-1', seq: 10, at: 1000, terms: { name: 'Cup', format: { format: 'single-elimination' }, race: { game: 'opus' } },
  head: { phase: 'running', round: 1 }, staff: [{ name: 'Hal', role: 'host' }], players: people(4), matches: [], ...more,
});
const changedTo = (more = {}) => ({ after: 10, seq: 11, at: 2000, head: { phase: 'running', round: 1 }, ...more });

describe('what is known', () => {
  test('what is told stands in the place of what was, and what is gone is gone', () => {
    const before = sheetOf({ matches: [match('W1.1', [1, 4]), match('W1.2', [2, 3]), match('F', [1, 2])] });
    const { sheet, isStale } = evolve(before, changedTo({
      players: [{ player: 2, name: 'Bo', state: 'withdrawn' }], matches: [won('W1.2', [2, 3], 3)], gone: ['F'],
    }), 'Zoe');
    assert.equal(isStale, false);
    assert.deepEqual(sheet.matches.map((each) => [each.match, each.winner]), [['W1.1', undefined], ['W1.2', 3]]);
    assert.equal(sheet.players[1].state, 'withdrawn');
    assert.equal(sheet.seq, 11);
  });

  test('a match that is paired anew is the last', () => {
    const before = sheetOf({ matches: [match('F', [1, 2]), match('T', [3, 4])] });
    const { sheet } = evolve(before, changedTo({ matches: [match('F', [1, 3])], gone: ['F'] }), 'Zoe');
    assert.deepEqual(sheet.matches.map((each) => each.match), ['T', 'F']);
  });

  test('what came before changes nothing, and a gap asks for the whole', () => {
    const before = sheetOf();
    assert.equal(evolve(before, changedTo({ after: 8, seq: 10 }), 'Zoe').sheet, before);
    assert.deepEqual(evolve(before, changedTo({ after: 12, seq: 13 }), 'Zoe'), { sheet: before, isStale: true });
  });

  test('who registers, gets a role or sees the end needs the whole', () => {
    const registered = changedTo({ players: [{ player: 5, name: 'Zoe', state: 'registered' }] });
    assert.equal(evolve(sheetOf(), registered, 'Zoe').isStale, true);
    assert.equal(evolve(sheetOf({ you: 5 }), registered, 'Zoe').isStale, false);
    assert.equal(evolve(sheetOf(), changedTo({ staff: [{ name: 'Zoe', role: 'referee' }] }), 'Zoe').isStale, true);
    assert.equal(evolve(sheetOf(), changedTo({ head: { phase: 'over' } }), 'Zoe').isStale, true);
  });

  test('races that are called or run want their players, and matches that ended do not', () => {
    const race = (number, state) => ({ number, race: `r${number}`, game: 'opus', state });
    const matches = [
      match('A', [1, 2], { races: [race(1, 'over'), race(2, 'called')] }), match('B', [3, 4], { races: [race(3, 'running')] }),
      match('C', [1, 3], { races: [race(4, 'running')], ending: 'walkover' })];
    assert.deepEqual(wanted(sheetOf({ you: 1, matches })).map((each) => each.race.race), ['r2']);
    assert.deepEqual(wanted(sheetOf({ matches })), []);
    assert.deepEqual(picks(sheetOf({ you: 2, matches: [match('D', [1, 2], { pick: { player: 2, until: 5 } })] })).map((each) => each.match), ['D']);
  });

  test('more time names the instant that is put off: of a check-in ahead, that of the start', () => {
    const ahead = sheetOf({ terms: { check_in: 600 }, head: { phase: 'announced', next: 'check-in', next_at: 5000 } });
    assert.deepEqual(extension(ahead, 60, null), { act: 'extend', seconds: 60, shown: 605_000 });
    const called = sheetOf({ matches: [match('A', [1, 2], { races: [{ number: 1, state: 'called', ready_by: 7000 }] })] });
    assert.deepEqual(extension(called, 60, 'A'), { act: 'extend', seconds: 60, match: 'A', shown: 7000 });
    assert.deepEqual(roundToStart(sheetOf({ head: { phase: 'running', round: 2 } })), { act: 'start-round', round: 3 });
  });
});

describe('the bracket', () => {
  const shapes = (parts) => parts.map(({ title, columns }) => [title, columns.map(({ head, leads, cells }) => `${head} ${leads} ${cells.map((cell) => cell.id)}`)]);
  const names = (parts, id) => parts.flatMap((part) => part.columns).flatMap((column) => column.cells).find((cell) => cell.id === id).slots.map((slot) => slot.name);

  test('of five has three byes, and winners stand in the next match before it is paired', () => {
    const bye = (id, player) => match(id, [player], { ending: 'bye', winner: player });
    const parts = bracket(sheetOf({ players: people(5), matches: [bye('W1.1', 1), match('W1.2', [4, 5]), bye('W1.3', 2), bye('W1.4', 3)] }));
    assert.deepEqual(shapes(parts), [['', ['quarter-final pairs W1.1,W1.2,W1.3,W1.4', 'semi-final pairs W2.1,W2.2', 'final end F']]]);
    assert.deepEqual(names(parts, 'W1.1'), ['Ada', 'bye']);
    assert.deepEqual(names(parts, 'W2.1'), ['Ada', '']);
    assert.deepEqual(names(parts, 'W2.2'), ['Bo', 'Cy']);
  });

  test('of a double elimination has winners, losers and finals; where two byes lead nobody comes', () => {
    const bye = (id, player) => match(id, [player], { ending: 'bye', winner: player });
    const matches = [bye('W1.1', 1), bye('W1.2', 2), won('W1.3', [3, 4], 3), bye('W1.4', 5)];
    const parts = bracket(sheetOf({ terms: { format: { format: 'double-elimination' } }, players: people(5), matches }));
    assert.deepEqual(shapes(parts), [
      ['Winners', ['round 1 pairs W1.1,W1.2,W1.3,W1.4', 'round 2 pairs W2.1,W2.2', 'round 3 end W3.1']],
      ['Losers', ['round 1 straight L1.1,L1.2', 'round 2 pairs L2.1,L2.2', 'round 3 straight L3.1', 'round 4 end L4.1']],
      ['Finals', ['final end F']]]);
    const [, losers] = parts;
    assert.deepEqual(losers.columns[0].cells.map((cell) => cell.state), ['empty', 'ahead']);
  });

  test('marks who won, with the races, and what is on', () => {
    const running = match('W1.2', [2, 3], { races: [{ number: 1, state: 'running' }] });
    const [part] = bracket(sheetOf({ you: 4, matches: [won('W1.1', [1, 4], 1, '2–1'), running] }));
    const [first, second] = part.columns[0].cells;
    assert.deepEqual(first.slots.map((slot) => [slot.score, slot.isWinner, slot.isYou]), [['2', true, false], ['1', false, true]]);
    assert.deepEqual([first.state, second.state], ['over', 'running']);
  });

  test('a race that is over says how its match goes on', () => {
    const race = (number, state, more = {}) => ({ number, race: `r${number}`, game: 'opus', state, ...more });
    const after = (more, how, sheet = {}) => onward(sheetOf({ you: 1, matches: [match('F', [1, 2], more)], ...sheet }), 'r1', how);
    const drawn = { isDrawn: true };
    const over = [race(1, 'over')];
    assert.equal(after({ races: [race(1, 'running')] }, drawn).words, 'A draw. The tournament takes the result in.');
    assert.deepEqual(after({ races: [...over, race(2, 'called')] }, drawn),
      { words: 'A draw. It goes on, on a fresh deal: race 2 is called.', race: 'r2', isMine: true });
    assert.deepEqual(after({ races: [...over, race(2, 'running')] }, {}, { you: 3 }),
      { words: 'The match goes on: race 2 is on.', race: 'r2', isMine: false });
    assert.equal(after({ races: [race(1, 'void', { reason: 'two at one board' }), race(2, 'called')] }).words,
      'This race does not count: two at one board. It goes on, on a fresh deal: race 2 is called.');
    assert.equal(after({ races: over, pick: { player: 2 } }).words, 'Bo picks the game of the next race.');
    assert.equal(after({ races: over }, drawn, { head: { phase: 'running', halted: 'lunch' } }).words, 'A draw. The tournament is paused: lunch.');
    assert.equal(after({ races: over, ending: 'played', winner: 1, score: '2–1' }).words, 'You have won the match, 2–1.');
    assert.equal(after({ races: over, ending: 'played', winner: 2, score: '0–1' }).words, 'Bo has won the match, 0–1.');
    assert.equal(after({ races: over, ending: 'played', winner: 1, score: '½–½, the better seed number' }, drawn).words,
      'A draw. The match is over: ½–½, Ada wins by the better seed number.');
    assert.equal(after({ races: over, ending: 'played', score: '½–½' }, drawn).words, 'A draw. The match is over: ½–½.');
    assert.equal(onward(sheetOf(), 'r9'), null);
  });

  test('a level match says what decided it, after how many replays', () => {
    const over = [1, 2, 3, 4].map((number) => ({ number, state: 'over' }));
    const players = new Map(people(4).map((each) => [each.player, each]));
    const level = match('F', [1, 2], { ending: 'played', winner: 1, score: '½–½, the better seed number', races: over });
    assert.equal(matchState(level, players), '½–½ after 3 replays, Ada wins by the better seed number');
    assert.equal(decided(level), 'the better seed number');
    const cards = { ...level, score: '1–1, cards home 40–38', races: over.slice(0, 2) };
    assert.equal(matchState(cards, players), '1–1, Ada wins by cards home 40–38');
    assert.equal(decided({ ...level, overridden: 'a slip' }), null, 'a ruling decides by itself');
    assert.equal(decided(won('F', [1, 2], 1, '2–1')), null);
  });

  test('is none before anything is paired', () => assert.deepEqual(bracket(sheetOf()), []));
});

describe('tables', () => {
  const swiss = { format: { format: 'swiss', rounds: 3 }, race: { game: 'opus' } };

  test('a cross table has both sides of each match; walkovers are + and −', () => {
    const matches = [
      won('R1.1', [1, 2], 1), match('R1.2', [3, 4], { ending: 'played', score: '½–½' }),
      match('R2.1', [1, 3], { ending: 'walkover', winner: 3 }), match('R2.2', [2, 4], { ending: 'double forfeit' })];
    assert.deepEqual(crossTable(sheetOf({ terms: swiss, matches })).map((row) => row.cells.map((cell) => cell.text)), [
      ['×', '1', '−', '·'], ['0', '×', '·', '−'], ['+', '·', '×', '½'], ['·', '−', '½', '×']]);
  });

  test('of many meetings the results are counted', () => {
    const matches = [1, 2, 1, 1].map((winner, at) => won(`A${at}`, [1, 2], winner));
    const [first] = crossTable(sheetOf({ terms: { format: { format: 'ladder' } }, players: people(2), matches }));
    assert.equal(first.cells[1].text, '+3 =0 −1');
  });

  test('rounds stand the newest first; a ladder has none', () => {
    const matches = [match('R1.1', [1, 2]), { ...match('R2.1', [1, 3]), round: 2 }];
    assert.deepEqual(rounds(sheetOf({ terms: swiss, matches })).map((each) => each.round), [2, 1]);
    const many = Array.from({ length: 15 }, (_, at) => ({ ...match(`A${at + 1}`, [1, 2]), round: at + 1 }));
    const parts = rounds(sheetOf({ terms: { format: { format: 'ladder' } }, matches: many }));
    assert.deepEqual(parts.map(({ label, matches: each }) => [label, each[0].match, each.length]), [['Newest', 'A15', 12], ['Before', 'A3', 3]]);
  });

  test('what a player has met: rivals, outcome, own races first', () => {
    const met = played(sheetOf({ matches: [won('R1.1', [2, 1], 2, '2–1'), match('R2.1', [1], { ending: 'bye', winner: 1 })] }), 1);
    assert.deepEqual(met.map(({ rivals, words, score }) => [rivals, words, score]), [['Bo', 'lost', '1–2'], ['', 'bye', '']]);
  });

  test('heats show what each round brought', () => {
    const heat = match('H1.1', [1, 2, 3], { ending: 'played', places: [{ player: 2, place: 1, points: '10' }, { player: 1, place: 2, points: '8' }, { player: 3 }] });
    const { rows } = heatTable(sheetOf({ players: people(3), matches: [heat] }), null);
    assert.deepEqual(rows.map((row) => [row.name, row.cells[0].text, row.cells[0].words]), [['Ada', '8', 'place 2'], ['Bo', '10', 'place 1'], ['Cy', '0', 'no place']]);
    assert.equal(matchState(heat, new Map(people(3).map((each) => [each.player, each]))), 'Bo 10, Ada 8, Cy 0');
  });
});

describe('sentences', () => {
  const line = (head, more = {}) => stateLine(sheetOf({ head, ...more }));

  test('one line says how it stands, with the clock where something comes by itself', () => {
    assert.deepEqual(line({ phase: 'check-in', next: 'start', next_at: 9 }, { players: people(3, 'checked-in') }),
      { before: 'Check-in is open:', until: 9, after: ' left. 3 of 3 players are here.' });
    assert.deepEqual(line({ phase: 'announced', waits: 'the host starts it' }), { before: 'The host starts it. 4 players so far.', until: null, after: '' });
    assert.equal(line({ phase: 'running', round: 2, rounds: 5, waits: '2 matches to be played' }).before, 'Round 2 of 5: 2 matches to be played.');
    assert.equal(line({ phase: 'running', round: 1, halted: 'fire alarm' }).before, 'Paused: fire alarm.');
    assert.equal(line({ phase: 'over', champion: 2 }).before, '★ Bo has won.');
    assert.equal(line({ phase: 'called-off', reason: 'no hall' }).before, 'Called off: no hall.');
    assert.deepEqual(line({ phase: 'running', next: 'bell', next_at: 7, waits: '' }), { before: 'The bell rings in', until: 7, after: '.' });
  });

  test('a tournament without a champion is won by who stands first', () => {
    const table = { lines: [{ place: 1, player: 3 }, { place: 1, player: 1 }, { place: 3, player: 2 }] };
    assert.equal(stateLine(sheetOf({ head: { phase: 'over' } }), table).before, '★ Cy and Ada have won.');
  });

  test('when it is over a player is told their place, and nobody is anything any longer', () => {
    const table = { lines: [{ place: 1, player: 1 }, { place: 3, player: 3 }] };
    const over = sheetOf({ you: 3, role: 'host', head: { phase: 'over' } });
    assert.deepEqual(youLines(over, table), ['You were the host.', 'You came 3rd.']);
    assert.deepEqual(youLines(sheetOf({ you: 3, head: { phase: 'running' } }), table), ['You play, with seed number 3.']);
    assert.deepEqual(youLines(sheetOf({ you: 3, head: { phase: 'called-off' } }), table), []);
  });

  test('the terms say how often a drawn race is played again, and what a level match goes by', () => {
    const said = (format) => new Map(termsLines({ format, race: { game: 'opus' } }, (key) => key)).get('Drawn races');
    assert.match(said({ format: 'single-elimination' }), /up to 3 times in a match.*better seed number$/);
    assert.match(said({ format: 'swiss', length: { best_of: 1, replays: 1 } }), /up to 1 time in a match; then a draw counts half for each$/);
    assert.match(said({ format: 'swiss', length: { best_of: 1, replays: 0 } }), /^not played again/);
    assert.equal(said({ format: 'heats' }), undefined);
  });

  test('a player is told where they stand on the waiting list', () => {
    const players = [...people(2), { player: 3, name: 'Cy', state: 'waiting' }, { player: 4, name: 'Dee', state: 'waiting' }];
    assert.deepEqual(youLines(sheetOf({ you: 4, players })), ['You are on the waiting list, at place 2.']);
    assert.equal(playerState(players[3]), 'on the waiting list');
  });
});

describe('the plan', () => {
  const values = (key, more = {}) => ({ ...begun({ name: '', zone: 'Europe/Berlin', game: 'opus' }, PRESETS.find((each) => each.key === key)), ...more });

  test('durations are read as people write them, and written as short as can be', () => {
    for (const [text, seconds] of [['90', 90], ['90s', 90], ['5m', 300], ['1h 30m', 5400], ['1d', 86_400], ['5 min', 300]]) assert.equal(secondsOf(text), seconds, text);
    for (const text of ['', 'soon', '5x', '1h or so', '-5s', '1.5h']) assert.equal(secondsOf(text), null, text);
    for (const seconds of [1, 90, 300, 5400, 86_400]) assert.equal(secondsOf(durationOf(seconds)), seconds);
  });

  test('terms hold what is not as usual, and nothing that is not asked for', () => {
    const { terms, faults } = termsOf(values('swiss', { bell: '1h', third_place: true }));
    assert.equal(faults.size, 0);
    assert.deepEqual(terms, {
      name: 'Evening Swiss', format: { format: 'swiss', rounds: 5 }, race: { game: 'opus', limit: 1200 }, no_show: 180, late_until: 2,
    });
  });

  test('several games are the first and the others', () => {
    const { terms } = termsOf(values('cup', { choosing: 'pick', games: ['tuxedo', 'opus'] }));
    assert.deepEqual([terms.race.game, terms.games, terms.choice], ['tuxedo', ['opus'], 'pick']);
    assert.match(termsOf(values('cup', { choosing: 'rotate', games: ['opus'] })).faults.get('games') ?? '', /two games/);
  });

  test('a longer final replays its draws like the others', () => {
    const { terms } = termsOf(values('cup', { replays: '0' }));
    assert.deepEqual(terms.format.lengths, { final: { best_of: 3, replays: 0 } });
  });

  test('a drawn bracket has byes where lines are empty', () => {
    assert.deepEqual(termsOf(values('cup', { bracket: 'Ada\n\nBo\nCy\n' })).terms.format.bracket, ['Ada', null, 'Bo', 'Cy']);
  });

  test('what is no number, no duration or out of bounds is said at its field', () => {
    const { faults } = termsOf(values('swiss', { rounds: '0', cap: '600', limit: 'long', name: ' ' }));
    assert.deepEqual([...faults].sort(), [['cap', 'At most 512.'], ['limit', '“long” is no duration: write 90s, 5m, 2h or 1d.'], ['name', 'This is needed.'], ['rounds', 'At least 1.']]);
  });

  test('the server’s sentence finds its field', () => {
    const swiss = values('swiss', { starting: 'at', repeats: true });
    for (const [said, name] of [
      ['`least` 9 is above `cap` 8', 'least'], ['there are only 5 rounds: `late_until` is too late', 'late_until'], ['`starts` must lie ahead', 'starts'],
      ['a race of a tournament needs a time limit: give `race.limit` in seconds', 'limit'], ['in `repeat`: `until` 2026 is before `since` 2027', 'until'],
      ['expected at least 1 - at `$.terms.format.rounds`', 'rounds'], ['in `repeat`: there is no time zone Europe/Nowhere', 'zone'], ['a tie-break is named twice', 'tie_breaks']]) {
      assert.equal(fieldOf(said, swiss), name, said);
    }
    assert.equal(fieldOf('the server is tired', swiss), null);
  });
});

describe('deeds', () => {
  const words = (sheet, about, subject) => offered(sheet, about, subject).map((deed) => deed.word);

  test('are offered to whom they are, and when they can be done', () => {
    const hall = sheetOf({ role: 'host', head: { phase: 'announced' } });
    assert.deepEqual(words(hall, 'all'), ['start', 'halt', 'appoint', 'hook', 'call-off']);
    assert.deepEqual(words({ ...hall, role: 'referee' }, 'all'), ['halt']);
    assert.deepEqual(words({ ...hall, role: undefined }, 'all'), []);
    assert.deepEqual(words(sheetOf({ role: 'co-host', head: { phase: 'running', halted: 'fire' } }), 'all'), ['continue']);
    assert.deepEqual(words(sheetOf({ role: 'host', head: { phase: 'over' } }), 'all'), []);
    assert.deepEqual(words(sheetOf({ role: 'host' }), 'player', { player: 1, state: 'withdrawn' }), ['disqualify', 'reinstate']);
  });

  test('an override says how it ended in the protocol’s words', () => {
    const sheet = sheetOf({ role: 'host', matches: [match('F', [1, 2])] });
    const { deed, subject, name } = deedOf(sheet, 'override', 'F');
    assert.equal(name, 'F, Ada – Bo');
    const made = (result) => deed.makes({ result, reason: 'so' }, sheet, subject);
    assert.deepEqual(made('walkover 2'), { act: 'override', match: 'F', reason: 'so', ending: 'walkover', winner: 2 });
    assert.deepEqual(made('none'), { act: 'override', match: 'F', reason: 'so', ending: 'double forfeit' });
    const results = deed.asks(sheet, subject)[0].options.map(([key]) => key);
    assert.equal(results.includes('draw'), false, 'in an elimination somebody must win');
  });

  test('seed numbers by hand go by name or number, and nobody unknown', () => {
    const sheet = sheetOf({ role: 'host', head: { phase: 'announced' } });
    const { deed } = deedOf(sheet, 'start', null);
    assert.deepEqual(deed.makes({ order: 'bo, #4' }, sheet, null), { act: 'start-tournament', order: [2, 4] });
    assert.throws(() => deed.makes({ order: 'Zoe' }, sheet, null), /no player/);
  });
});

test('the log names people, and says which lines are rulings', () => {
  const lines = [
    { event: 'announced', at: 1, by: 'p1', host: 'p1', host_name: 'Hal' },
    { event: 'overridden', at: 2, by: 'p1', match: 'F', result: { ending: 'played', winner: 2 }, reason: 'both agree' },
    { event: 'continued', at: 3, later_ms: 5 }].map((each) => JSON.stringify(each));
  const [, ruling, other] = read(lines, new Map(people(2).map((each) => [each.player, each])));
  assert.deepEqual([ruling.by, ruling.why, ruling.isRuling], ['Hal', 'both agree', true]);
  assert.match(ruling.text, /match F, result .*Bo/);
  assert.equal(other.isRuling, false, 'nobody did it by hand');
});

test('a visitor’s own tournaments stand first, and none stands twice', () => {
  const card = (tournament, phase, starts) => ({ tournament, head: { phase }, starts });
  const groups = sortedCards([card('a', 'announced', 9), card('b', 'announced', 5), card('c', 'running')], [card('d', 'over')], [card('c', 'running'), card('e', 'over')]);
  assert.deepEqual(groups.map(({ title, cards }) => [title, cards.map((each) => each.tournament)]), [
    ['Yours', ['c']], ['Open for registration', ['b', 'a']], ['Over', ['d', 'e']]]);
});
