const HERE = 'http://here.invalid';
const MAX_LENGTH = 2048;
/** Browsers read a backslash as a slash, and leave out tabs and line breaks. */
const SUSPICIOUS = /[\\\p{Cc}]/u;

/** A path of this very server, or what is given for anything else: a login never sends anybody elsewhere. */
export function safeReturnTo(raw: string | undefined, otherwise: string): string {
  if (raw === undefined || raw.length > MAX_LENGTH || !raw.isWellFormed()) return otherwise;
  if (!raw.startsWith('/') || raw.startsWith('//') || SUSPICIOUS.test(raw)) return otherwise;
  const url = URL.parse(raw, HERE);
  if (url?.origin !== HERE) return otherwise;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // `/..//elsewhere` is a harmless path until it is made shorter.
  return path.startsWith('//') ? otherwise : path;
}
