import { REDACTED, TOKEN_PREFIXES } from '#kit/std';

const PREFIXES = Object.values(TOKEN_PREFIXES).join('|');

/** What is secret wherever it stands, also in the middle of a message that somebody else wrote. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Our own tokens begin like this so that they can be found here, and by scanners of repositories.
  [new RegExp(`(?:${PREFIXES})[A-Za-z0-9_-]+`, 'g'), REDACTED],
  [/\b(bearer)\s+[^\s"',;]+/gi, `$1 ${REDACTED}`],
  // JSON web tokens: two or three parts, the first an object.
  [/\beyJ[\w-]+\.[\w.-]+/g, REDACTED],
  [/-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g, REDACTED],
  // The password of a URL, up to the last @ before its path: people forget to encode the others.
  [/(:\/\/[^\s:/@]*):[^\s/]+@/g, `$1:${REDACTED}@`],
  [/([?&][\w-]*(?:token|password|secret)=)[^&\s"']+/gi, `$1${REDACTED}`],
];

/** Every pattern needs one of these. Most texts have none, and are done after this one look. */
const SUSPICIOUS = new RegExp(`${PREFIXES}|bearer|eyJ|-----BEGIN|://|=`, 'i');

/** The text without its secrets. Its running time grows with the length of the text, not faster. */
export function scrubText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let scrubbed = text;
  for (const [pattern, replacement] of PATTERNS) scrubbed = scrubbed.replace(pattern, replacement);
  return scrubbed;
}
