/** What somebody was given to come in by: a code, or a link. Pure. */

/**
 * @param {string} text  a code, or an address that was pasted
 * @returns {string | null} the path of what it names
 */
export function placeOf(text) {
  const said = text.trim();
  const path = /\/((?:r|t)\/[\w-]{1,32})(?:[/?#]|$)/.exec(said);
  if (path) return `/${path[1]}`;
  if (!/^[\w-]{1,32}$/.test(said)) return null;
  return said.startsWith('cup-') ? `/t/${said}` : `/r/${said}`;
}
