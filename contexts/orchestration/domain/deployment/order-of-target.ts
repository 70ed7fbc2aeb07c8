import type { FailureReason } from '../rollout/machine/member.ts';
import type { AppliedContent, DeploymentTarget, Order } from './deployment-target.ts';

/**
 * The hash of uncertain content: something was sent, and its result was never reported. It equals no other hash, so the
 * next order is always sent.
 */
export const UNSURE_HASH = '';

/** Replaces whatever order the target had. */
export function withOrder(row: DeploymentTarget, order: Omit<Order, 'since'>, now: number): DeploymentTarget {
  const { failure: _, ...rest } = withoutOrder(row, now);
  return { ...rest, order: { ...order, since: now }, failure: undefined, isOwed: false };
}

/** Drops the order, which nothing waits for any more. It may still have arrived. */
export function withoutOrder(row: DeploymentTarget, now: number): DeploymentTarget {
  if (row.order === undefined) return row;
  return { ...row, applied: mayHave(row), order: undefined, updateTime: now };
}

/** The content that may be on the target when its current order is dropped. */
export function mayHave({ applied, order }: DeploymentTarget): AppliedContent | undefined {
  if (order === undefined || order.state === 'queued') return applied;
  if (order.kind === 'deliver' && order.hash === applied?.hash) return applied;
  // A removal without a result leaves the content as uncertain as a delivery without one.
  if (order.kind === 'remove' && applied === undefined) return undefined;
  return { revision: Math.max(order.revision, applied?.revision ?? 0), hash: UNSURE_HASH };
}

/** Whether there is, or may be, content of the deployment on the target. */
export function hasContent(row: DeploymentTarget): boolean {
  return mayHave(row) !== undefined;
}

/** Marks the order as sent to the agent. */
export function sent(row: DeploymentTarget, hash: string | undefined, now: number): DeploymentTarget {
  const { order } = row;
  if (order === undefined) return row;
  return { ...row, order: { ...order, state: 'sent', ...(hash === undefined ? {} : { hash }) }, updateTime: now };
}

/** The target already had the content, and nothing was sent. */
export function leftAsItIs(row: DeploymentTarget, now: number): DeploymentTarget {
  return { ...row, order: undefined, failure: undefined, isOwed: false, updateTime: now };
}

export function failed(
  row: DeploymentTarget,
  failure: { readonly reason: FailureReason; readonly message: string; readonly revision: number },
  now: number,
): DeploymentTarget {
  return { ...row, failure, updateTime: now };
}
