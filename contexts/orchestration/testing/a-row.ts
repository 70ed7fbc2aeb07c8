import type { TargetId } from '#protocol/targets';
import type { DeploymentTarget } from '../domain/deployment/deployment-target.ts';
import { aDeployment } from './a-revision.ts';

/** A target that has revision 1 and is available, except for the given fields. */
export function aRow(its: Partial<DeploymentTarget> = {}): DeploymentTarget {
  return {
    deployment: aDeployment().uid,
    target: 'edge-1-uid' as TargetId,
    name: 'edge-1',
    type: 'kubernetes',
    isPlaced: true,
    isOnline: true,
    applied: { revision: 1, hash: 'sha256:1' },
    order: undefined,
    failure: undefined,
    health: 'Available',
    healthRevision: 1,
    healthMessage: '',
    isOwed: false,
    drift: [],
    instance: undefined,
    updateTime: 1_000,
    ...its,
  };
}
