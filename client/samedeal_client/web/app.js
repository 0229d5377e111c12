/** The start: settings, the connection, the frame around every page, and going from page to page. */

import { arrived, isElsewhere } from './address.js';
import { fill, h } from './dom.js';
import { Keys } from './keys.js';
import { Link } from './net/link.js';
import { sentence as asSentence } from './parts/said.js';
import { followed, match } from './router.js';
import { Settings, browserStorage } from './settings.js';

const storage = browserStorage();
const settings = new Settings(storage);
settings.shownOn(document.documentElement);
const keys = new Keys(storage);
const where = location.protocol === 'https:' ? 'wss' : 'ws';
// Streams and other people's pages look on as somebody else: a player is not replaced at their table.
const isLookingOn = match(location.pathname)?.route.bare ?? false;
const link = new Link(`${where}://${location.host}/`, storage, { guest: isLookingOn ? 'onlooker' : '' });

const polite = h('div', { class: 'spoken', role: 'status', 'aria-live': 'polite', 'data-region': 'polite' });
const urgent = h('div', { class: 'spoken', role: 'alert', 'aria-live': 'assertive', 'data-region': 'urgent' });
const main = h('main', { id: 'main', tabindex: '-1' });
const banner = h('div', { class: 'banner', role: 'status', hidden: true });
const news = h('div', { class: 'news', hidden: true });
const who = h('a', { href: '/settings', class: 'who' });
const header = h(
  'header',
  { class: 'frame' },
  h('a', { href: '#main', class: 'skip' }, 'Skip to the page'),
  h('a', { href: '/', class: 'brand' }, 'samedeal'),
  h(
    'nav',
    { 'aria-label': 'Pages' },
    h('a', { href: '/new' }, 'New race'),
    h('a', { href: '/games' }, 'Games'),
    h('a', { href: '/daily' }, 'Daily deal'),
    h('a', { href: '/tournaments' }, 'Tournaments'),
    h('a', { href: '/leaderboards' }, 'Leaderboards'),
  ),
  who,
);
document.body.append(header, banner, news, main, polite, urgent);

/** @type {{close?: () => void, leave: AbortController} | null} */
let current = null;
let visits = 0;

/**
 * @param {string} text
 * @param {{urgent?: boolean}} [how]
 */
function say(text, how = {}) {
  const region = how.urgent ? urgent : polite;
  // The same words twice are said twice: a reader hears only what changes.
  fill(region, region.textContent === text ? `${text}\u00a0` : text);
}

/**
 * @param {string} path
 * @param {{replace?: boolean}} [how]
 */
function go(path, { replace = false } = {}) {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  show({ isFirst: false });
}

/**
 * What a page may do to its surroundings, as long as it has not been left.
 *
 * @param {AbortSignal} signal
 * @returns {Pick<import('./router.js').Context, 'go' | 'fills'>}
 */
function deeds(signal) {
  return {
    go: (path, how) => {
      if (!signal.aborted) go(path, how);
    },
    fills: (is) => {
      if (!signal.aborted) document.documentElement.toggleAttribute('data-table', is);
    },
  };
}

/** @param {{isFirst: boolean}} how */
async function show({ isFirst }) {
  const visit = ++visits;
  arrived();
  current?.leave.abort();
  current?.close?.();
  const leave = new AbortController();
  current = { leave };
  const found = match(location.pathname);
  const isBare = found?.route.bare ?? false;
  document.documentElement.toggleAttribute('data-bare', isBare);
  document.documentElement.removeAttribute('data-table');
  header.hidden = isBare;
  for (const each of header.querySelectorAll('nav a')) {
    const isHere = location.pathname.startsWith(/** @type {HTMLAnchorElement} */ (each).pathname);
    if (isHere) each.setAttribute('aria-current', 'page');
    else each.removeAttribute('aria-current');
  }
  const slow = setTimeout(() => fill(main, h('p', { class: 'loading' }, 'Loading …')), isFirst ? 0 : 200);
  /** @type {import('./router.js').Page} */
  let page;
  try {
    page = found === null ? lost() : await (await loaded(found.route, isFirst)).open({
      params: found.params, query: new URLSearchParams(location.search), link, settings, keys, say, signal: leave.signal,
      ...deeds(leave.signal),
    });
  } catch (fault) {
    if (leave.signal.aborted) return;
    page = failed(fault);
  } finally {
    clearTimeout(slow);
  }
  if (visit !== visits) {
    page.close?.();
    return;
  }
  current = { close: page.close, leave };
  document.title = page.title === 'samedeal' ? page.title : `${page.title} · samedeal`;
  fill(main, page.node);
  if (!isFirst) {
    window.scrollTo(0, 0);
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
    main.focus({ preventScroll: true });
    say(page.title);
  }
}

