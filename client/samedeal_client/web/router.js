/** Which page an address is, and how one gets from page to page without a reload. */

/**
 * @typedef {object} Context  what a page gets
 * @property {string[]} params  what the address names, decoded
 * @property {URLSearchParams} query
 * @property {import('./net/link.js').Link} link
 * @property {import('./settings.js').Settings} settings
 * @property {import('./keys.js').Keys} keys
 * @property {(path: string, how?: {replace?: boolean}) => void} go  without effect when the page has been left
 * @property {(fills: boolean) => void} fills  whether the page fills the window like a table; likewise
 * @property {(text: string, how?: {urgent?: boolean}) => void} say  for a live region
 * @property {AbortSignal} signal  aborted when the page is left
 */

/**
 * @typedef {object} Page  what a page gives back
 * @property {string} title
 * @property {Node} node
 * @property {() => void} [close]
 */

/**
 * @typedef {object} Route
 * @property {RegExp} path
 * @property {() => Promise<{open: (context: Context) => Promise<Page>}>} load
 * @property {boolean} [bare]  without header and banner: for streams and other people's pages
 */

/**
 * The pages there are. The server reads these lines as well: it serves a page at such an address and
 * nowhere else, and names at its head all modules that it loads.
 *
 * @type {readonly Route[]}
 */
export const ROUTES = [
  { path: /^\/$/, load: () => import('./pages/home.js') },
  { path: /^\/new$/, load: () => import('./pages/new.js') },
  { path: /^\/r\/([\w-]+)$/, load: () => import('./pages/race.js') },
  { path: /^\/r\/([\w-]+)\/watch$/, load: () => import('./pages/watch.js') },
  { path: /^\/r\/([\w-]+)\/replay$/, load: () => import('./pages/replay.js') },
  { path: /^\/games$/, load: () => import('./pages/games.js') },
  { path: /^\/games\/((?:[a-z0-9:-]|%3[Aa])+)$/, load: () => import('./pages/game.js') },
  { path: /^\/practice\/((?:[a-z0-9:-]|%3[Aa])+)$/, load: () => import('./pages/practice.js') },
  { path: /^\/players\/([^/]+)$/, load: () => import('./pages/player.js') },
  { path: /^\/leaderboards$/, load: () => import('./pages/leaderboards.js') },
  { path: /^\/daily(?:\/([\d-]+))?$/, load: () => import('./pages/daily.js') },
  { path: /^\/league(?:\/([\w-]+))?$/, load: () => import('./pages/league.js') },
  { path: /^\/tournaments$/, load: () => import('./pages/tournaments.js') },
  { path: /^\/tournaments\/new$/, load: () => import('./pages/announce.js') },
  { path: /^\/t\/([\w-]+)$/, load: () => import('./pages/tournament.js') },
  { path: /^\/t\/([\w-]+)\/host$/, load: () => import('./pages/console.js') },
  { path: /^\/settings$/, load: () => import('./pages/settings.js') },
  { path: /^\/overlay\/r\/([\w-]+)$/, load: () => import('./pages/overlay.js'), bare: true },
  { path: /^\/embed\/r\/([\w-]+)$/, load: () => import('./pages/embed.js'), bare: true },
];

/**
 * @param {string} path
 * @returns {{route: Route, params: string[]} | null}
 */
export function match(path) {
  const trimmed = path.length > 1 ? path.replace(/\/+$/, '') : path;
  for (const route of ROUTES) {
    const found = route.path.exec(trimmed);
    if (found) return { route, params: found.slice(1).map((part) => decoded(part ?? '')) };
  }
  return null;
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Whether a click on a link is ours to follow; the browser does the rest.
 *
 * @param {MouseEvent} event
 * @returns {string | null} the path to go to
 */
export function followed(event) {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target || link.hasAttribute('download')) return null;
  if (link.origin !== location.origin || match(link.pathname) === null) return null;
  if (link.pathname === location.pathname && link.search === location.search && link.hash) return null;
  return link.pathname + link.search + link.hash;
}
