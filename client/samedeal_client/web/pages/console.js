/** The host's console: what can be done now, to the whole, to each match and to each player. */

import { h } from '../dom.js';
import { Bringer } from '../cups/bring.js';
import { Cup } from '../cups/cup.js';
import { deedOf, offered } from '../cups/deeds.js';
import { copyBots, drawBots } from '../cups/draw_bots.js';
import { DeedDialog } from '../cups/dialog.js';
import { countdown, nameOf, stateChip, tick } from '../cups/draw.js';
import { drawOwn, mayRegister } from '../cups/draw_now.js';
import { playersOf, wanted } from '../cups/ledger.js';
import { newer } from '../cups/news.js';
import { morph } from '../cups/morph.js';
import { Soon } from '../cups/soon.js';
import { called, matchState, playerState, stateLine, versus } from '../cups/words.js';
import { catalogue } from '../parts/catalogue.js';
import { Fault } from '../parts/said.js';
import { share } from '../parts/share.js';

/** @typedef {import('../net/link.js').Message} Message */
/** @typedef {import('../router.js').Context} Context */
/** @typedef {import('../cups/deeds.js').Deed} Deed */

/** How long it is told that a deed is done. */
const TOLD_MS = 6000;
/** The step that comes next, of those that are offered, stands out. */
const NEXT = ['continue', 'round', 'start', 'open'];

/**
 * @param {Context} context
 * @returns {Promise<import('../router.js').Page>}
 */
export async function open(context) {
  const games = await catalogue();
  const cup = await Cup.opened(context.link, context.params[0] ?? '');
  const page = new ConsolePage(context, cup, (key) => games.title(key));
  return { title: `Host: ${cup.sheet.terms.name}`, node: page.node, close: () => page.close() };
}

