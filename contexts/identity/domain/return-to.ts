const HERE = 'http://here.invalid';
const MAX_LENGTH = 2048;
/** Browsers read a backslash as a slash, and ignore tabs and line breaks. */
const SUSPICIOUS = /[\\\p{Cc}]/u;

/** Returns the path if it is on this server, `otherwise` in every other case: a login never redirects elsewhere. */
export function safeReturnTo(raw: string | undefined, otherwise: string): string {
  if (raw === undefined || raw.length > MAX_LENGTH || !raw.isWellFormed()) return otherwise;
  if (!raw.startsWith('/') || raw.startsWith('//') || SUSPICIOUS.test(raw)) return otherwise;
  const url = URL.parse(raw, HERE);
  if (url?.origin !== HERE) return otherwise;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // `/..//elsewhere` is a harmless path until it is normalized.
  return path.startsWith('//') ? otherwise : path;
}
