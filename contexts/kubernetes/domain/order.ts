import type { Uuid } from '#kit/std';
import type { DeliveryOrder, Document, HealthRule } from '#protocol/delivery';
import { isPolicy } from './delivery-policy.ts';
import type { ApplySetInventory } from './inventory.ts';

/** What is known of an order without its documents, which may be large. */
export interface OrderFacts {
  readonly deployment: Uuid;
  readonly revision: number;
  /** `undefined` for a removal. */
  readonly hash?: string | undefined;
  readonly namespace?: string | undefined;
  readonly healthRules: readonly HealthRule[];
  readonly driftPolicy: 'report' | 'repair';
  /** How it is carried out, if the order says so. */
  readonly policy?: Document | undefined;
  /** JSON pointers into the documents; missing in orders that were kept by an earlier release. */
  readonly secretPlaces?: readonly string[] | undefined;
  /** Nobody waits for it any longer: it is not begun, and not gone on with. */
  readonly isCancelled?: boolean;
}

/** The last order of a deployment that was accepted, as it is kept in the cluster. */
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

/** What a cluster knows of a deployment. */
export interface Known {
  readonly order: OrderFacts | undefined;
  readonly inventory: ApplySetInventory | undefined;
}

export type Passage =
  | { readonly kind: 'new' }
  /** The very order that was taken last. */
  | { readonly kind: 'again' }
  | { readonly kind: 'fenced'; readonly seen: number };

/** Never back behind a revision that was seen. Another content under the same revision is a later word. */
export function passageOf(known: Known, { revision, hash }: Pick<OrderFacts, 'revision' | 'hash'>): Passage {
  const seen = seenOf(known);
  if (seen === undefined || revision > seen.revision) return { kind: 'new' };
  if (revision < seen.revision) return { kind: 'fenced', seen: seen.revision };
  return { kind: hash === seen.hash ? 'again' : 'new' };
}

/** Whether nothing is left to do for an order that was taken. */
export function isDone(
  { order, inventory }: Known,
  { revision, hash }: Pick<OrderFacts, 'revision' | 'hash'>,
): boolean {
  // A removal that is done is not kept; a delivery is, for as long as it is there.
  if (hash === undefined) return order === undefined;
  return order !== undefined && inventory?.held?.revision === revision && inventory.held.hash === hash;
}

/**
 * The order speaks first: it is taken before anything is done about it. Once a removal is done there is none, and the
 * inventory has the last word.
 */
function seenOf({ order, inventory }: Known): Pick<OrderFacts, 'revision' | 'hash'> | undefined {
  const kept = inventory?.seen;
  if (order === undefined) return kept;
  return kept === undefined || order.revision >= kept.revision ? order : kept;
}
