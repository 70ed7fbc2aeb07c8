import type { Uuid } from '#kit/std';
import type { DeliveryOrder, Document, HealthRule } from '#protocol/delivery';
import { isPolicy } from './delivery-policy.ts';
import type { ApplySetInventory } from './inventory.ts';

/** An order without its documents, which may be large. */
export interface OrderFacts {
  readonly deployment: Uuid;
  readonly revision: number;
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

export function acceptedOrder(order: DeliveryOrder): AcceptedOrder {
  const { deployment, revision } = order;
  if (order.kind === 'remove') return { deployment, revision, documents: [], healthRules: [], driftPolicy: 'report' };
  const { hash, documents, namespace, healthRules, driftPolicy, secretPlaces } = order;
  const policy = documents.find(isPolicy);
  return { deployment, revision, hash, documents, namespace, healthRules, driftPolicy, policy, secretPlaces };
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
  | { readonly kind: 'fenced'; readonly seen: number };

/**
 * Never accepts a revision below one already seen. Different content under the same revision replaces the earlier one.
 */
export function verdictOf(known: Known, { revision, hash }: Pick<OrderFacts, 'revision' | 'hash'>): OrderVerdict {
  const seen = seenOf(known);
  if (seen === undefined || revision > seen.revision) return { kind: 'new' };
  if (revision < seen.revision) return { kind: 'fenced', seen: seen.revision };
  return { kind: hash === seen.hash ? 'again' : 'new' };
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
function seenOf({ order, inventory }: Known): Pick<OrderFacts, 'revision' | 'hash'> | undefined {
  const kept = inventory?.seen;
  if (order === undefined) return kept;
  return kept === undefined || order.revision >= kept.revision ? order : kept;
}
