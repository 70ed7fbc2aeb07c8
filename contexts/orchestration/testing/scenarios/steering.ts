import assert from 'node:assert/strict';
import type { TargetId } from '#protocol/targets';
import type { RolloutStatus } from '../../domain/deployment/status/deployment-status.ts';
import { aRevision } from '../a-revision.ts';
import { aRow } from '../a-row.ts';
import {
  ALICE,
  asked,
  given,
  got,
  meanwhile,
  patch,
  planned,
  refused,
  type Scenario,
  stands,
  updated,
  verb,
} from './steps.ts';

const EDGE = 'edge-1-uid' as TargetId;

const RUNNING: RolloutStatus = {
  revision: 1,
  phase: 'Running',
  since: 1_000,
  startTime: 1_000,
  requestedBy: ALICE,
  trigger: 'it was created',
  steps: [],
  waits: [{ kind: 'targets', since: 1_000, message: 'targets are in change', unblock: 'they are available' }],
};
const STOPPED: RolloutStatus = { ...RUNNING, phase: 'Paused', reason: 'FailuresExceeded', message: '2 targets failed' };
const rollsOut = (rollout = RUNNING) =>
  stands('web', { revision: 1, rollout: 1, observedGeneration: 1, status: { rollout } });

/** The events that the rollout finds in its inbox. */
const told = (...want: readonly object[]) =>
  meanwhile('web', async (unit, { uid }, signal) => {
    assert.deepEqual(await unit.rollouts.take({ deployment: uid, revision: 1 }, 10, signal), want);
  });
const PAUSE = { kind: 'pause', by: ALICE, message: '' };
const condition = (type: string, status: string, reason: string) => ({ conditions: [{ type, status, reason }] });

/** The last delivery to it failed. */
export const failed = (name: string) =>
  meanwhile('web', async (unit, { uid }, signal) => {
    const failure = { reason: 'DeliveryFailed', message: 'out of disk', revision: 1 } as const;
    const its = { deployment: uid, name, target: `${name}-uid` as TargetId };
    await unit.targets.put([aRow({ ...its, failure })], signal);
  });
const RETRY_BOTH = { kind: 'retry', targets: [EDGE, 'edge-2-uid' as TargetId], by: ALICE } as const;

/** The revisions that the agents of these targets claim to have seen, where they are ahead. */
const ahead = (seen: Readonly<Record<string, number | undefined>>) =>
  meanwhile('web', async (unit, { uid }, signal) => {
    const rows = Object.entries(seen).map(([name, claimed]) => {
      const failure = {
        reason: 'RevisionAhead',
        message: 'its agent is ahead',
        revision: 1,
        seen: claimed ?? 0,
      } as const;
      const its = { deployment: uid, name, target: `${name}-uid` as TargetId };
      return aRow({ ...its, failure: claimed === undefined ? undefined : failure });
    });
    await unit.targets.put(rows, signal);
  });
const accepted = (name: string, revision: number) =>
  ({ kind: 'ahead', target: `${name}-uid` as TargetId, revision, by: ALICE }) as const;

