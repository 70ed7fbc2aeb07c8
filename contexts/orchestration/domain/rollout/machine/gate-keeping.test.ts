import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_GATES } from '../gates/built-in-gates.ts';
import type { Gate, GateSpec } from '../gates/gate.ts';
import { idOf, REVISION, rolloutOf } from '../testing/a-rollout.ts';
import { MINUTE, RolloutRun } from '../testing/rollout-run.ts';
import { approvalRefusal } from './approval-refusal.ts';
import { createDecide } from './decide.ts';

const FLEET = [
  { name: 'a', labels: { tier: 'canary' } },
  { name: 'b', labels: { tier: 'canary' } },
  { name: 'p', labels: { tier: 'prod' } },
];

function runWith(afterTasks: readonly GateSpec[], canary = {}): RolloutRun {
  const stages = [{ name: 'canary', selector: { matchLabels: { tier: 'canary' } }, afterTasks, ...canary }];
  return new RolloutRun({ type: 'staged', stages }, FLEET).settle('a', 'b');
}

test('wait: the next stage begins when the time is over, and a timer is asked for', () => {
  const run = runWith([{ type: 'wait', duration: '5m' }]);
  assert.deepEqual(run.actions, [{ kind: 'setTimer', at: 5 * MINUTE }]);
  assert.deepEqual(run.pass(4 * MINUTE).sent, []);
  assert.deepEqual(run.pass(MINUTE).sent, ['p']);
});

test('tasks follow each other: the approval is asked for when the wait is over', () => {
  const run = runWith([{ type: 'wait', duration: '10m' }, { type: 'approval' }]);
  assert.ok(!run.kinds().includes('requestApproval'));
  assert.ok(
    run
      .pass(10 * MINUTE)
      .kinds()
      .includes('requestApproval'),
  );
});

test('approval: a request bound to gate and revision, and the next stage when it is approved', () => {
  const run = runWith([{ type: 'approval', expiry: '1h' }]);
  const gate = run.state.gate?.id ?? '';
  assert.deepEqual(run.actions[0], {
    kind: 'requestApproval',
    gate,
    revision: REVISION,
    requireDistinctApprover: false,
    expiresAt: 60 * MINUTE,
  });
  run.tell({ kind: 'gateAnswered', gate, revision: REVISION - 1, answer: { kind: 'approved', by: 'bob' } });
  assert.deepEqual(run.sent, [], 'of another revision');
  assert.deepEqual(run.answer({ kind: 'approved', by: 'bob' }, 'canary/after/0/9').sent, [], 'of another opening');
  assert.deepEqual(run.answer({ kind: 'approved', by: 'bob' }).sent, ['p']);
  assert.deepEqual(run.actions[0], { kind: 'closeGate', gate });
});

test('approval: a rejection pauses with the reason, and a resume asks anew', () => {
  const run = runWith([{ type: 'approval' }]);
  const gate = run.state.gate?.id ?? '';
  run.answer({ kind: 'rejected', by: 'bob', message: 'not on a Friday' });
  assert.deepEqual(run.phase, {
    kind: 'Paused',
    since: 0,
    reason: 'GateRejected',
    message: 'bob rejected it: not on a Friday',
  });
  assert.ok(run.tell({ kind: 'resume' }).kinds().includes('requestApproval'));
  assert.notEqual(run.state.gate?.id, gate);
  assert.deepEqual(run.answer({ kind: 'approved', by: 'bob' }, gate).sent, [], 'the old request is over');
  assert.deepEqual(run.answer({ kind: 'approved', by: 'bob' }).sent, ['p']);
});

test('approval: nobody approves what he asked for where it takes two, and it expires', () => {
  const run = runWith([{ type: 'approval', requireDistinctApprover: true, expiry: '1h' }]);
  assert.deepEqual(run.answer({ kind: 'approved', by: 'ann' }).sent, []);
  run.pass(60 * MINUTE);
  assert.deepEqual(run.phase.kind === 'Paused' && run.phase.reason, 'GateExpired');
});

