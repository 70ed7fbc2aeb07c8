import type { ResourceName, Uuid } from '#kit/std';
import type { Deployment, DeploymentSpec } from '../domain/deployment/deployment.ts';
import type { Revision } from '../domain/deployment/revision.ts';

const SPEC: DeploymentSpec = {
  manifest: { type: 'inline', documents: [{ kind: 'Note', text: 'hello' }] },
  placement: [{ type: 'all' }],
  rollout: { type: 'immediate' },
  healthRules: [],
  driftPolicy: 'report',
  config: {},
};

const COUNTS = {
  placed: 0,
  available: 0,
  degraded: 0,
  unknown: 0,
  offline: 0,
  underWay: 0,
  failed: 0,
  leaving: 0,
  drifted: 0,
  ahead: 0,
  progressing: 0,
};

/** An existing deployment, with the given fields. */
export function aDeployment(its: Partial<Deployment> = {}): Deployment {
  return {
    uid: '00000000-0000-7000-8000-0000000000d1' as Uuid,
    name: 'web' as ResourceName,
    workspace: { name: 'emea' as ResourceName, path: '/root/emea/' },
    labels: {},
    spec: SPEC,
    rolloutState: 'running',
    owner: undefined,
    deletion: undefined,
    generation: 1,
    observedGeneration: 1,
    revision: 0,
    rollout: undefined,
    status: {
      conditions: [],
      placement: { kind: 'unresolved', excluded: [], retained: [], missing: [], held: [], waiting: [] },
      counts: COUNTS,
    },
    version: 1,
    createTime: 1_000,
    updateTime: 1_000,
    ...its,
  };
}

/** A revision of that deployment. */
export function aRevision(its: Partial<Revision> = {}): Revision {
  return {
    deployment: aDeployment().uid,
    revision: 1,
    generation: 1,
    spec: SPEC,
    trigger: 'user:ann created it',
    requestedBy: 'user:ann',
    rollbackTo: undefined,
    isPaced: true,
    createTime: 1_000,
    endTime: undefined,
    outcome: undefined,
    message: undefined,
    turns: 0,
    ...its,
  };
}
