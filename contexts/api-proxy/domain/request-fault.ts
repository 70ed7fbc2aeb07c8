import { framingOf } from './body-framing.ts';
import type { RawHeaders } from './header-policy.ts';

/** The head of a request, as it came. */
export interface RequestHead {
  readonly rawHeaders: RawHeaders;
  /** From the root of the API server, with its query. */
  readonly path: string;
  readonly httpVersion: string;
  readonly isUpgrade: boolean;
}

/** Below what parsers take notice of: a header that one of them leaves out could be the one that matters. */
const MAX_HEADERS = 1_000;
const VISIBLE = /^\/[\x21-\x7e]*$/;
const ENCODED = /%([0-9a-f]{2})/gi;
/** More rounds of encoding than any client has. */
const MAX_DECODED = 5;

/**
 * Why a request is not handed on, as a sentence; `undefined` when it may be. What two readers could understand in different
 * ways is refused and not repaired.
 */
export function requestFault({ rawHeaders, path, httpVersion, isUpgrade }: RequestHead): string | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return `It has more than ${MAX_HEADERS} headers.`;
  const framing = framingOf(rawHeaders);
  if (framing === undefined) return 'Its headers do not say in one way how long its body is.';
  if (framing.kind === 'chunked' && httpVersion !== '1.1') return 'Before HTTP/1.1 there are no chunked bodies.';
  const hasBody = framing.kind === 'chunked' || (framing.kind === 'length' && framing.length > 0);
  if (isUpgrade && hasBody) return 'A request to upgrade its connection cannot have a body.';
  if (!VISIBLE.test(path) || path.includes('#')) return 'Its path has characters that have to be encoded.';
  if (hasDotSegments(path)) return 'Its path has the segments . or .., perhaps encoded. Write it without them.';
  return undefined;
}

/**
 * Whether somebody further on could walk up from here: `..`, `%2e%2e`, `%252e.`, `..%2f`, `..;x`, `..\`. A server that lives below
 * a path of its own would be left that way.
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
