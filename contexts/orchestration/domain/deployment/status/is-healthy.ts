import type { Deployment } from '../deployment.ts';

/** The last requested state is on every placed target and available there. A deployment placed nowhere is healthy. */
export function isHealthy(deployment: Deployment): boolean {
  const { generation, observedGeneration, rollout, deletion, status } = deployment;
  if (deletion !== undefined || rollout !== undefined || observedGeneration !== generation) return false;
  if (status.trouble !== undefined || status.placement.kind !== 'sure') return false;
  const { placed, available } = status.counts;
  return available === placed;
}
