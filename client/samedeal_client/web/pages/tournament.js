/** A tournament: how it stands, one's own match, the races that are on, standings, bracket or rounds, and the log. */

import { fill, h } from '../dom.js';
import { Bringer } from '../cups/bring.js';
import { Cup } from '../cups/cup.js';
import { tick } from '../cups/draw.js';
import { copyBots, drawBots } from '../cups/draw_bots.js';
import { drawBracket } from '../cups/draw_bracket.js';
import { check, drawAll, drawFairness, drawRulings, logName } from '../cups/draw_log.js';
import { drawMatch } from '../cups/draw_match.js';
import { drawNow, drawOwn } from '../cups/draw_now.js';
import { drawCross, drawHeats, drawRounds } from '../cups/draw_rounds.js';
import { drawStandings } from '../cups/draw_standings.js';
import { isOver, matchOf, picks, playersOf, wanted } from '../cups/ledger.js';
import { read } from '../cups/logbook.js';
import { morph } from '../cups/morph.js';
import { RaceCards } from '../cups/races.js';
import { Soon } from '../cups/soon.js';
import { newer } from '../cups/news.js';
import { aloud, formatText, phaseText, playerState, termsLines } from '../cups/words.js';
import { nameOf } from '../cups/draw.js';
import { Refusal } from '../net/link.js';
import { catalogue } from '../parts/catalogue.js';
import { Fault } from '../parts/said.js';
import { copied, saved } from '../parts/share.js';
import { counted } from '../words.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('../router.js').Context} Context */

/** What a click may do that is one act without more, with what is said when it is done. */
const ACTS = /** @type {Record<string, string>} */ ({
  'check-in': 'You are checked in.', withdraw: 'You have left.', 'sit-out': 'You sit out.', 'come-back': 'You are back.',
});
/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const games = await catalogue();
  const cup = await Cup.opened(context.link, context.params[0] ?? '');
  const page = new TournamentPage(context, cup, (key) => games.title(key));
  return { title: cup.sheet.terms.name, node: page.node, close: () => page.close() };
}

class TournamentPage {
  /** @type {Message | null} */
  #table = null;
  /** @type {string[]} */
  #log = [];
  /** @type {string[]} */
  #news = [];
  /** Players whose arithmetic is shown. @type {Set<number>} */
  #opened = new Set();
  /** The match that is looked at. @type {string | null} */
  #match = null;
  #tableOf = 0;

