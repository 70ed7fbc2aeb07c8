import type { ApprovalResource, DeploymentResource, DeploymentTargetResource } from '#protocol/api';
import type { Rollout, Step } from '../rollout/rollout-parts.ts';

/** The fixed current time of the fixtures. */
export const NOW = Date.parse('2030-01-01T00:10:00.000Z');
/** Two minutes earlier. */
export const TIME = '2030-01-01T00:08:00.000Z';

const UID = '01a1e1a7-7cfc-7378-a5ae-475533dbca95';

export interface DeploymentParts {
  readonly counts?: Partial<DeploymentResource['status']['counts']>;
  readonly placement?: Partial<DeploymentResource['status']['placement']>;
  readonly rollout?: Partial<Rollout> | undefined;
  readonly blocked?: DeploymentResource['status']['blocked'];
  readonly its?: Partial<DeploymentResource>;
}

/** A deployment that is being rolled out, as in the API. */
export function aDeployment({ counts, placement, rollout, blocked, its }: DeploymentParts = {}): DeploymentResource {
  const none = { degraded: 0, unknown: 0, offline: 0, underWay: 0, failed: 0, leaving: 0, drifted: 0, ahead: 0 };
  return {
    name: 'web',
    uid: UID,
    workspace: 'shop',
    labels: {},
    manifest: { type: 'inline', documents: [] },
    placement: [{ type: 'all' }],
    rollout: { type: 'immediate' },
    healthRules: [],
    driftPolicy: 'report',
    config: {},
    rolloutState: 'running',
    generation: 3,
    observedGeneration: 3,
    reconciling: true,
    revision: 7,
    conditions: [],
    status: {
      counts: { placed: 10, available: 10, ...none, ...counts },
      placement: { kind: 'sure', excluded: [], retained: [], missing: [], held: [], ...placement },
      ...(rollout === undefined ? {} : { rollout: aRollout(rollout) }),
      ...(blocked === undefined ? {} : { blocked }),
    },
    createTime: TIME,
    updateTime: TIME,
    etag: '9-x',
    ...its,
  };
}

export function aRollout(its: Partial<Rollout> = {}): Rollout {
  return {
    revision: 7,
    phase: 'Running',
    since: TIME,
    startTime: TIME,
    requestedBy: 'user:alice',
    trigger: 'the manifest was changed',
    steps: [],
    waits: [],
    ...its,
  };
}

export function aStep(name: string, its: Partial<Step> = {}): Step {
  return { name, fate: 'open', targets: 4, done: 0, failed: 0, underWay: 0, ...its };
}

export function aTarget(target: string, its: Partial<DeploymentTargetResource> = {}): DeploymentTargetResource {
  return {
    target,
    uid: `uid-of-${target}`,
    type: 'kubernetes',
    placed: true,
    online: true,
    applied: { revision: 7, hash: 'x' },
    health: { status: 'Available', revision: 7, message: '' },
    owed: false,
    drift: [],
    updateTime: TIME,
    ...its,
  };
}

export function anApproval(its: Partial<ApprovalResource> = {}): ApprovalResource {
  return {
    uid: UID,
    workspace: 'shop',
    deployment: 'web',
    revision: 7,
    gate: 'canary/after/0',
    step: 'canary',
    requestedBy: 'user:alice',
    requesters: ['user:alice'],
    needsDistinctApprover: true,
    createTime: TIME,
    state: 'Open',
    etag: '1-x',
    ...its,
  };
}
