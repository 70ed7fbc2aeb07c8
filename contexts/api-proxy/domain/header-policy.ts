/** Names in lower case; several values where a header came several times. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** As they came: name, value, name, value. */
export type RawHeaders = readonly string[];

/** Of one connection, not of a request: each way makes its own. */
const OF_A_CONNECTION = [
  'connection',
  // Where a body ends is said anew on each connection, by whoever writes it there.
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

/** What says who somebody is, or where he came from: that is ours to say. */
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

/** What would let an answer from inside a cluster act in a browser as if it were a page of the platform. */
const FOR_BROWSERS = [
  'set-cookie',
  'strict-transport-security',
  'alt-svc',
  'service-worker-allowed',
  'clear-site-data',
];
const FOR_BROWSERS_PREFIXES = ['access-control-', 'content-security-policy', 'x-frame-', 'x-content-type-'];
/** What the two ends of a tunnel tell each other: no server says it for them. */
const OURS_PREFIX = 'fleetshift-';

/** A token can also be shown as a protocol of a WebSocket. */
const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Refused rather than left out: whoever asks to act as somebody else must not act as himself without knowing. */
export function asksToImpersonate(raw: RawHeaders): boolean {
  return pairsOf(raw).some(([name]) => name.startsWith('impersonate-'));
}

/** What of a request is handed on. Who asks is added by whoever hands it on. */
export function forwardedHeaders(raw: RawHeaders): Headers {
  const dropped = new Set([...OF_A_CONNECTION, ...ABOUT_THE_CALLER, ...namedByConnection(raw)]);
  return joined(
    pairsOf(raw).flatMap(([name, value]): [string, string][] => {
      if (dropped.has(name) || ABOUT_THE_CALLER_PREFIXES.some((prefix) => name.startsWith(prefix))) return [];
      if (name !== 'sec-websocket-protocol') return [[name, value]];
      const protocols = withoutBearer(value);
      return protocols === '' ? [] : [[name, protocols]];
    }),
  );
}

/** What of an answer is handed on. */
export function answeredHeaders(raw: RawHeaders): Headers {
  const dropped = new Set([...OF_A_CONNECTION, ...FOR_BROWSERS, ...namedByConnection(raw)]);
  return joined(
    pairsOf(raw).filter(
      ([name]) =>
        !dropped.has(name) && ![...FOR_BROWSERS_PREFIXES, OURS_PREFIX].some((prefix) => name.startsWith(prefix)),
    ),
  );
}

/** The value of a header that is there once. */
export function headerIn(raw: RawHeaders, wanted: string): string | undefined {
  const values = pairsOf(raw).filter(([name]) => name === wanted);
  return values.length === 1 ? values[0]?.[1] : undefined;
}

function namedByConnection(raw: RawHeaders): string[] {
  return (
    pairsOf(raw)
      .filter(([name]) => name === 'connection')
      .flatMap(([, value]) => value.split(','))
      .map((token) => token.trim().toLowerCase())
      // Without it a body would be read wrongly.
      .filter((token) => token !== 'content-type')
  );
}

function withoutBearer(protocols: string): string {
  return protocols
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(BEARER_PROTOCOL))
    .join(', ');
}

export function pairsOf(raw: RawHeaders): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([(raw[at] ?? '').toLowerCase(), raw[at + 1] ?? '']);
  return pairs;
}

function joined(pairs: readonly (readonly [string, string])[]): Headers {
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs) all.set(name, [...(all.get(name) ?? []), value]);
  return Object.fromEntries([...all].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]));
}
