import type { Uuid } from '#kit/std';
import {
  type DeliveryOrder,
  type Document,
  type HealthRule,
  isLater,
  type OrderOrigin,
  whySuperseded,
} from '#protocol/delivery';
import { isPolicy } from './delivery-policy.ts';
import type { ApplySetInventory } from './inventory.ts';

/** An order without its documents, which may be large. */
export interface OrderFacts {
  readonly deployment: Uuid;
  readonly revision: number;
  /** The platform that gave it; absent in orders of earlier releases. */
  readonly origin?: OrderOrigin | undefined;
  /** `undefined` for a removal. */
  readonly hash?: string | undefined;
  readonly namespace?: string | undefined;
  readonly healthRules: readonly HealthRule[];
  readonly driftPolicy: 'report' | 'repair';
  /** How to carry it out, if the order has a policy document. */
  readonly policy?: Document | undefined;
  /** JSON pointers into the documents; absent in orders stored by an earlier release. */
  readonly secretPlaces?: readonly string[] | undefined;
  /** The order must not be started or continued. */
  readonly isCancelled?: boolean;
}

/** The last accepted order of a deployment, as stored in the cluster. */
export interface AcceptedOrder extends OrderFacts {
  readonly documents: readonly Document[];
}

/** An order of an earlier release names no platform: the one that was obeyed last stays recorded. */
export function acceptedOrder(order: DeliveryOrder, known?: Known): AcceptedOrder {
  const { deployment, revision } = order;
  const obeyed = order.origin ?? (known && obeyedOf(known));
  const origin = obeyed === undefined ? {} : { origin: obeyed };
  if (order.kind === 'remove') {
    return { deployment, revision, ...origin, documents: [], healthRules: [], driftPolicy: 'report' };
  }
  const { hash, documents, namespace, healthRules, driftPolicy, secretPlaces } = order;
  const policy = documents.find(isPolicy);
  const content = { hash, documents, namespace, healthRules, driftPolicy, policy, secretPlaces };
  return { deployment, revision, ...origin, ...content };
}

/** Records of a deployment in a cluster. */
export interface Known {
  readonly order: OrderFacts | undefined;
  readonly inventory: ApplySetInventory | undefined;
}

export type OrderVerdict =
  | { readonly kind: 'new' }
  /** The same order as the last accepted one. */
  | { readonly kind: 'again' }
  | { readonly kind: 'fenced'; readonly seen: number }
  /** A later incarnation of the platform has this target. */
  | { readonly kind: 'rejected'; readonly message: string };

/**
 * Never accepts an order of an earlier incarnation of the platform than it has obeyed, nor a revision below one already
 * seen. Different content under the same revision replaces the earlier one.
 */
export function verdictOf(
  known: Known,
  { revision, hash, origin }: Pick<OrderFacts, 'revision' | 'hash' | 'origin'>,
): OrderVerdict {
  const seen = seenOf(known);
  const message = whySuperseded(obeyedOf(known), origin);
  if (message !== undefined) return { kind: 'rejected', message };
  if (seen === undefined || revision > seen.revision) return { kind: 'new' };
  if (revision < seen.revision) return { kind: 'fenced', seen: seen.revision };
  return { kind: hash === seen.hash && isObeyed(seen.origin, origin) ? 'again' : 'new' };
}

/** Whether nothing is left to do for an accepted order. */
export function isDone(
  { order, inventory }: Known,
  { revision, hash }: Pick<OrderFacts, 'revision' | 'hash'>,
): boolean {
  // A completed removal is not stored; a delivery is, until it is removed.
  if (hash === undefined) return order === undefined;
  return order !== undefined && inventory?.held?.revision === revision && inventory.held.hash === hash;
}

/**
 * The order takes precedence, because it is stored before any work starts. After a completed removal there is no order,
 * and the inventory counts.
 */
function seenOf({ order, inventory }: Known): Pick<OrderFacts, 'revision' | 'hash' | 'origin'> | undefined {
  const kept = inventory?.seen;
  if (order === undefined) return kept;
  return kept === undefined || order.revision >= kept.revision ? order : kept;
}

/** The order and the inventory may be of different incarnations after a crash: the later one counts. */
function obeyedOf({ order, inventory }: Known): OrderOrigin | undefined {
  const [one, other] = [order?.origin, inventory?.seen.origin];
  if (one === undefined || other === undefined) return one ?? other;
  return isLater(one, other) ? one : other;
}

/** An order that a later incarnation repeats is stored again, so that the record names it. */
function isObeyed(recorded: OrderOrigin | undefined, asking: OrderOrigin | undefined): boolean {
  return recorded === undefined || asking === undefined || recorded.incarnation === asking.incarnation;
}
