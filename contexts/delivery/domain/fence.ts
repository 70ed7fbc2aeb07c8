import type { DeliveryOrder } from '#protocol/delivery';

/** The last order that an agent took for a deployment on a target. It outlives the content: a removal is one, too. */
export interface Seen {
  readonly revision: number;
  /** `undefined` for a removal. */
  readonly hash: string | undefined;
}

export type Passage =
  | { readonly kind: 'new'; readonly seen: Seen }
  /** The very order that it took last. It is acknowledged once more, and what became of it is told once more. */
  | { readonly kind: 'again'; readonly seen: Seen }
  | { readonly kind: 'fenced'; readonly seen: Seen };

/**
 * Whether an agent may do what it is asked to: it never goes back.
 *
 * DECISION: another content under a revision that was seen is let through, the later word counts. Within one rollout a
 * target may be removed and then placed again, and an order that was generated anew after a crash may differ from the
 * one that got lost. The router sends the orders of a deployment to a target one after another, so that "later" has a
 * meaning.
 */
export function fence(seen: Seen | undefined, order: DeliveryOrder): Passage {
  const asked: Seen = { revision: order.revision, hash: order.kind === 'deliver' ? order.hash : undefined };
  if (seen === undefined || asked.revision > seen.revision) return { kind: 'new', seen: asked };
  if (asked.revision < seen.revision) return { kind: 'fenced', seen };
  return asked.hash === seen.hash ? { kind: 'again', seen } : { kind: 'new', seen: asked };
}
