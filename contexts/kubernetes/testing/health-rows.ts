import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeHealth } from '../domain/health/judge-health.ts';
import type { ObjectEvent } from '../domain/health/object-health.ts';
import type { KubeObject } from '../domain/kube-object.ts';
import { conditions, live, pod } from './live-object.ts';

export interface HealthRow {
  readonly why: string;
  readonly object: KubeObject;
  readonly pods?: readonly KubeObject[];
  readonly events?: readonly ObjectEvent[];
  /** State and reason. */
  readonly want: string;
  readonly says?: RegExp;
}

export const CRASH = pod(
  { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=web' },
  {
    restartCount: 3,
    lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
  },
);
export const NO_IMAGE = pod({ reason: 'ImagePullBackOff', message: 'Back-off pulling image' });
export const FIRST_PULL = pod({ reason: 'ErrImagePull' });
export const STARTING = pod({ reason: 'ContainerCreating' });
export const NO_ROOM = live('v1/Pod', {
  status: {
    phase: 'Pending',
    conditions: conditions('PodScheduled=False Unschedulable 0/3 nodes are available: 3 Insufficient cpu.'),
  },
});
export const QUOTA: ObjectEvent = {
  type: 'Warning',
  reason: 'FailedCreate',
  message:
    'Error creating: pods "web-0" is forbidden: exceeded quota: team-a, requested: pods=1, used: pods=2, limited: pods=2',
};

/** Checks each row by itself, without rules of a deployment. */
export function describeHealth(what: string, rows: readonly HealthRow[]): void {
  describe(`health: ${what}`, () => {
    for (const { why, object, pods = [], events = [], want, says = /^/ } of rows) {
      it(why, () => {
        const judgement = { rules: [], evaluate: () => 'no rule was given' };
        const { state, reason, message } = judgeHealth({ object, pods, events }, judgement);
        assert.equal(`${state} ${reason}`, want, message);
        assert.match(message, says);
      });
    }
  });
}