test('approval: an administrator overrides what a second person is missing for', () => {
  const run = runWith([{ type: 'approval', requireDistinctApprover: true }]);
  assert.deepEqual(run.answer({ kind: 'approved', by: 'admin:admin' }).sent, []);
  assert.deepEqual(run.answer({ kind: 'approved', by: 'admin:admin', override: true }).sent, ['p']);
});

test('approval: an answer that would not count is refused with the reason', () => {
  const run = runWith([{ type: 'approval', requireDistinctApprover: true }]);
  const answer = { rollout: 'r', gate: run.state.gate?.id ?? '', revision: REVISION, by: 'user:bob', isApproval: true };
  assert.equal(approvalRefusal(run.state, answer), undefined);
  assert.equal(approvalRefusal(run.state, { ...answer, by: 'ann' }), 'NotDistinct');
  assert.equal(approvalRefusal(run.state, { ...answer, by: 'serviceAccount:ci/bot' }), 'NotDistinct');
  assert.equal(approvalRefusal(run.state, { ...answer, by: 'ann', isOverride: true }), undefined);
  assert.equal(approvalRefusal(run.state, { ...answer, by: 'ann', isApproval: false }), undefined);
  assert.equal(approvalRefusal(run.state, { ...answer, rollout: 'other' }), 'Stale');
  assert.equal(approvalRefusal(run.state, { ...answer, revision: REVISION + 1 }), 'Stale');
  assert.equal(approvalRefusal(run.state, { ...answer, gate: 'canary/after/0/2' }), 'Stale');
  run.tell({ kind: 'pause', by: 'ann', message: '' }).answer({ kind: 'approved', by: 'user:bob' });
  assert.equal(approvalRefusal(run.state, answer), 'Stale', 'decided already');
});

for (const moment of ['Degraded', 'Progressing', 'Unknown'] as const) {
  test(`health: any moment not available restarts the clock, and whatever flaps is not stable: ${moment}`, () => {
    const run = runWith([{ type: 'health', stableDuration: '10m' }]);
    run
      .pass(9 * MINUTE)
      .health('a', moment)
      .health('a', 'Available');
    assert.deepEqual(run.pass(9 * MINUTE).sent, []);
    assert.deepEqual(run.pass(MINUTE).sent, ['p']);
  });
}

test('health: a target that is away is not available', () => {
  const run = runWith([{ type: 'health', stableDuration: '10m' }]);
  run.connection('b', false).pass(10 * MINUTE);
  assert.deepEqual(run.sent, []);
  run.connection('b', true).health('b', 'Available');
  assert.deepEqual(run.pass(10 * MINUTE).sent, ['p']);
});

for (const { failurePolicy, want } of [
  { failurePolicy: 'pause', want: 'Paused' },
  { failurePolicy: 'rollback', want: 'Finished' },
]) {
  test(`health: what does not come to rest in time follows the stage's policy ${failurePolicy}`, () => {
    const run = runWith([{ type: 'health', stableDuration: '5m', timeout: '12m' }], { failurePolicy });
    run.health('a', 'Degraded').pass(12 * MINUTE);
    assert.equal(run.phase.kind, want);
    assert.equal(run.kinds().includes('rollback'), failurePolicy === 'rollback');
  });
}

test('deploymentHealth: another deployment is watched, and has to stay healthy', () => {
  const run = runWith([{ type: 'deploymentHealth', deployment: 'db', stableDuration: '5m' }]);
  assert.deepEqual(run.actions, [{ kind: 'watchDeployment', gate: run.state.gate?.id, deployment: 'db' }]);
  run.answer({ kind: 'deploymentHealth', isHealthy: true }).pass(4 * MINUTE);
  run.answer({ kind: 'deploymentHealth', isHealthy: false }).answer({ kind: 'deploymentHealth', isHealthy: true });
  assert.deepEqual(run.pass(4 * MINUTE).sent, []);
  assert.deepEqual(run.pass(MINUTE).sent, ['p']);
});

