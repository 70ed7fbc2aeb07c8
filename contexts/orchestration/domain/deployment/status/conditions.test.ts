import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TargetId } from '#protocol/targets';
import { aDeployment } from '../../../testing/a-revision.ts';
import type { Deployment } from '../deployment.ts';
import { conditionsOf } from './conditions.ts';
import { NO_COUNTS } from './counts-after.ts';
import type { DeploymentStatus, RolloutStatus, TargetCounts } from './deployment-status.ts';

const PLACED = { kind: 'sure', excluded: [], retained: [], missing: [], held: [] } as const;
const TEN: TargetCounts = { ...NO_COUNTS, placed: 10, available: 10 };
const RUNNING: RolloutStatus = {
  revision: 2,
  phase: 'Running',
  since: 5,
  startTime: 5,
  requestedBy: 'user:alice',
  trigger: 'user:alice changed it',
  steps: [],
  waits: [{ kind: 'targets', since: 5, message: 'targets are in change', unblock: 'they are available' }],
};
const conflict = {
  kind: 'conflict',
  since: 5,
  message: 'none may be unavailable',
  unblock: 'a larger budget',
} as const;
const gate = { kind: 'gate', gate: 'g1', since: 5, message: 'waits for an approval', unblock: 'approve it' } as const;

interface Standing {
  readonly status?: Partial<DeploymentStatus>;
  readonly its?: Partial<Deployment>;
}

/** A healthy deployment, except for the given fields. */
function standing({ status = {}, its = {} }: Standing): Deployment {
  return aDeployment({ status: { conditions: [], placement: PLACED, counts: TEN, ...status }, ...its });
}
const rolling = (rollout: Partial<RolloutStatus> = {}): Standing => ({
  status: { rollout: { ...RUNNING, ...rollout } },
  its: { rollout: 2 },
});

describe('conditions', () => {
  for (const { why, seen, want } of [
    {
      why: 'all is well',
      seen: {},
      want: [
        'Placed True Resolved',
        'Planned True Planned',
        'Progressing False NothingToDo',
        'Available True AllAvailable',
        'Degraded False NoneDegraded',
        'Drifted False NoneDrifted',
        'Conflict False NoConflict',
        'Paused False NotPaused',
      ],
    },
    {
      why: 'nobody has looked yet',
      seen: {
        status: { placement: { ...PLACED, kind: 'unresolved' }, counts: NO_COUNTS },
        its: { observedGeneration: 0 },
      },
      want: [
        'Placed Unknown Unresolved',
        'Planned Unknown NotPlannedYet',
        'Progressing True NotPlannedYet',
        'Available Unknown Unresolved',
      ],
    },
    {
      why: 'a placement in doubt is not "nowhere"',
      seen: { status: { placement: { ...PLACED, kind: 'unsure', why: 'scores are missing' } } },
      want: ['Placed Unknown PlacementUnsure', 'Available True AllAvailable'],
    },
    {
      why: 'a removal is held',
      seen: { status: { placement: { ...PLACED, held: [{ id: 'a' as TargetId, why: 'NoCause', message: '' }] } } },
      want: ['Placed False RemovalHeld'],
    },
    {
      why: 'a named target left',
      seen: { status: { placement: { ...PLACED, missing: ['x'] } } },
      want: ['Placed False TargetsMissing'],
    },
    {
      why: 'nobody is selected',
      seen: { status: { counts: NO_COUNTS } },
      want: ['Placed False NoTargets', 'Available True NoTargets'],
    },
    { why: 'it is to go', seen: { its: { deletion: { time: 5, by: 'user:alice' } } }, want: ['Placed False Deleting'] },
    {
      why: 'a strategy threw',
      seen: {
        status: { trouble: { reason: 'ManifestFailed', message: 'boom', since: 5 } },
        its: { observedGeneration: 0 },
      },
      want: ['Planned False ManifestFailed', 'Progressing False ManifestFailed'],
    },
    {
      why: 'a trouble that only a later release knows is told as the most general one',
      seen: { status: { trouble: { reason: 'MoonPhase', message: 'full', since: 5 } } },
      want: ['Planned False PlanFailed'],
    },
    { why: 'a rollout is under way', seen: rolling(), want: ['Progressing True RollingOut', 'Paused False NotPaused'] },
    { why: 'it waits at a gate', seen: rolling({ waits: [gate] }), want: ['Progressing True WaitingAtGate'] },
    {
      why: 'the budget lets nothing go on',
      seen: rolling({ waits: [conflict] }),
      want: ['Progressing False BudgetConflict', 'Conflict True BudgetConflict'],
    },
    {
      why: 'a rollout stopped by itself',
      seen: rolling({ phase: 'Paused', reason: 'FailuresExceeded', message: '3 failed' }),
      want: ['Progressing False FailuresExceeded', 'Paused True FailuresExceeded'],
    },
    {
      why: 'somebody paused it before there was a rollout',
      seen: { its: { rolloutState: 'paused' } },
      want: ['Progressing False NothingToDo', 'Paused True PausedByUser'],
    },
    {
      why: 'the last rollout was aborted',
      seen: { status: { rollout: { ...RUNNING, phase: 'Finished', outcome: 'Aborted', waits: [] } } },
      want: ['Progressing False Aborted', 'Conflict False NoConflict'],
    },
    {
      why: 'what the last rollout waited for is not waited for any more',
      seen: { status: { rollout: { ...RUNNING, phase: 'Finished', outcome: 'Succeeded', waits: [conflict] } } },
      want: ['Conflict False NoConflict', 'Progressing False Succeeded'],
    },
    {
      why: 'one is degraded',
      seen: { status: { counts: { ...TEN, available: 9, degraded: 1 } } },
      want: ['Available False SomeUnavailable', 'Degraded True TargetsDegraded'],
    },
    {
      why: 'one was changed by hand',
      seen: { status: { counts: { ...TEN, drifted: 1 } } },
      want: ['Available True AllAvailable', 'Drifted True TargetsDrifted'],
    },
    {
      why: 'one failed',
      seen: { status: { counts: { ...TEN, available: 9, failed: 1 } } },
      want: ['Available False SomeUnavailable', 'Degraded True TargetsFailed'],
    },
    {
      why: 'of one nothing was heard yet',
      seen: { status: { counts: { ...TEN, available: 9, unknown: 1 } } },
      want: ['Available Unknown HealthUnknown', 'Degraded False NoneDegraded'],
    },
    {
      why: 'one is offline',
      seen: { status: { counts: { ...TEN, available: 9, unknown: 1, offline: 1 } } },
      want: ['Available False SomeUnavailable'],
    },
  ] satisfies { why: string; seen: Standing; want: string[] }[]) {
    it(why, () => {
      const found = conditionsOf(standing(seen), 9).map(({ type, status, reason }) => `${type} ${status} ${reason}`);
      assert.deepEqual(
        want.filter((each) => !found.includes(each)),
        [],
        found.join('\n'),
      );
    });
  }
});