class ConsolePage {
  /** @type {number | undefined} */
  hiding;
  /** @type {string[]} */
  #news = [];

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
    // Staff who play are told, and not brought away from what they rule on.
    this.bringer = new Bringer(context, cup, (fault) => this.fault.show(fault));
    this.draws = new Soon(() => this.#draw());
    this.top = h('div', {});
    this.board = h('div', {});
    this.share = h('div', {}, share(`/t/${cup.code}`, cup.code, context.say));
    this.told = h('div', { class: 'told', hidden: true });
    this.dialog = new DeedDialog(cup, (deed, result) => this.#done(deed, result));
    this.node = h('div', { class: 'wide cup console' }, this.top, this.told, this.fault.node, this.share, this.board, this.dialog.node);
    this.node.addEventListener('click', (event) => this.#clicked(event));
    cup.addEventListener('change', (event) => {
      this.#news = newer(this.#news, /** @type {CustomEvent} */ (event).detail ?? {});
      this.draws.go();
    });
    this.timer = setInterval(() => tick(this.node, cup.now()), 500);
    this.#draw();
  }

  close() {
    clearInterval(this.timer);
    clearTimeout(this.hiding);
    this.draws.close();
    this.cup.close();
  }

  #draw() {
    const { sheet } = this.cup;
    morph(this.top, h('div', {}, sheet.role ? drawTop(sheet, this.gameName) : drawClosed(sheet)));
    morph(this.board, h('div', {}, sheet.role ? drawBoard(sheet, this.#news) : null));
    this.share.hidden = !sheet.role || !mayRegister(sheet);
    tick(this.node, this.cup.now());
  }

  /** @param {Event} event */
  #clicked(event) {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest('[data-do]'));
    if (button?.dataset.do === 'race') this.bringer.go(button.dataset.of ?? null);
    if (button?.dataset.do === 'copy-bots') copyBots(button, this.cup.sheet, this.context.say);
    if (button?.dataset.do !== 'deed') return;
    const found = deedOf(this.cup.sheet, button.dataset.word ?? '', button.dataset.of ?? null);
    if (found !== null) this.dialog.open(found.deed, found.subject, found.name);
  }

  /**
   * @param {Deed} deed
   * @param {Message | null} result
   */
  #done(deed, result) {
    this.context.say(deed.done);
    const secret = result?.secret ? [h('p', {}, 'What is posted is signed with this secret, which is not shown again:'), h('p', { class: 'code secret' }, result.secret)] : [];
    const close = secret.length ? [h('button', { type: 'button', onclick: () => { this.told.hidden = true; } }, 'Close')] : [];
    this.told.replaceChildren(h('p', {}, `✓ ${deed.done}`), ...secret, ...close);
    this.told.hidden = false;
    clearTimeout(this.hiding);
    if (!secret.length) this.hiding = window.setTimeout(() => { this.told.hidden = true; }, TOLD_MS);
    this.draws.go();
  }
}

/** @param {Message} sheet */
function drawClosed(sheet) {
  const host = (sheet.staff ?? []).find((/** @type {Message} */ each) => each.role === 'host')?.name ?? 'its host';
  return h('div', {}, h('h1', {}, sheet.terms.name), h('p', {}, `Only its host, co-hosts and referees may come in here: ask ${host}.`),
    h('p', {}, h('a', { class: 'button', href: `/t/${sheet.tournament}` }, 'To the tournament')));
}

/**
 * @param {Message} sheet
 * @param {(key: string) => string} gameName
 */
function drawTop(sheet, gameName) {
  const { before, until, after } = stateLine(sheet);
  return h('div', {},
    h('div', { class: 'spread', 'data-key': 'head' }, h('h1', {}, sheet.terms.name), h('a', { class: 'button', href: `/t/${sheet.tournament}` }, 'The tournament’s page')),
    h('div', { class: 'now sheet', 'data-key': 'now' },
      h('p', { class: 'state-line' }, before, until === null ? null : [' ', countdown(until)], after),
      h('div', { class: 'row deeds' }, buttons(offered(sheet, 'all'), null))),
    wanted(sheet).length ? drawOwn(sheet, gameName) : null);
}

/**
 * @param {Message} sheet
 * @param {string[]} news
 */
function drawBoard(sheet, news) {
  return h('div', { class: 'cup-body' },
    h('div', { class: 'cup-main' }, drawMatches(sheet), drawPlayers(sheet)),
    h('div', { class: 'cup-side' }, drawNews(news), drawStaff(sheet)));
}

/**
 * @param {Deed[]} deeds
 * @param {string | number | null} of
 * @param {string} [name]  what it is done to, for who cannot see where the button stands
 */
function buttons(deeds, of, name = '') {
  const next = NEXT.find((word) => deeds.some((deed) => deed.word === word));
  return deeds.map((deed) => h('button', {
    type: 'button', 'data-key': deed.word, 'data-do': 'deed', 'data-word': deed.word, 'data-of': of, class: deed.word === next ? 'primary' : deed.isGrave ? 'danger' : '',
    'aria-label': name ? `${deed.title}: ${name}` : null,
  }, deed.title));
}

/** @param {Message} sheet */
function drawMatches(sheet) {
  const players = playersOf(sheet);
  const all = [...(sheet.matches ?? [])].filter((match) => match.players.length > 1)
    .sort((one, other) => Number(Boolean(one.ending)) - Number(Boolean(other.ending)) || other.round - one.round);
  if (!all.length) return h('section', { 'data-key': 'matches' }, h('h2', {}, 'Matches'), h('p', { class: 'nothing' }, 'Nothing is paired yet.'));
  return h('section', { 'data-key': 'matches' }, h('h2', { id: 'matches' }, 'Matches'),
    h('ul', { class: 'ruled', 'aria-labelledby': 'matches' }, all.map((match) => h('li', { 'data-key': match.match, class: match.ending ? 'over' : 'open' },
      h('p', {}, h('span', { class: 'id quiet' }, `${match.label} ${match.match}`), ' ', h('b', {}, versus(match, players)), ' ', stateChip(match), ' ', matchState(match, players),
        waitsUntil(match)),
      h('p', { class: 'row deeds' }, buttons(offered(sheet, 'match', match), match.match, `${match.match}, ${versus(match, players)}`))))));
}

/** @param {Message} match */
function waitsUntil(match) {
  const called = (match.races ?? []).find((/** @type {Message} */ race) => race.state === 'called');
  const at = called?.ready_by ?? match.pick?.until;
  return at && !match.ending ? [' ', countdown(at), ' left'] : null;
}

/** @param {Message} sheet */
function drawPlayers(sheet) {
  const players = playersOf(sheet);
  const all = [...players.values()].sort((one, other) => (one.seed ?? 1e6) - (other.seed ?? 1e6) || one.player - other.player);
  const invited = sheet.invited ?? [];
  return h('section', { 'data-key': 'players' }, h('h2', { id: 'console-players' }, `Players (${all.length})`),
    all.length ? h('ul', { class: 'ruled', 'aria-labelledby': 'console-players' }, all.map((each) => h('li', { 'data-key': each.player },
      h('p', {}, h('span', { class: 'id quiet' }, each.seed ? `seed ${each.seed}` : `#${each.player}`), ' ', nameOf(players, each.player, sheet.you ?? null), ' ',
        h('span', { class: 'quiet' }, playerState(each))),
      h('p', { class: 'row deeds' }, buttons(offered(sheet, 'player', each), each.player, called(players, each.player))))))
      : h('p', { class: 'nothing' }, mayRegister(sheet) ? 'Nobody has registered yet: hand on the link above.' : 'Nobody played.'),
    drawBots(sheet, { isOpen: true }),
    invited.length ? h('p', {}, h('b', {}, 'Invited and not here yet: '), invited.join(', ')) : null);
}

/** @param {Message} sheet */
function drawStaff(sheet) {
  return h('section', { 'data-key': 'staff' }, h('h2', {}, 'Staff'),
    h('ul', { class: 'staff' }, (sheet.staff ?? []).map((/** @type {Message} */ each) => h('li', { 'data-key': each.name }, each.name, ' ', h('span', { class: 'quiet' }, each.role)))),
    (sheet.hooks ?? []).length ? [h('h2', {}, 'Results are posted to'), h('ul', { class: 'staff' }, sheet.hooks.map((/** @type {string} */ url) => h('li', { class: 'code' }, url)))] : null);
}

/** @param {string[]} news */
function drawNews(news) {
  if (!news.length) return null;
  return h('section', { 'data-key': 'news' }, h('h2', {}, 'News'), h('ul', { class: 'news-lines' }, news.map((line) => h('li', {}, line))));
}
