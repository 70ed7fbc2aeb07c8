/** Names in lower case; several values for a repeated header. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** As received: name, value, name, value. */
export type RawHeaders = readonly string[];

/** Hop-by-hop headers: each connection sets its own. */
const OF_A_CONNECTION = [
  'connection',
  // The length of a body is set afresh on each connection.
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** Headers about the caller's identity or origin: only the platform sets these. */
const ABOUT_THE_CALLER = [
  'authorization',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'origin',
  'referer',
  'via',
  'audit-id',
  'x-fleetshift-csrf',
];
const ABOUT_THE_CALLER_PREFIXES = ['x-remote-', 'x-forwarded-', 'sec-fetch-', 'impersonate-', 'fleetshift-'];

/** Headers by which a response from a cluster could act in a browser like a page of the platform. */
const FOR_BROWSERS = [
  'set-cookie',
  'strict-transport-security',
  'alt-svc',
  'service-worker-allowed',
  'clear-site-data',
];
const FOR_BROWSERS_PREFIXES = ['access-control-', 'content-security-policy', 'x-frame-', 'x-content-type-'];
/** Reserved for the two ends of a tunnel: the server must not set these. */
const OURS_PREFIX = 'fleetshift-';

/** A token can also be sent as a WebSocket protocol. */
const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Refused instead of dropped: a caller that asks to act as another user must not unknowingly act as itself. */
export function asksToImpersonate(raw: RawHeaders): boolean {
  return namesOf(raw).some((name) => name.startsWith('impersonate-'));
}

/** The headers of a request that are forwarded. The forwarder adds the caller's identity. */
export function forwardedHeaders(raw: RawHeaders): Headers {
  return kept(raw, NOT_FORWARDED, (name, value) => {
    if (name !== 'sec-websocket-protocol') return value;
    return withoutBearer(value) || undefined;
  });
}

/** The headers of a response that are forwarded. */
export function answeredHeaders(raw: RawHeaders): Headers {
  return kept(raw, NOT_ANSWERED, (_name, value) => value);
}

/** The value of a header, if it occurs exactly once. */
export function headerIn(raw: RawHeaders, wanted: string): string | undefined {
  const values = valuesOf(raw, wanted);
  return values.length === 1 ? values[0] : undefined;
}

/** All values of a header, given in lower case. */
export function valuesOf(raw: RawHeaders, wanted: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    // The length decides most comparisons, and a proxy makes many for each request.
    if (name.length === wanted.length && name.toLowerCase() === wanted) values.push(raw[at + 1] ?? '');
  }
  return values;
}

interface Dropped {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

const NOT_FORWARDED: Dropped = {
  names: new Set([...OF_A_CONNECTION, ...ABOUT_THE_CALLER]),
  prefixes: ABOUT_THE_CALLER_PREFIXES,
};
const NOT_ANSWERED: Dropped = {
  names: new Set([...OF_A_CONNECTION, ...FOR_BROWSERS]),
  prefixes: [...FOR_BROWSERS_PREFIXES, OURS_PREFIX],
};

/** Joins the values of a name. `valueOf` returns `undefined` for a header to be dropped as well. */
function kept(
  raw: RawHeaders,
  { names, prefixes }: Dropped,
  valueOf: (name: string, value: string) => string | undefined,
): Headers {
  const ofConnection = namedByConnection(raw);
  const all = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    if (names.has(name) || ofConnection.has(name)) continue;
    if (prefixes.some((prefix) => name.startsWith(prefix))) continue;
    const value = valueOf(name, raw[at + 1] ?? '');
    if (value === undefined) continue;
    const before = all.get(name);
    if (before === undefined) all.set(name, [value]);
    else before.push(value);
  }
  return Object.fromEntries(
    all.entries().map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function namedByConnection(raw: RawHeaders): ReadonlySet<string> {
  const tokens = valuesOf(raw, 'connection').flatMap((value) => value.split(','));
  const names = new Set(tokens.map((token) => token.trim().toLowerCase()));
  // Without it a body would be misinterpreted.
  names.delete('content-type');
  return names;
}

function withoutBearer(protocols: string): string {
  return protocols
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(BEARER_PROTOCOL))
    .join(', ');
}

function namesOf(raw: RawHeaders): string[] {
  return raw.flatMap((name, at) => (at % 2 === 0 && at + 1 < raw.length ? [name.toLowerCase()] : []));
}