test('before a stage, health is that of all that were delivered so far', () => {
  const stages = [
    { name: 'canary', selector: { matchLabels: { tier: 'canary' } } },
    {
      name: 'prod',
      selector: { matchLabels: { tier: 'prod' } },
      beforeTasks: [{ type: 'health', stableDuration: '1m' }],
    },
  ];
  const run = new RolloutRun({ type: 'staged', stages }, FLEET).settle('a', 'b');
  assert.deepEqual(run.sent, []);
  run.health('a', 'Degraded').pass(MINUTE);
  assert.deepEqual(run.sent, []);
  run.health('a', 'Available');
  assert.deepEqual(run.pass(MINUTE).sent, ['p']);
});

test('a gate whose stage has lost its targets asks nobody any longer', () => {
  const stages = [{ name: 'prod', selector: { matchLabels: { tier: 'prod' } }, beforeTasks: [{ type: 'approval' }] }];
  const run = new RolloutRun({ type: 'staged', stages }, FLEET);
  const gate = run.state.gate?.id;
  run.tell({ kind: 'membershipChanged', joined: [], left: [idOf('p')] });
  assert.deepEqual(run.actions[0], { kind: 'closeGate', gate });
  assert.deepEqual(run.sent, ['a', 'b']);
});

test('before a stage: none of its targets gets anything until the gate clears', () => {
  const stages = [{ name: 'all', selector: {}, beforeTasks: [{ type: 'approval' }] }];
  const run = new RolloutRun({ type: 'staged', stages }, FLEET);
  assert.deepEqual([run.sent, run.state.gate === undefined], [[], false]);
  assert.deepEqual(run.answer({ kind: 'approved', by: 'bob' }).sent, ['a', 'b', 'p']);
});

test('removals are gated and paced: approved before, few at a time, and baked before anybody gets the new content', () => {
  const removal = {
    beforeTasks: [{ type: 'approval' }],
    maxConcurrency: 1,
    afterTasks: [{ type: 'wait', duration: '5m' }],
  };
  const gone = ['y', 'z'].map((name) => ({ name, isRemoved: true }));
  const run = new RolloutRun({ type: 'immediate', removal }, [{ name: 'a' }, ...gone]);
  assert.deepEqual([run.removed, run.sent], [[], []]);
  assert.deepEqual(run.answer({ kind: 'approved', by: 'bob' }).removed, ['y']);
  assert.deepEqual(run.tell({ kind: 'removed', target: idOf('y') }).removed, ['z']);
  assert.deepEqual(run.tell({ kind: 'removed', target: idOf('z') }).sent, []);
  assert.deepEqual(run.pass(5 * MINUTE).sent, ['a']);
});

test('a gate that an addon brings is kept like those built in', () => {
  const moon: Gate = {
    type: 'moon',
    faults: () => [],
    open: () => ({ memory: {}, asks: [] }),
    judge: (_, __, { now }) =>
      now < MINUTE ? { kind: 'wait', message: 'it is new', unblock: 'it waxes', until: MINUTE } : { kind: 'go' },
  };
  const decide = createDecide(new Map([...BUILT_IN_GATES, [moon.type, moon]]));
  const stages = [{ name: 'all', selector: {}, beforeTasks: [{ type: 'moon' }] }];
  const opened = decide(rolloutOf({ type: 'staged', stages }, FLEET), { kind: 'started' }, 0);
  assert.deepEqual(opened.actions, [{ kind: 'setTimer', at: MINUTE }]);
  const { actions } = decide(opened.state, { kind: 'clock' }, MINUTE);
  assert.equal(actions.filter(({ kind }) => kind === 'generateAndDeliver').length, FLEET.length);
});
