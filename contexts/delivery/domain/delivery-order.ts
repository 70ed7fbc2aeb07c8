import type { Brand, Uuid } from '#kit/std';

/** The uid of a target. */
export type TargetId = Brand<string, 'TargetId'>;

export interface TargetRef {
  readonly id: TargetId;
  readonly name: string;
  readonly type: string;
}

export type Health = 'Available' | 'Degraded' | 'Unknown';

/** One declarative thing to apply: a Kubernetes object, a file, a configuration of an addon. */
export type Document = Readonly<Record<string, unknown>>;

/** When a document of this kind is healthy, beyond what the agent knows by itself. */
export interface HealthRule {
  readonly apiGroup?: string;
  readonly kind: string;
  /** CEL over `object`; true means healthy. */
  readonly healthy: string;
}

/** What names an order: of one deployment there is one content for a target at a revision, or none. */
export interface OrderKey {
  readonly target: TargetRef;
  readonly deployment: Uuid;
  readonly revision: number;
}

/** The whole content, never a difference: what is not in it is to go. */
export interface DeliverOrder extends OrderKey {
  readonly kind: 'deliver';
  readonly hash: string;
  readonly documents: readonly Document[];
  readonly namespace?: string;
  readonly healthRules: readonly HealthRule[];
  readonly driftPolicy: 'report' | 'repair';
  /** JSON pointers into `documents`, `/0/data/password`: what stands there an agent prints nowhere. */
  readonly secretPlaces: readonly string[];
}

export interface RemoveOrder extends OrderKey {
  readonly kind: 'remove';
}

/** What an agent is asked to do. It may be asked twice, and never goes back behind a revision that it has seen. */
export type DeliveryOrder = DeliverOrder | RemoveOrder;

/** What became of the asking. */
export type Acknowledgement =
  /** The agent has it safely: it survives the agent's own end, and a report follows. */
  | { readonly kind: 'accepted' }
  /** There is nobody to take it. */
  | { readonly kind: 'offline' }
  /** It never will take this. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** It has seen a later revision. */
  | { readonly kind: 'fenced'; readonly seen: number };

/** What an agent says by itself, in order for each target. The same may be said twice. */
export type DeliveryReport = { readonly target: TargetId; readonly deployment: Uuid; readonly revision: number } & (
  | { readonly kind: 'applied'; readonly hash: string }
  | { readonly kind: 'removed' }
  /** Found out after it was accepted: it never will take this. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** Applying or removing it came to an end without success. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'health'; readonly health: Health; readonly message: string }
  /** All that differs from what was delivered; empty when nothing does any more. */
  | { readonly kind: 'drift'; readonly objects: readonly string[] }
);

export interface Holding {
  readonly deployment: Uuid;
  readonly revision: number;
  readonly hash: string;
  readonly health: Health;
  readonly message: string;
}

/** All that is on a target, said after it connected: what is not in it is not there. */
export interface Inventory {
  readonly target: TargetId;
  /** Of the installation behind the target: a cluster that was rebuilt has another. */
  readonly instance: string;
  readonly holdings: readonly Holding[];
}

/** What an agent thinks that an order would do. */
export interface PreviewAnswer {
  readonly kind: 'wouldApply' | 'wouldReject';
  readonly message: string;
  /** `create v1/ConfigMap/shop/web`: one line each, for people. */
  readonly changes: readonly string[];
}

/** Somebody who speaks for a target came or went. */
export interface ConnectionChange {
  readonly target: TargetRef;
  readonly isOnline: boolean;
  /** When it was so. */
  readonly time: number;
}
