import type { JsonObject, Uuid } from '#kit/std';
import type { TargetRef } from '../targets/index.ts';
import type { HealthRule } from './health.ts';
import type { OrderOrigin } from './origin.ts';

/** One declarative object to apply: a Kubernetes object, a file, the configuration of an addon. */
export type Document = JsonObject;

export const DRIFT_POLICIES = ['report', 'repair'] as const;
export type DriftPolicy = (typeof DRIFT_POLICIES)[number];

/** Identifies an order: a deployment has at most one content for a target at a revision. */
export interface OrderKey {
  readonly target: TargetRef;
  readonly deployment: Uuid;
  readonly revision: number;
}

interface OrderOfPlatform extends OrderKey {
  /** The platform that gives it; agents store it with the order and in their records. Absent from earlier releases. */
  readonly origin?: OrderOrigin | undefined;
}

/** The whole content, never a difference: the agent removes objects of the deployment that are not in it. */
export interface DeliverOrder extends OrderOfPlatform {
  readonly kind: 'deliver';
  readonly hash: string;
  /** As they are applied, secrets included. */
  readonly documents: readonly Document[];
  readonly namespace?: string;
  readonly healthRules: readonly HealthRule[];
  readonly driftPolicy: DriftPolicy;
  /** JSON pointers into `documents`, such as `/0/data/password`. Agents never print the values they point to. */
  readonly secretPlaces: readonly string[];
}

export interface RemoveOrder extends OrderOfPlatform {
  readonly kind: 'remove';
}

/** An order may arrive twice. An agent never goes back behind a revision that it has seen. */
export type DeliveryOrder = DeliverOrder | RemoveOrder;

/** An agent's answer to an order. */
export type AgentAcknowledgement =
  /** The order is stored: it survives a restart of the agent, and a report follows. */
  | { readonly kind: 'accepted' }
  /** The agent will never carry out this order. So it answers a platform that is not the latest incarnation it has obeyed. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** The agent has seen a later revision: this order is outdated, or the platform was restored from a backup. */
  | { readonly kind: 'fenced'; readonly seen: number };

/** The platform's answer for a target: the agent's, or that no agent is connected. The order is sent again on reconnect. */
export type Acknowledgement = AgentAcknowledgement | { readonly kind: 'offline' };

/** An agent's estimate of the effect of an order. */
export interface PreviewAnswer {
  readonly kind: 'wouldApply' | 'wouldReject';
  readonly message: string;
  /** One line for each change, for people: `create v1/ConfigMap/shop/web`. */
  readonly changes: readonly string[];
}
