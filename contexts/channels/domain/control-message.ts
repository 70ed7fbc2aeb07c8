export const SERVINGS = ['colocated', 'proxy'] as const;
/** How close the serving process is to its target. A colocated process takes precedence over a proxy. */
export type Serving = (typeof SERVINGS)[number];

export const TARGET_REFUSALS = ['notBound', 'served', 'wrongType', 'invalid', 'unavailable', 'sameCluster'] as const;
export type TargetRefusal = (typeof TARGET_REFUSALS)[number];

export const REVERSE_MODES = ['bytes', 'relay'] as const;
/** `relay`: the frames of a data channel, forwarded unchanged. */
export type ReverseMode = (typeof REVERSE_MODES)[number];

/** Everything the serving process knows about a target. A new claim replaces the previous one entirely. */
export interface TargetClaim {
  readonly name: string;
  readonly type: string;
  readonly serving: Serving;
  readonly labels: Readonly<Record<string, string>>;
  /** A JSON object, as text. */
  readonly properties: string;
  readonly manifestTypes: readonly string[];
  /** The installation behind the target. A rebuilt cluster has a different instance. */
  readonly instance: string;
  readonly agentVersion: string;
}

/**
 * Requests on `control`, from a local process to its fleetlet and from a fleetlet to the platform. The answer carries the same
 * `request`.
 */
export type ControlRequest = { readonly request: number } & (
  | { readonly kind: 'registerTarget'; readonly claim: TargetClaim }
  | { readonly kind: 'updateTarget'; readonly claim: TargetClaim }
  | { readonly kind: 'deregisterTarget'; readonly target: string }
  | { readonly kind: 'resolveData'; readonly channel: string }
  | { readonly kind: 'listening'; readonly addresses: readonly string[]; readonly channels: readonly string[] }
);

/** Messages in the other direction. An unsolicited one has `request` 0. */
export type ControlReply = { readonly request: number } & (
  | Welcome
  | { readonly kind: 'targetAccepted'; readonly target: string; readonly name: string }
  | {
      readonly kind: 'targetRefused';
      readonly name: string;
      readonly reason: TargetRefusal;
      readonly message: string;
      /** With `sameCluster`: the id that the agent is to store in its cluster. */
      readonly identity?: string | undefined;
    }
  | { readonly kind: 'targetSuperseded'; readonly target: string; readonly message: string }
  | { readonly kind: 'targetDeregistered'; readonly target: string }
  | OpenStream
  | DataRoute
  | { readonly kind: 'syncNow'; readonly targets: readonly string[] }
  | { readonly kind: 'renewCertificate' }
  | { readonly kind: 'replicaList'; readonly replicas: readonly ReplicaAddress[] }
);

/** Where a replica of the platform takes fleetlets; an empty text where it does not. */
export interface ReplicaAddress {
  readonly grpc: string;
  readonly websocket: string;
}

/** The first message from the platform. */
export interface Welcome {
  readonly kind: 'welcome';
  readonly platform: string;
  readonly platformVersion: string;
  readonly fleetlet: string;
  readonly heartbeatMs: number;
  /** PEM of all certificate authorities valid now; empty where there are none. */
  readonly authorities: string;
  /** A JWK, as text. */
  readonly ticketKey: string;
}

/** Asks the other end to dial back, with this `stream` in its `open` frame. */
export interface OpenStream {
  readonly kind: 'openStream';
  readonly stream: string;
  readonly channel: string;
  readonly target: string;
  readonly mode: ReverseMode;
  /** Unix milliseconds, or 0. */
  readonly deadline: number;
  /** A secret of this stream alone, known to its two ends and the hops that carry it; empty for streams that need none. */
  readonly key: Uint8Array;
}

const KEYED = new TextEncoder().encode('keyed');

/** The ticket in the `open` frame of a stream whose key has arrived. An end that does not support keys sends no ticket. */
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
  /** Why there is no route, if there is none. */
  readonly message: string;
}