export const STEERING: readonly Scenario[] = [
  {
    why: 'pause and resume are the field rolloutState, and the rollout under way is told',
    steps: [
      ...given('web'),
      rollsOut(),
      verb('web:pause', {}, { ...updated('web'), has: { rolloutState: 'paused' } }),
      told(PAUSE),
      verb('web:pause', {}, { status: 200, has: { rolloutState: 'paused' } }),
      told(),
      patch('web', { body: { rolloutState: 'running' } }, { ...updated('web'), has: { rolloutState: 'running' } }),
      told({ kind: 'resume' }),
    ],
  },
  {
    why: 'a rollout that stopped by itself goes on by a resume, though nobody had paused it',
    steps: [
      ...given('web'),
      rollsOut(STOPPED),
      got('web', condition('Paused', 'True', 'FailuresExceeded')),
      verb('web:resume', {}, { status: 200 }),
      told({ kind: 'resume' }),
    ],
  },
  {
    why: 'without a rollout there is nothing to abort or to replan',
    steps: [
      ...given('web'),
      verb('web:abort', {}, refused(409, 'noRollout')),
      verb('web:replan', {}, refused(409, 'noRollout')),
      rollsOut(),
      verb('web:abort', {}, asked({ kind: 'abort', by: ALICE })),
      verb('web:replan', {}, asked({ kind: 'replan', by: ALICE })),
    ],
  },
  {
    why: 'a retry is of all that failed, or of those that are named, which must be its targets',
    steps: [
      ...given('web'),
      failed('edge-1'),
      verb('web:retry', { body: {} }, planned({ kind: 'retry', by: ALICE })),
      verb('web:retry', { body: { targets: ['edge-1', EDGE] } }, asked({ kind: 'retry', targets: [EDGE], by: ALICE })),
      verb('web:retry', { body: { targets: ['edge-1', 'far'] } }, refused(400, 'notATarget', '/targets/1')),
    ],
  },
  {
    why: 'a retry of what did not fail is refused, instead of doing nothing',
    steps: [
      ...given('web'),
      verb('web:retry', { body: {} }, refused(409, 'nothingToRetry')),
      failed('edge-1'),
      meanwhile('web', async (unit, { uid }, signal) => {
        const fine = { name: 'edge-2', target: 'edge-2-uid' as TargetId };
        await unit.targets.put([aRow({ deployment: uid, ...fine })], signal);
      }),
      verb('web:retry', { body: { targets: ['edge-2'] } }, refused(409, 'nothingToRetry')),
      verb('web:retry', { body: { targets: ['edge-1', 'edge-2'] } }, planned(RETRY_BOTH)),
    ],
  },
  {
    why: 'a retry continues a rollout that stopped for failures, although all have recovered since',
    steps: [...given('web'), rollsOut(STOPPED), verb('web:retry', { body: {} }, asked({ kind: 'retry', by: ALICE }))],
  },
  {
    why: 'a rollback is to a revision that is there, at once unless paced',
    steps: [
      ...given('web'),
      meanwhile(
        'web',
        async (unit, { uid }, signal) => await unit.revisions.insert(aRevision({ deployment: uid }), signal),
      ),
      verb('web:rollback', { body: { revision: 2 } }, refused(404, 'revisionNotFound', '/revision')),
      stands('web', { observedGeneration: 1 }),
      got('web', { reconciling: false }),
      verb('web:rollback', { body: { revision: 1 } }, planned({ kind: 'rollback', to: 1, paced: false, by: ALICE })),
      got('web', { reconciling: true }),
      verb(
        'web:rollback',
        { body: { revision: 1, paced: true } },
        asked({ kind: 'rollback', to: 1, paced: true, by: ALICE }),
      ),
      verb('web:rollback', { body: { revision: 1 }, query: '?dryRun=true' }, { status: 200 }),
    ],
  },
  {
    why: 'a removal that is held says how to confirm it; only those that are held can be confirmed',
    steps: [
      ...given('web'),
      verb('web:confirmRemoval', { body: {} }, refused(409, 'nothingHeld')),
      meanwhile('web', async (unit, { uid }, signal) => await unit.targets.put([aRow({ deployment: uid })], signal)),
      stands('web', {
        status: {
          placement: {
            kind: 'sure',
            excluded: [],
            retained: [],
            missing: [],
            held: [{ id: EDGE, why: 'NoCause', message: 'is not selected any more' }],
          },
        },
      }),
      got('web', condition('Placed', 'False', 'RemovalHeld')),
      verb('web:confirmRemoval', { body: {} }, asked({ kind: 'confirmRemoval', by: ALICE })),
      verb(
        'web:confirmRemoval',
        { body: { targets: ['edge-1'] } },
        asked({ kind: 'confirmRemoval', targets: [EDGE], by: ALICE }),
      ),
      verb('web:confirmRemoval', { body: { targets: ['edge-2'] } }, refused(400, 'notATarget', '/targets/0')),
    ],
  },
  {
    why: 'a revision is accepted of all agents that are ahead, or of those that are named, and of no others',
    steps: [
      ...given('web'),
      verb('web:acceptRevision', { body: {} }, refused(409, 'nothingAhead')),
      ahead({ 'edge-1': 9, 'edge-2': 12, fine: undefined }),
      verb(
        'web:acceptRevision',
        { body: {} },
        { status: 200, triggers: [accepted('edge-1', 9), accepted('edge-2', 12)] },
      ),
      verb('web:acceptRevision', { body: { targets: ['edge-2'] } }, asked(accepted('edge-2', 12))),
      verb('web:acceptRevision', { body: { targets: [EDGE] } }, asked(accepted('edge-1', 9))),
      verb('web:acceptRevision', { body: { targets: ['edge-1', 'fine'] } }, refused(400, 'notATarget', '/targets/1')),
      verb('web:acceptRevision', { body: {}, query: '?dryRun=true' }, { status: 200 }),
      verb('web:acceptRevision', { body: {}, headers: { 'if-match': '"1-0"' } }, refused(412, 'preconditionFailed')),
      verb('none:acceptRevision', { body: {} }, refused(404, 'deploymentNotFound')),
    ],
  },
  {
    why: 'a revision that no platform gives is accepted by no one, also beside others',
    steps: [
      ...given('web'),
      ahead({ 'edge-1': 9, 'edge-2': 2 ** 40 + 1 }),
      verb('web:acceptRevision', { body: {} }, refused(409, 'revisionTooHigh')),
      verb('web:acceptRevision', { body: { targets: ['edge-2'] } }, refused(409, 'revisionTooHigh')),
      verb('web:acceptRevision', { body: { targets: ['edge-1'] } }, asked(accepted('edge-1', 9))),
      ahead({ 'edge-2': 2 ** 40 }),
      verb('web:acceptRevision', { body: { targets: ['edge-2'] } }, asked(accepted('edge-2', 2 ** 40))),
    ],
  },
  {
    why: 'a rollout that does not move says for what it waits, since when, and what would unblock it',
    steps: [
      ...given('web'),
      rollsOut(),
      got('web', {
        reconciling: true,
        revision: 1,
        status: {
          rollout: {
            waits: [
              {
                kind: 'targets',
                since: '1970-01-01T00:00:01.000Z',
                message: 'targets are in change',
                unblock: 'they are available',
              },
            ],
          },
        },
      }),
    ],
  },
];
