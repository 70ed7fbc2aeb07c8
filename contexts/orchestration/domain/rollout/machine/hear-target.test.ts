import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idOf, memberOf, REVISION } from '../testing/a-rollout.ts';
import { MINUTE, RolloutRun } from '../testing/rollout-run.ts';

const ROLLING = { type: 'rolling', batchSize: 1 };
const TWO = [{ name: 'a' }, { name: 'b' }];

test('news of the old content is not taken for the health of the new one', () => {
  const run = new RolloutRun(ROLLING, TWO);
  run.tell({ kind: 'delivered', target: idOf('a'), changed: true });
  assert.deepEqual(run.health('a', 'Available', REVISION - 1).sent, []);
  assert.deepEqual(run.health('a', 'Available').sent, ['b']);
});

test('a late report on the old content does not end the wait for the new one', () => {
  const run = new RolloutRun({ type: 'immediate', maxConcurrency: 1 }, TWO);
  const late = { kind: 'delivered', changed: true, revision: REVISION - 1 } as const;
  assert.deepEqual(run.tell({ ...late, target: idOf('a') }).sent, []);
  assert.deepEqual(run.health('a', 'Available', REVISION - 1).sent, []);
  run.tell({ ...late, target: idOf('b') }).health('b', 'Available', REVISION - 1);
  assert.deepEqual(run.tell({ kind: 'delivered', target: idOf('a'), changed: false }).sent, ['b']);
  run.tell({ kind: 'delivered', target: idOf('b'), changed: false });
  assert.equal(run.state.phase.kind, 'Finished', 'both had the content already, and their health is of that content');
});

test('health may be heard of before the delivery that it is about', () => {
  const run = new RolloutRun(ROLLING, TWO);
  assert.deepEqual(run.health('a', 'Available').sent, []);
  assert.deepEqual(run.tell({ kind: 'delivered', target: idOf('a'), changed: true }).sent, ['b']);
});

test('after a reconnect health is unknown until it is told anew', () => {
  const run = new RolloutRun({ type: 'immediate', maxUnavailable: 1 }, [...TWO, { name: 'z', isUpToDate: true }]);
  run.settle('a');
  assert.deepEqual(run.sent, ['b']);
  run.connection('z', false).connection('z', true);
  assert.equal(memberOf(run.state, 'z').health, 'Unknown');
  assert.equal(run.state.unavailable.size, 2);
  assert.equal(run.health('z', 'Available', REVISION - 1).state.unavailable.size, 1);
});

test('a delivery outlives the connection, and keeps its place in the budget', () => {
  const run = new RolloutRun({ type: 'immediate', maxConcurrency: 1, progressDeadline: '5m' }, TWO);
  run.connection('a', false);
  assert.deepEqual([run.sent, run.kinds().includes('cancelDeliveries')], [[], false]);
  run.pass(10 * MINUTE);
  assert.equal(memberOf(run.state, 'a').status, 'Delivering', 'being away is not being slow');
  run.connection('a', true);
  assert.deepEqual(run.settle('a').sent, ['b']);
});

test('whoever is back has its time anew', () => {
  const run = new RolloutRun({ type: 'immediate', progressDeadline: '5m' }, TWO).settle('b');
  run
    .connection('a', false)
    .pass(10 * MINUTE)
    .connection('a', true)
    .pass(4 * MINUTE);
  assert.equal(memberOf(run.state, 'a').status, 'Delivering');
  run.pass(MINUTE);
  assert.equal(memberOf(run.state, 'a').failure?.reason, 'ProgressDeadline');
});

test('with the policy skip, whoever loses the connection gives its place to the next, and gets it when it is back', () => {
  const run = new RolloutRun({ type: 'immediate', maxConcurrency: 1, offlinePolicy: 'skip' }, TWO);
  run.connection('a', false);
  assert.deepEqual(run.actions.slice(0, 2), [
    { kind: 'cancelDeliveries', targets: ['a'] },
    { kind: 'generateAndDeliver', target: 'b', revision: REVISION },
  ]);
  run.connection('a', true);
  assert.deepEqual(run.settle('b').sent, ['a']);
});

test('a target that was sent its first content and went away counts as unavailable', () => {
  const fleet = [{ name: 'a', hasContent: false }, { name: 'b' }];
  const run = new RolloutRun({ type: 'immediate', maxUnavailable: 1, offlinePolicy: 'skip' }, fleet);
  run.connection('a', false);
  assert.deepEqual([run.sent, run.waits[0]?.kind], [[], 'conflict']);
});

test('what is told twice, or of somebody unknown, changes nothing', () => {
  const run = new RolloutRun(ROLLING, TWO).settle('a');
  const { state } = run;
  run.tell({ kind: 'delivered', target: idOf('a'), changed: true });
  assert.deepEqual([run.state, run.actions], [state, []]);
  run.fail('a').health('stranger', 'Degraded').connection('stranger', false).fail('stranger');
  assert.deepEqual([run.state, run.actions], [state, []]);
});
