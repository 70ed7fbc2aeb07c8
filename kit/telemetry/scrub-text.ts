import { REDACTED, TOKEN_PREFIXES } from '#kit/std';

const PREFIXES = Object.values(TOKEN_PREFIXES).join('|');

/** Secrets that are recognised anywhere in a text, also inside messages of other programs. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Our own tokens have these prefixes so that this function and repository scanners can find them.
  [new RegExp(`(?:${PREFIXES})[A-Za-z0-9_-]+`, 'g'), REDACTED],
  [/\b(bearer)\s+[^\s"',;]+/gi, `$1 ${REDACTED}`],
  // JSON web tokens: two or three parts, the first an object.
  [/\beyJ[\w-]+\.[\w.-]+/g, REDACTED],
  [/-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g, REDACTED],
  // The password of a URL, up to the last @ before the path: an @ in a password is often not encoded.
  [/(:\/\/[^\s:/@]*):[^\s/]+@/g, `$1:${REDACTED}@`],
  [/([?&][\w-]*(?:token|password|secret)=)[^&\s"']+/gi, `$1${REDACTED}`],
];

/** Every pattern needs one of these. Most texts have none and need only this one test. */
const SUSPICIOUS = new RegExp(`${PREFIXES}|bearer|eyJ|-----BEGIN|://|=`, 'i');

/** Removes secrets from the text, in linear time. */
export function scrubText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let scrubbed = text;
  for (const [pattern, replacement] of PATTERNS) scrubbed = scrubbed.replace(pattern, replacement);
  return scrubbed;
}
