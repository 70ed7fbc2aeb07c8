import type { FailureReason } from '../rollout/machine/member.ts';
import type { AppliedContent, DeploymentTarget, Order } from './deployment-target.ts';

/**
 * The hash of content that nobody is sure of: something was sent, and what became of it was never heard. It equals no
 * other, so that whatever comes next is sent.
 */
export const UNSURE_HASH = '';

/** Something new is asked of the target, whatever was asked before. */
export function withOrder(row: DeploymentTarget, order: Omit<Order, 'since'>, now: number): DeploymentTarget {
  const { failure: _, ...rest } = withoutOrder(row, now);
  return { ...rest, order: { ...order, since: now }, failure: undefined, isOwed: false };
}

/** Nobody waits for what was asked. It may have arrived all the same. */
export function withoutOrder(row: DeploymentTarget, now: number): DeploymentTarget {
  if (row.order === undefined) return row;
  return { ...row, applied: mayHave(row), order: undefined, updateTime: now };
}

/** What is on it once what was asked of it is not waited for any longer. */
export function mayHave({ applied, order }: DeploymentTarget): AppliedContent | undefined {
  if (order === undefined || order.state === 'queued') return applied;
  if (order.kind === 'deliver' && order.hash === applied?.hash) return applied;
  // What a removal may have left behind is no more certain than what a delivery may have brought.
  if (order.kind === 'remove' && applied === undefined) return undefined;
  return { revision: Math.max(order.revision, applied?.revision ?? 0), hash: UNSURE_HASH };
}

/** Whether there is, or may be, something of the deployment on the target. */
export function hasContent(row: DeploymentTarget): boolean {
  return mayHave(row) !== undefined;
}

/** It goes to the agent now. */
export function sent(row: DeploymentTarget, hash: string | undefined, now: number): DeploymentTarget {
  const { order } = row;
  if (order === undefined) return row;
  return { ...row, order: { ...order, state: 'sent', ...(hash === undefined ? {} : { hash }) }, updateTime: now };
}

/** It had that before, and nothing was sent. */
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