/**
 * The module of a page. A server of another release has its files at other addresses: then all is
 * loaded anew, at the page that was asked for.
 *
 * @param {import('./router.js').Route} route
 * @param {boolean} isFirst
 */
async function loaded(route, isFirst) {
  try {
    return await route.load();
  } catch (fault) {
    if (isFirst) throw fault;
    const isThere = await fetch('/healthz').then((answer) => answer.ok, () => false);
    if (!isThere) throw fault;
    location.reload();
    return new Promise(() => {});
  }
}

function lost() {
  return {
    title: 'No such page',
    node: h('div', { class: 'narrow' }, h('h1', {}, 'No such page'),
      h('p', {}, 'The address may be mistyped. ', h('a', { href: '/' }, 'Go to the first page'), '.')),
  };
}

/** Where one goes on from what there is not. @type {Record<string, [words: string, path: string, onward: string]>} */
const ABSENT = {
  'no-such-race': ['There is no race at this address.', '/new', 'New race'],
  'no-such-game': ['There is no game of this name.', '/games', 'All games'],
  'no-such-player': ['There is no player of this name.', '/leaderboards', 'Leaderboards'],
  'no-such-tournament': ['There is no tournament at this address.', '/tournaments', 'All tournaments'],
};

/** @param {unknown} fault */
function failed(fault) {
  const absent = fault instanceof Error && 'code' in fault ? ABSENT[String(fault.code)] : undefined;
  if (absent !== undefined) return missing(...absent);
  if (!(fault instanceof Error) || !('code' in fault)) console.error(fault);
  const sentence = fault instanceof Error && 'code' in fault ? asSentence(fault.message) : 'This page failed.';
  return {
    title: 'Not to be shown',
    node: h('div', { class: 'narrow' }, h('h1', {}, 'Not to be shown'), h('p', {}, sentence),
      h('p', { class: 'row' },
        h('button', { type: 'button', onclick: () => show({ isFirst: false }) }, 'Try again'),
        h('a', { href: '/', class: 'button' }, 'First page'))),
  };
}

/**
 * @param {string} words
 * @param {string} path
 * @param {string} onward  what is there
 */
function missing(words, path, onward) {
  return {
    title: 'Not found',
    node: h('div', { class: 'narrow' }, h('h1', {}, 'Not found'), h('p', {}, `${words} Perhaps it is mistyped.`),
      h('p', { class: 'row' },
        h('a', { href: path, class: 'button primary' }, onward),
        h('a', { href: '/', class: 'button' }, 'First page'))),
  };
}

/** What helps when the connection has ended for good. @type {Record<Link['ending'], [string, () => void] | null>} */
const REMEDIES = {
  '': null,
  replaced: ['Play here', () => link.open()],
  closed: ['Try again', () => link.open()],
  outdated: ['Load anew', () => location.reload()],
};

function showLink() {
  fill(who, link.name ?? 'You');
  who.setAttribute('aria-label', link.name ? `${link.name}: name and settings` : 'Name and settings');
  const isTrouble = link.sentence !== '';
  if (!isTrouble && !banner.hidden) say('Connected again');
  banner.hidden = !isTrouble || document.documentElement.hasAttribute('data-bare');
  document.documentElement.setAttribute('data-link', link.state);
  const remedy = REMEDIES[link.ending];
  if (banner.dataset.shown === link.sentence + link.ending) return;
  banner.dataset.shown = link.sentence + link.ending;
  fill(banner, link.sentence, remedy && h('button', { type: 'button', onclick: remedy[1] }, remedy[0]));
}

link.addEventListener('change', showLink);
link.addEventListener('notice', (event) => {
  const { message } = /** @type {CustomEvent} */ (event).detail;
  fill(news, message);
  news.hidden = document.documentElement.hasAttribute('data-bare');
  say(message, { urgent: true });
});
// What was told of the server before is over when one is greeted by it anew.
link.addEventListener('greeted', () => { news.hidden = true; });
document.addEventListener('click', (event) => {
  const path = followed(event);
  if (path === null) return;
  event.preventDefault();
  go(path);
});
window.addEventListener('popstate', () => {
  if (isElsewhere()) show({ isFirst: false });
});
showLink();
show({ isFirst: true });
