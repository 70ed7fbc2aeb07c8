import type { DeliveryOrder, OrderOrigin } from '#protocol/delivery';

/**
 * The last order that an agent took for a deployment on a target. It outlives the content: a removal counts as well.
 */
export interface Seen {
  readonly revision: number;
  /** `undefined` for a removal. */
  readonly hash: string | undefined;
  /** The platform that gave it; unknown after a restart. */
  readonly origin?: OrderOrigin | undefined;
}

export type OrderVerdict =
  | { readonly kind: 'new'; readonly seen: Seen }
  /** The same order as the last. It is acknowledged again, and its outcome is reported again. */
  | { readonly kind: 'again'; readonly seen: Seen }
  | { readonly kind: 'fenced'; readonly seen: Seen };

/**
 * Whether an agent may carry out an order: it never goes back to an older revision.
 *
 * DECISION: different content under a known revision is accepted, and the later order counts. Within one rollout a
 * target may be removed and then placed again, and an order regenerated after a crash may differ from the one that was
 * lost. The router sends the orders of a deployment to a target one after another, so that "later" is well defined.
 */
export function fence(seen: Seen | undefined, order: DeliveryOrder): OrderVerdict {
  const hash = order.kind === 'deliver' ? order.hash : undefined;
  const asked: Seen = { revision: order.revision, hash, origin: order.origin ?? seen?.origin };
  if (seen === undefined || asked.revision > seen.revision) return { kind: 'new', seen: asked };
  if (asked.revision < seen.revision) return { kind: 'fenced', seen };
  return asked.hash === seen.hash ? { kind: 'again', seen } : { kind: 'new', seen: asked };
}
