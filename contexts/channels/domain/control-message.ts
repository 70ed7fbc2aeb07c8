export const SERVINGS = ['colocated', 'proxy'] as const;
/** How near whoever speaks for a target is to it. One that is where the target is goes first. */
export type Serving = (typeof SERVINGS)[number];

export const TARGET_REFUSALS = ['notBound', 'served', 'wrongType', 'invalid', 'unavailable'] as const;
export type TargetRefusal = (typeof TARGET_REFUSALS)[number];

export const REVERSE_MODES = ['bytes', 'relay'] as const;
/** `relay`: the frames of a data channel, passed on as they are. */
export type ReverseMode = (typeof REVERSE_MODES)[number];

/** All that is known of a target by whoever speaks for it. Said again it takes the place of what was said before. */
export interface TargetClaim {
  readonly name: string;
  readonly type: string;
  readonly serving: Serving;
  readonly labels: Readonly<Record<string, string>>;
  /** A JSON object, as text. */
  readonly properties: string;
  readonly manifestTypes: readonly string[];
  /** The installation behind it; a rebuilt one is another. */
  readonly instance: string;
  readonly agentVersion: string;
}

/** What a local process asks its fleetlet on `control`, and a fleetlet the platform. `request` is in the answer, too. */
export type ControlRequest = { readonly request: number } & (
  | { readonly kind: 'registerTarget'; readonly claim: TargetClaim }
  | { readonly kind: 'updateTarget'; readonly claim: TargetClaim }
  | { readonly kind: 'deregisterTarget'; readonly target: string }
  | { readonly kind: 'resolveData'; readonly channel: string }
  | { readonly kind: 'listening'; readonly addresses: readonly string[]; readonly channels: readonly string[] }
);

/** The other way. What nobody asked for has 0 as `request`. */
export type ControlReply = { readonly request: number } & (
  | Welcome
  | { readonly kind: 'targetAccepted'; readonly target: string; readonly name: string }
  | { readonly kind: 'targetRefused'; readonly name: string; readonly reason: TargetRefusal; readonly message: string }
  | { readonly kind: 'targetSuperseded'; readonly target: string; readonly message: string }
  | { readonly kind: 'targetDeregistered'; readonly target: string }
  | OpenStream
  | DataRoute
  | { readonly kind: 'syncNow'; readonly targets: readonly string[] }
  | { readonly kind: 'renewCertificate' }
);

/** The first that the platform says. */
export interface Welcome {
  readonly kind: 'welcome';
  readonly platform: string;
  readonly platformVersion: string;
  readonly fleetlet: string;
  readonly heartbeatMs: number;
  /** PEM of all authorities that count now; empty where there are none. */
  readonly authorities: string;
  /** A JWK, as text. */
  readonly ticketKey: string;
}

/** The other end is to call, with this `stream` in its `open`. */
export interface OpenStream {
  readonly kind: 'openStream';
  readonly stream: string;
  readonly channel: string;
  readonly target: string;
  readonly mode: ReverseMode;
  /** Unix milliseconds, or 0. */
  readonly deadline: number;
  /** A secret of this stream alone, known to its two ends and those who carry it; empty for what needs none. */
  readonly key: Uint8Array;
}

const KEYED = new TextEncoder().encode('keyed');

/** What the `open` of a stream shows as its ticket when the key has arrived: an end that does not know of keys shows none. */
export function ticketFor({ key }: Pick<OpenStream, 'key'>): Uint8Array {
  return key.length > 0 ? KEYED : new Uint8Array();
}

export function isKeyed({ ticket }: { readonly ticket: Uint8Array }): boolean {
  return ticket.length === KEYED.length && ticket.every((byte, at) => byte === KEYED[at]);
}

export interface DataRoute {
  readonly kind: 'dataRoute';
  readonly channel: string;
  readonly addresses: readonly string[];
  readonly ticket: Uint8Array;
  readonly ticketExpires: number;
  readonly serverName: string;
  /** Why there is no way, when there is none. */
  readonly message: string;
}
