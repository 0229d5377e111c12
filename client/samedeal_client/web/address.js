/** The address of the page that is shown, and whether it still is that page’s. */

/** Path and query as the page that is shown has them. */
let named = '';

/** Remembers that the address is that of the page that is shown. */
export function arrived() {
  named = location.pathname + location.search;
}

/**
 * Gives the page that is shown another address, for a reload or a link to come back to it as it is.
 *
 * @param {string} address
 */
export function readdress(address) {
  history.replaceState(null, '', address);
  arrived();
}

/** @returns {boolean} whether the address is another page's; a fragment is the page's own affair */
export function isElsewhere() {
  return location.pathname + location.search !== named;
}
