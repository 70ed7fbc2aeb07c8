import type { Uuid } from '#kit/std';
import type { DriftPolicy, HealthRule } from '../deployment/deployment.ts';
import type { Document } from '../manifest/document-identity.ts';
import type { Health } from '../rollout/machine/member.ts';
import type { TargetId } from '../target-view.ts';

/**
 * An order to an agent. The same order may be sent twice; an agent never goes back behind a revision that it has seen.
 */
export type DeliveryOrder = {
  readonly target: { readonly id: TargetId; readonly name: string; readonly type: string };
  readonly deployment: Uuid;
  readonly revision: number;
} & (
  | {
      readonly kind: 'deliver';
      readonly hash: string;
      /** Ready to be applied, secrets included. */
      readonly documents: readonly Document[];
      readonly namespace?: string;
      readonly healthRules: readonly HealthRule[];
      readonly driftPolicy: DriftPolicy;
      /**
       * JSON pointers into `documents`, such as `/0/data/password`. The agent must not print the values they point to.
       */
      readonly secretPlaces: readonly string[];
    }
  | { readonly kind: 'remove' }
);

/** The agent's immediate answer to an order. Only `accepted` means that the agent has persisted it; a report follows. */
export type Acknowledgement =
  | { readonly kind: 'accepted' }
  /** No agent is connected. The order is sent again when the target is back. */
  | { readonly kind: 'offline' }
  /** The agent will never accept this order. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** The agent has seen a later revision: this order was superseded, or the platform was restored from a backup. */
  | { readonly kind: 'fenced'; readonly seen: number };

/** A report that an agent sends on its own. The same report may arrive twice. */
export type DeliveryReport = { readonly target: TargetId; readonly deployment: Uuid; readonly revision: number } & (
  | { readonly kind: 'applied'; readonly hash: string }
  | { readonly kind: 'removed' }
  | { readonly kind: 'rejected'; readonly message: string }
  /** Applying or removing ended without success. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'health'; readonly health: Health; readonly message: string }
  /** The objects that differ from what was delivered; empty once none does. */
  | { readonly kind: 'drift'; readonly objects: readonly string[] }
);

/** Everything on a target, sent after its agent connects. Anything not listed is not on the target. */
export interface Inventory {
  readonly target: TargetId;
  /** Identifies the installation behind the target: a rebuilt cluster has another one. */
  readonly instance: string;
  readonly holdings: readonly {
    readonly deployment: Uuid;
    readonly revision: number;
    readonly hash: string;
    readonly health: Health;
    readonly message: string;
  }[];
}