  /**
   * @param {Context} context
   * @param {Cup} cup
   * @param {(key: string) => string} gameName
   */
  constructor(context, cup, gameName) {
    this.context = context;
    this.cup = cup;
    this.gameName = gameName;
    this.fault = new Fault();
    this.draws = new Soon(() => this.#draw());
    this.asks = new Soon(() => this.#ask(), 1000);
    this.cards = new RaceCards(context.link, gameName, () => this.draws.go());
    this.bringer = new Bringer(context, cup, (fault) => this.fault.show(fault));
    this.top = h('div', {});
    this.rest = h('div', { class: 'cup-body' });
    this.dialog = h('dialog', { class: 'sheet', 'aria-labelledby': 'match-head' }, h('div', {}), h('form', { method: 'dialog', class: 'row' }, h('button', {}, 'Close')));
    this.dialog.addEventListener('close', () => { this.#match = null; });
    this.node = h('div', { class: 'wide cup' }, this.top, this.fault.node, this.cards.node, this.rest, this.dialog, this.bringer.node);
    this.node.addEventListener('click', (event) => this.#clicked(event));
    this.node.addEventListener('submit', (event) => this.#submitted(event));
    this.rest.addEventListener('toggle', (event) => this.#toggled(event), true);
    cup.addEventListener('change', (event) => this.#changed(/** @type {CustomEvent} */ (event).detail));
    this.timer = setInterval(() => this.#tick(), 500);
    this.#draw();
    this.asks.go();
    this.bringer.look();
  }

  close() {
    clearInterval(this.timer);
    this.draws.close();
    this.asks.close();
    this.bringer.close();
    this.cards.close();
    this.cup.close();
  }

  /** @param {Message | null} changed */
  #changed(changed) {
    const { sheet } = this.cup;
    if (changed) {
      this.#news = newer(this.#news, changed);
      this.#say(changed);
    }
    this.draws.go();
    if (sheet.seq !== this.#tableOf) this.asks.go();
    this.bringer.look();
    if (!this.bringer.node.hidden) this.dialog.close(); // nothing may lie over its buttons
  }

  /** @param {Message} changed */
  #say(changed) {
    const { head } = this.cup.sheet;
    if ((changed.text ?? []).some((/** @type {string} */ line) => line.startsWith('paired: ')) && this.cup.sheet.terms.format.format !== 'ladder') {
      this.context.say(`Round ${head.round} begins.`);
    }
    if (isOver(this.cup.sheet)) this.context.say(`It is over. ${head.reason ?? ''}`);
  }

  async #ask() {
    const { seq } = this.cup.sheet;
    try {
      this.#table = await this.cup.standings();
      this.#tableOf = seq;
      if (this.#isLogOpen()) await this.#readLog();
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
    }
    this.draws.go();
  }

  #isLogOpen() {
    return this.rest.querySelector('details.log-box[open]') !== null;
  }

  async #readLog() {
    this.#log.push(...await this.cup.log(this.#log.length));
  }

  // --- drawing ---

  #draw() {
    const { sheet } = this.cup;
    shown(this.top, h('div', {}, drawTop(sheet, this.#table, this.gameName)));
    this.cards.draw(sheet);
    shown(this.rest, h('div', { class: 'cup-body' }, this.#main(sheet), this.#side(sheet)));
    const match = this.#match === null ? null : matchOf(sheet, this.#match);
    if (match) shown(/** @type {Element} */ (this.dialog.firstElementChild), h('div', {}, drawMatch(sheet, match, this.gameName)));
    else if (this.dialog.open) this.dialog.close();
    this.#tick();
  }

  /** @param {Message} sheet */
  #main(sheet) {
    const { format } = sheet.terms.format;
    if (!(sheet.matches ?? []).length) return h('div', { class: 'cup-main', 'data-key': 'main' }, playersSection(sheet), this.#record(sheet));
    const standings = section('standings', 'Standings', drawStandings(sheet, this.#table, this.#opened), downloads(sheet));
    const rounds = section('rounds', format === 'ladder' ? 'Matches' : 'Rounds', drawRounds(sheet));
    const isElimination = format.endsWith('elimination');
    if (isElimination) return h('div', { class: 'cup-main', 'data-key': 'main' }, section('bracket', 'Bracket', drawBracket(sheet)), standings, rounds, this.#record(sheet));
    const table = format === 'heats' ? drawHeats(sheet, this.#table) : drawCross(sheet);
    return h('div', { class: 'cup-main', 'data-key': 'main' }, standings, table ? section('table', format === 'heats' ? 'Points by rounds' : 'Cross table', table) : null, rounds, this.#record(sheet));
  }

  /** @param {Message} sheet */
  #side(sheet) {
    return h('div', { class: 'cup-side', 'data-key': 'side' },
      this.#news.length ? section('news', 'News', h('ul', { class: 'news-lines' }, this.#news.map((line) => h('li', {}, line)))) : null,
      (sheet.matches ?? []).length ? playersSection(sheet) : null,
      section('terms', 'Terms', drawTerms(sheet, this.gameName)));
  }

  /** @param {Message} sheet */
  #record(sheet) {
    const entries = read(this.#log, playersOf(sheet));
    return section('log', 'The log', h('details', { class: 'log-box', 'data-key': 'log' }, h('summary', {}, 'Rulings, and everything else'),
      drawRulings(entries), h('details', { 'data-key': 'all' }, h('summary', {}, `Everything (${entries.length})`), drawAll(entries))),
    drawFairness(sheet, this.#table));
  }

  #tick() {
    tick(this.node, this.cup.now());
    this.cards.tick();
  }

  // --- what is done ---

  /** @param {Event} event */
  #clicked(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.target === this.dialog) this.dialog.close();
    const thing = /** @type {HTMLElement | null} */ (target.closest('[data-do]'));
    if (thing === null || (target.closest('a') && thing.tagName === 'TR') || thing.tagName === 'FORM') return;
    const { do: what = '', of = '', game } = thing.dataset;
    if (what === 'why') this.#why(Number(of));
    else if (what === 'match') this.#look(of);
    else if (what === 'print') window.print();
    else if (what === 'save-log') this.#save();
    else if (what === 'copy-check') this.#copy(thing);
    else if (what === 'copy-bots') copyBots(thing, this.cup.sheet, this.context.say);
    else if (what === 'race') this.bringer.go(of);
    else if (what === 'pick') this.#act({ act: 'pick-game', match: of, game }, 'Picked.');
    else if (what === 'withdraw' && this.cup.sheet.head.phase === 'running') this.#leave();
    else if (what in ACTS) this.#act({ act: what }, ACTS[what] ?? '');
  }

  /** The lines as the server wrote them, to the byte. */
  async #save() {
    this.fault.clear();
    try {
      const lines = await this.cup.log();
      saved(lines.map((line) => `${line}\n`).join(''), logName(this.cup.sheet));
    } catch (fault) {
      this.fault.show(fault);
    }
  }

  /** @param {HTMLElement} button */
  async #copy(button) {
    const command = this.#table && check(this.cup.sheet, this.#table);
    if (!command || !await copied(command)) return;
    fill(button, 'Copied');
    this.context.say('Command copied');
    setTimeout(() => fill(button, 'Copy the command'), 2000);
  }

  async #leave() {
    const { asked } = await import('../parts/playing.js'); // what the next race needs as well
    if (await asked('Leave this tournament? Your open matches go to your opponents.', 'Leave')) this.#act({ act: 'withdraw' }, ACTS.withdraw ?? '');
  }

  /** @param {Event} event */
  #submitted(event) {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (form.dataset.do !== 'register') return;
    event.preventDefault();
    const phrase = new FormData(form).get('phrase');
    this.#act({ act: 'register', ...(phrase ? { phrase: String(phrase) } : {}) }, 'You are registered.');
  }

  /** @param {Event} event */
  async #toggled(event) {
    const box = /** @type {HTMLDetailsElement} */ (event.target);
    if (!box.open || !box.matches('.log-box')) return;
    await this.#ask();
  }

  /** @param {number} player */
  #why(player) {
    if (!this.#opened.delete(player)) this.#opened.add(player);
    this.#draw();
  }

  /** @param {string} id */
  #look(id) {
    this.#match = id;
    this.#draw();
    if (!this.dialog.open) this.dialog.showModal();
  }

  /**
   * @param {Message} act
   * @param {string} done
   */
  async #act(act, done) {
    this.fault.clear();
    try {
      await this.cup.act(act);
      this.context.say(done);
    } catch (fault) {
      this.fault.show(fault);
    }
    this.draws.go();
  }
}

/**
 * @param {Element} place
 * @param {Element} drawn  what is to stand there, with the place itself as its outermost element
 */
function shown(place, drawn) {
  if (place.childElementCount) morph(place, drawn);
  else fill(place, ...drawn.childNodes);
}

/**
 * What wants the viewer stands above everything: the clock of a call runs.
 *
 * @param {Message} sheet
 * @param {Message | null} table
 * @param {(key: string) => string} gameName
 */
function drawTop(sheet, table, gameName) {
  const own = drawOwn(sheet, gameName);
  const isUrgent = wanted(sheet).length > 0 || picks(sheet).length > 0;
  return [isUrgent ? own : null, drawHead(sheet, gameName), drawNow(sheet, table), isUrgent ? null : own];
}

/**
 * @param {string} id
 * @param {string} title
 * @param {...import('../dom.js').Child} children
 */
function section(id, title, ...children) {
  return h('section', { class: `cup-${id}`, 'aria-labelledby': id, 'data-key': id }, h('h2', { id, tabindex: '-1' }, title), children);
}

/**
 * @param {Message} sheet
 * @param {(key: string) => string} gameName
 */
function drawHead(sheet, gameName) {
  const { terms, head } = sheet;
  const games = [terms.race.game, ...(terms.games ?? [])];
  const staff = sheet.staff ?? [];
  const host = staff.find((/** @type {Message} */ each) => each.role === 'host');
  return h('header', { class: 'cup-head', 'data-key': 'head' },
    h('h1', {}, terms.name),
    h('ul', { class: 'chips', 'aria-label': 'In short' },
      h('li', { class: 'chip phase' }, phaseText(head)),
      h('li', { class: 'chip' }, formatText(terms.format)),
      h('li', { class: 'chip' }, games.length > 3 ? counted(games.length, 'game') : games.map(gameName).join(', ')),
      terms.repeat ? h('li', { class: 'chip' }, aloud(terms.repeat)) : null,
      host ? h('li', { class: 'chip' }, 'host ', h('a', { href: `/players/${encodeURIComponent(host.name)}` }, host.name)) : null,
      sheet.follows ? h('li', { class: 'chip' }, h('a', { href: `/t/${sheet.follows}` }, 'the one before')) : null,
      sheet.next ? h('li', { class: 'chip' }, h('a', { href: `/t/${sheet.next}` }, 'the next one')) : null),
    terms.about ? h('p', { class: 'about' }, terms.about) : null);
}

/** @param {Message} sheet */
function playersSection(sheet) {
  return section('players', `Players (${(sheet.players ?? []).length})`, drawPlayers(sheet));
}

/** @param {Message} sheet */
function drawPlayers(sheet) {
  const all = [...(sheet.players ?? [])].sort((one, other) => (one.seed ?? 1e6) - (other.seed ?? 1e6) || one.player - other.player);
  if (!all.length) return h('div', {}, h('p', { class: 'nothing' }, isOver(sheet) ? 'Nobody registered.' : 'Nobody has registered yet.'), drawBots(sheet));
  const players = playersOf(sheet);
  const isSeeded = all.some((each) => each.seed);
  return h('ol', { class: 'players' }, all.map((each) => h('li', { 'data-key': each.player, class: each.player === sheet.you ? 'own' : '' },
    isSeeded ? h('span', { class: 'seed quiet' }, each.seed ?? '–') : null, nameOf(players, each.player, sheet.you ?? null),
    playerState(each) ? h('span', { class: 'quiet' }, playerState(each)) : null)));
}

/**
 * @param {Message} sheet
 * @param {(key: string) => string} gameName
 */
function drawTerms(sheet, gameName) {
  const staff = (sheet.staff ?? []).filter((/** @type {Message} */ each) => each.role !== 'host');
  const lines = termsLines(sheet.terms, gameName);
  if (staff.length) lines.push(['Staff', staff.map((/** @type {Message} */ each) => `${each.name} (${each.role})`).join(', ')]);
  return h('dl', { class: 'terms' }, lines.flatMap(([what, said]) => [h('dt', {}, what), h('dd', {}, said)]));
}

/** @param {Message} sheet */
function downloads(sheet) {
  const of = `/api/v1/tournaments/${sheet.tournament}`;
  const link = (/** @type {string} */ path, /** @type {string} */ words) => h('a', { href: `${of}${path}`, download: `${sheet.tournament}${path.replace('/', '-') || '.json'}`, 'data-key': words }, words);
  return h('p', { class: 'downloads no-print' }, 'Take it with you: ', link('/standings.csv', 'standings (CSV)'), link('/matches.csv', 'matches (CSV)'), link('', 'everything (JSON)'),
    isOver(sheet) ? h('button', { type: 'button', class: 'plain', 'data-do': 'save-log', 'data-key': 'save-log' }, 'log (JSON lines)') : null,
    h('button', { type: 'button', class: 'plain', 'data-do': 'print', 'data-key': 'print' }, 'Print'));
}
