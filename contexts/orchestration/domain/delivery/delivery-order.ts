import type { Uuid } from '#kit/std';
import type { DriftPolicy, HealthRule } from '../deployment/deployment.ts';
import type { Document } from '../manifest/document-identity.ts';
import type { Health } from '../rollout/machine/member.ts';
import type { TargetId } from '../target-view.ts';

/** What an agent is asked to do. It may be asked twice, and never goes back behind a revision that it has seen. */
export type DeliveryOrder = {
  readonly target: { readonly id: TargetId; readonly name: string; readonly type: string };
  readonly deployment: Uuid;
  readonly revision: number;
} & (
  | {
      readonly kind: 'deliver';
      readonly hash: string;
      /** As they are to be applied, secrets included. */
      readonly documents: readonly Document[];
      readonly namespace?: string;
      readonly healthRules: readonly HealthRule[];
      readonly driftPolicy: DriftPolicy;
      /** JSON pointers into `documents`, `/0/data/password`: what stands there an agent prints nowhere. */
      readonly secretPlaces: readonly string[];
    }
  | { readonly kind: 'remove' }
);

/** What became of the asking. Only `accepted` means that the agent has it safely; a report follows then. */
export type Acknowledgement =
  | { readonly kind: 'accepted' }
  /** There is nobody to take it. It is sent again when the target is back. */
  | { readonly kind: 'offline' }
  /** It never will take this. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** It has seen a later revision: this one is nobody's wish any longer, or the platform was set back. */
  | { readonly kind: 'fenced'; readonly seen: number };

/** What an agent says by itself. The same may be said twice. */
export type DeliveryReport = { readonly target: TargetId; readonly deployment: Uuid; readonly revision: number } & (
  | { readonly kind: 'applied'; readonly hash: string }
  | { readonly kind: 'removed' }
  | { readonly kind: 'rejected'; readonly message: string }
  /** Applying or removing it came to an end without success. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'health'; readonly health: Health; readonly message: string }
  /** What differs from what was delivered; empty when nothing does any more. */
  | { readonly kind: 'drift'; readonly objects: readonly string[] }
);

/** All that is on a target, said after it connected: what is not in it is not there. */
export interface Inventory {
  readonly target: TargetId;
  /** Of the installation behind the target: a cluster that was rebuilt has another. */
  readonly instance: string;
  readonly holdings: readonly {
    readonly deployment: Uuid;
    readonly revision: number;
    readonly hash: string;
    readonly health: Health;
    readonly message: string;
  }[];
}
