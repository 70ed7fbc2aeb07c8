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
  return pairsOf(raw).some(([name]) => name.startsWith('impersonate-'));
}

/** The headers of a request that are forwarded. The forwarder adds the caller's identity. */
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

/** The headers of a response that are forwarded. */
export function answeredHeaders(raw: RawHeaders): Headers {
  const dropped = new Set([...OF_A_CONNECTION, ...FOR_BROWSERS, ...namedByConnection(raw)]);
  return joined(
    pairsOf(raw).filter(
      ([name]) =>
        !dropped.has(name) && ![...FOR_BROWSERS_PREFIXES, OURS_PREFIX].some((prefix) => name.startsWith(prefix)),
    ),
  );
}

/** The value of a header, if it occurs exactly once. */
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
      // Without it a body would be misinterpreted.
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
