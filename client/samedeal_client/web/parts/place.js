/** What somebody was given to come in by: a code, or a link. Pure. */

/**
 * @param {string} text  a code, or an address that was pasted
 * @returns {string | null} the path of what it names
 */
export function placeOf(text) {
  const said = text.trim();
  // Codes are told aloud, and typed as they are heard.
  const low = said.toLowerCase();
  const code = /^[a-z0-9]{4}(?:\s+[a-z0-9]{4}){2}$/.test(low) ? low.replace(/\s+/g, '-') : low;
  const path = /\/((?:r|t)\/[\w-]{1,32})(?:[/?#]|$)/.exec(said);
  if (path) return `/${path[1]}`;
  if (!/^[\w-]{1,32}$/.test(code)) return null;
  return code.startsWith('cup-') ? `/t/${code}` : `/r/${code}`;
}
