import type { DeliveryOrder } from '#protocol/delivery';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { countsAfter, NO_COUNTS } from '../../domain/deployment/status/counts-after.ts';

/** Checks the invariants of a deployment that is at rest or waits. Returns what is wrong. */
export function brokenPromises(deployment: Deployment, rows: readonly DeploymentTarget[]): readonly string[] {
  const { status, rollout } = deployment;
  const counts = rows.reduce((so, row) => countsAfter(so, undefined, row), NO_COUNTS);
  const broken: string[] = [];
  if (JSON.stringify(counts) !== JSON.stringify(status.counts)) {
    broken.push(`counts ${JSON.stringify(status.counts)} of rows that come to ${JSON.stringify(counts)}`);
  }
  if (rollout !== undefined && (status.rollout?.waits.length ?? 0) === 0)
    broken.push('a rollout that waits for nothing');
  if (rollout !== undefined && status.rollout?.phase === 'Finished')
    broken.push('a finished rollout that is under way');
  if (rollout === undefined && rows.some(({ order }) => order?.state === 'queued'))
    broken.push('an order that nobody sends');
  return broken;
}

/** Targets that were sent the same content under the same revision more often than there were reasons to. */
export function needlessDispatches(dispatched: readonly DeliveryOrder[], reasons: number): readonly string[] {
  const times = new Map<string, number>();
  for (const order of dispatched) {
    const key = `${order.kind} ${order.target.name} of ${order.deployment} at ${order.revision}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return [...times].filter(([, count]) => count > 1 + reasons).map(([key, count]) => `${key}: ${count} times`);
}
