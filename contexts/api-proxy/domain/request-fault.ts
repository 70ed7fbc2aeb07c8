import { framingOf } from './body-framing.ts';
import type { RawHeaders } from './header-policy.ts';

/** The head of a request, as received. */
export interface RequestHead {
  readonly rawHeaders: RawHeaders;
  /** Relative to the root of the API server, with its query. */
  readonly path: string;
  readonly httpVersion: string;
  readonly isUpgrade: boolean;
}

/** Below the limit of HTTP parsers: a header that a parser drops could be the one that matters. */
const MAX_HEADERS = 1_000;
const VISIBLE = /^\/[\x21-\x7e]*$/;
const ENCODED = /%([0-9a-f]{2})/gi;
/** More rounds of encoding than any client uses. */
const MAX_DECODED = 5;

/**
 * Why a request is not forwarded, as a sentence; `undefined` when it may be. A request that two parsers could
 * understand differently is refused, not repaired.
 */
export function requestFault({ rawHeaders, path, httpVersion, isUpgrade }: RequestHead): string | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return `It has more than ${MAX_HEADERS} headers.`;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Its HTTP version is not supported.';
  const framing = framingOf(rawHeaders);
  if (framing === undefined) return 'Its headers do not state the length of its body unambiguously.';
  if (framing.kind === 'chunked' && httpVersion !== '1.1')
    return 'HTTP versions before 1.1 do not support chunked bodies.';
  const hasBody = framing.kind === 'chunked' || (framing.kind === 'length' && framing.length > 0);
  if (isUpgrade && hasBody) return 'An upgrade request cannot have a body.';
  if (!VISIBLE.test(path) || path.includes('#')) return 'Its path has characters that have to be encoded.';
  if (hasDotSegments(path)) return 'Its path has the segments . or .., possibly encoded. Write it without them.';
  return undefined;
}

/**
 * Whether a server further on could walk up from here: `..`, `%2e%2e`, `%252e.`, `..%2f`, `..;x`, `..\`. Such a path
 * would escape from an API server that is served below a prefix.
 */
function hasDotSegments(path: string): boolean {
  let plain = path.split('?', 1)[0] ?? '';
  for (let round = 0; round <= MAX_DECODED; round += 1) {
    if (plain.split(/[/\\]/).some(isDots)) return true;
    const decoded = plain.replace(ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === plain) return false;
    plain = decoded;
  }
  return true;
}

function isDots(segment: string): boolean {
  const [name] = segment.split(';', 1);
  return name === '.' || name === '..';
}
