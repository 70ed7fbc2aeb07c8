import type { Deployment } from './deployment.ts';

/** What was asked for last is everywhere where it should be, and well. One that is placed nowhere is healthy. */
export function isHealthy(deployment: Deployment): boolean {
  const { generation, observedGeneration, rollout, deletion, status } = deployment;
  if (deletion !== undefined || rollout !== undefined || observedGeneration !== generation) return false;
  if (status.trouble !== undefined || status.placement.kind !== 'sure') return false;
  const { placed, available } = status.counts;
  return available === placed;
}
