import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDeployment, aStep, NOW, TIME } from '../testing/a-deployment.ts';
import type { Rollout } from './rollout-parts.ts';
import { tellChanges } from './tell-changes.ts';

const GATE = { id: 'canary/after/0', type: 'wait', since: TIME };
const WAIT = { kind: 'targets', since: TIME, message: 'targets are in change', unblock: 'they settle' } as const;

const START = { ...WAIT, kind: 'start' } as const;

const rows: { why: string; before?: Partial<Rollout>; after: Partial<Rollout>; want: string[] }[] = [
  {
    why: 'the first look tells all of it, but for stages that are to come',
    after: {
      steps: [aStep('canary', { done: 1 }), aStep('rest', { fate: 'ahead', targets: 1 })],
      waits: [START, WAIT],
    },
    want: [
      'revision 7: 5 targets in 2 stages; the manifest was changed; requested by user:alice',
      'canary: 1 of 4 done',
      'Running',
      'waiting for targets for 2m: targets are in change; to continue: they settle',
    ],
  },
  {
    why: 'nothing new is nothing told',
    before: { steps: [aStep('canary', { done: 1 })], waits: [WAIT] },
    after: { steps: [aStep('canary', { done: 1, underWay: 2 })], waits: [{ ...WAIT, count: 2, targets: ['a', 'b'] }] },
    want: [],
  },
  {
    why: 'one more is done, one failed, and it stands at its gate',
    before: { steps: [aStep('canary', { done: 1 })] },
    after: { steps: [aStep('canary', { done: 2, failed: 1, gate: GATE })] },
    want: ['canary: 2 of 4 done, 1 failed, at the gate wait'],
  },
  {
    why: 'a stage without targets says nothing',
    before: { steps: [aStep('rest', { targets: 0, fate: 'ahead' })] },
    after: { steps: [aStep('rest', { targets: 0, fate: 'passed' })] },
    want: [],
  },
  {
    why: 'a stage is cleared',
    before: { steps: [aStep('canary', { done: 4, gate: GATE })] },
    after: { steps: [aStep('canary', { done: 4, fate: 'cleared' })] },
    want: ['canary: 4 of 4 done, cleared'],
  },
  {
    why: 'it pauses',
    before: {},
    after: { phase: 'Paused', reason: 'FailuresExceeded', message: '2 failed' },
    want: ['Paused: FailuresExceeded: 2 failed'],
  },
  { why: 'it ends', before: {}, after: { phase: 'Finished', outcome: 'Succeeded' }, want: ['Succeeded'] },
  {
    why: 'another revision begins anew',
    before: { revision: 6, steps: [aStep('canary', { done: 4, fate: 'cleared' })] },
    after: { steps: [aStep('canary', { fate: 'ahead' })] },
    want: ['revision 7: 4 targets in 1 stage; the manifest was changed; requested by user:alice', 'Running'],
  },
];

for (const { why, before, after, want } of rows) {
  test(why, () => {
    const old = before === undefined ? undefined : aDeployment({ rollout: before });
    assert.deepEqual(tellChanges(old, aDeployment({ rollout: after }), NOW), want);
  });
}

test('what keeps it from being planned is told once', () => {
  const deployment = aDeployment({ blocked: { reason: 'PlanFailed', message: 'no', since: TIME } });
  assert.deepEqual(tellChanges(undefined, deployment, NOW), ['cannot be planned: PlanFailed: no']);
  assert.deepEqual(tellChanges(deployment, deployment, NOW), []);
});
