import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aDeployment } from '../../testing/a-revision.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { DeploymentStatus, RolloutStatus } from '../deployment/status/deployment-status.ts';
import { changed } from '../deployment/status/with-status.ts';
import { abortedRollout, groupNotices, viewChild } from './child-view.ts';

const PLACED = { ...aDeployment().status, placement: { ...aDeployment().status.placement, kind: 'sure' as const } };
const ROLLOUT: RolloutStatus = {
  revision: 1,
  phase: 'Running',
  since: 0,
  startTime: 0,
  requestedBy: 'ann',
  trigger: '',
  steps: [],
  waits: [],
};
const counted = (its: Partial<DeploymentStatus['counts']>): DeploymentStatus => ({
  ...PLACED,
  counts: { ...PLACED.counts, placed: 1, ...its },
});
/** With the derived conditions. */
const child = (its: Partial<Deployment>): Deployment =>
  changed(aDeployment({ status: counted({ available: 1 }) }), { revision: 1, ...its }, 1_000);

describe('the abort of a rollout', () => {
  const aborted: RolloutStatus = { ...ROLLOUT, revision: 3, phase: 'Finished', outcome: 'Aborted' };
  for (const { why, its, want } of [
    { why: 'was the last word', its: { status: { ...PLACED, rollout: aborted } }, want: 3 },
    { why: 'is over with the next one', its: { rollout: 4, status: { ...PLACED, rollout: aborted } }, want: undefined },
    {
      why: 'is no other end',
      its: { status: { ...PLACED, rollout: { ...aborted, outcome: 'Superseded' as const } } },
      want: undefined,
    },
    { why: 'needs one', its: {}, want: undefined },
  ]) {
    test(why, () => assert.equal(abortedRollout(child(its)), want));
  }
});

describe('what a group sees of a child', () => {
  for (const { why, its, health, isMoving = false, message = '' } of [
    { why: 'all is well', its: {}, health: 'Healthy' },
    { why: 'what was asked is not planned', its: { generation: 2 }, health: 'Progressing', isMoving: true },
    {
      why: 'a rollout is under way',
      its: { rollout: 1, status: { ...counted({ unknown: 1 }), rollout: ROLLOUT } },
      health: 'Progressing',
      isMoving: true,
    },
    {
      why: 'a target is degraded while a rollout is under way: it may get better',
      its: { rollout: 1, status: { ...counted({ degraded: 1 }), rollout: ROLLOUT } },
      health: 'Degraded',
      isMoving: true,
      message: 'It is degraded on 1 target.',
    },
    {
      why: 'a rollout stopped by itself',
      its: {
        rollout: 1,
        status: {
          ...counted({ failed: 1 }),
          rollout: { ...ROLLOUT, phase: 'Paused', reason: 'FailuresExceeded', message: 'too much went wrong' },
        },
      },
      health: 'Degraded',
      message: 'too much went wrong',
    },
    {
      why: 'somebody paused it, which is no failure',
      its: {
        rollout: 1,
        rolloutState: 'paused',
        status: {
          ...counted({ unknown: 1 }),
          rollout: { ...ROLLOUT, phase: 'Paused', reason: 'PausedByUser', message: '' },
        },
      },
      health: 'Progressing',
      isMoving: true,
    },
    {
      why: 'a target broke long after',
      its: { status: counted({ degraded: 1 }) },
      health: 'Degraded',
      message: 'It is degraded on 1 target.',
    },
    {
      why: 'a rollout was aborted',
      its: {
        status: {
          ...counted({ unknown: 1 }),
          rollout: { ...ROLLOUT, phase: 'Finished', outcome: 'Aborted', message: 'ann' },
        },
      },
      health: 'Degraded',
      message: 'ann',
    },
    {
      why: 'its manifest cannot be read, which is tried again',
      its: {
        status: { ...counted({}), trouble: { reason: 'ManifestFailed', message: 'no such repository', since: 0 } },
      },
      health: 'Degraded',
      isMoving: true,
      message: 'no such repository',
    },
    {
      why: 'its placement is in doubt, which is no failure',
      its: { status: { ...counted({}), trouble: { reason: 'PlacementUnsure', message: 'unsynced', since: 0 } } },
      health: 'Progressing',
      isMoving: true,
    },
  ] satisfies { why: string; its: Partial<Deployment>; health: string; isMoving?: boolean; message?: string }[]) {
    test(why, () => {
      const { health: found, isMoving: moves, message: says } = viewChild(child(its));
      assert.deepEqual([found, moves, says], [health, isMoving, message]);
    });
  }
});

describe('a group notices', () => {
  const before = child({});
  for (const { why, its, want } of [
    { why: 'a pause', its: { rolloutState: 'paused' }, want: true },
    { why: 'a deletion', its: { deletion: { time: 1, by: 'ann' } }, want: true },
    { why: 'another spec', its: { generation: 2 }, want: true },
    { why: 'another health', its: { status: counted({ degraded: 1 }) }, want: true },
    { why: 'no other label', its: { labels: { a: 'b' } }, want: false },
    { why: 'nothing that leaves it as well as it was', its: { revision: 2, observedGeneration: 1 }, want: false },
  ] satisfies { why: string; its: Partial<Deployment>; want: boolean }[]) {
    test(why, () => assert.equal(groupNotices(before, changed(before, its, 2_000)), want));
  }
});
