import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idOf, memberOf } from '../testing/a-rollout.ts';
import { MINUTE, RolloutRun } from '../testing/rollout-run.ts';

const THREE = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
const ROLLING = { type: 'rolling', batchSize: 1 };

test('one of many fails: the others are delivered exactly once, and it pauses with the reason', () => {
  const run = new RolloutRun({ type: 'immediate' }, THREE);
  assert.deepEqual(run.sent, ['a', 'b', 'c']);
  run.fail('b');
  assert.deepEqual(run.phase.kind === 'Paused' && run.phase.reason, 'FailuresExceeded');
  assert.deepEqual(run.settle('a', 'c').sent, []);
  assert.deepEqual(run.tell({ kind: 'resume' }).actions, [{ kind: 'finish', outcome: 'Succeeded', owed: ['b'] }]);
});

test('a failed delivery stops the launching at once', () => {
  const run = new RolloutRun({ type: 'immediate', maxConcurrency: 1 }, THREE);
  assert.deepEqual(run.fail('a').sent, []);
  assert.equal(run.phase.kind, 'Paused');
});

test('a failure to generate lets the batch go on, and pauses at its end', () => {
  const run = new RolloutRun({ type: 'rolling', batchSize: 2, maxConcurrency: 1 }, THREE);
  assert.deepEqual(run.fail('a', 'generateFailed').sent, ['b']);
  run.settle('b');
  assert.deepEqual([run.phase.kind, run.sent], ['Paused', []]);
});

test('as many as maxFailures may fail', () => {
  const run = new RolloutRun({ ...ROLLING, maxFailures: 1 }, THREE);
  assert.deepEqual(run.fail('a', 'rejected').sent, ['b']);
  run.fail('b');
  assert.equal(run.phase.kind, 'Paused');
});

test('a retry tries those that failed again, and goes on', () => {
  const run = new RolloutRun(ROLLING, THREE);
  run.fail('a').tell({ kind: 'retry' });
  assert.deepEqual([run.phase.kind, run.sent], ['Running', ['a']]);
  assert.deepEqual(run.settle('a').sent, ['b']);
});

test('a stage with the policy rollback asks for one, and the rollout is over', () => {
  const run = new RolloutRun({ ...ROLLING, failurePolicy: 'rollback' }, THREE);
  run.fail('a');
  assert.deepEqual(run.kinds(), ['rollback', 'finish']);
  assert.deepEqual(run.phase.kind === 'Finished' && run.phase.outcome, 'RolledBack');
});

test('whoever is not available in time has failed, and is no failure any longer once it is', () => {
  const run = new RolloutRun({ ...ROLLING, progressDeadline: '5m' }, THREE);
  assert.deepEqual(run.actions.at(-1), { kind: 'setTimer', at: 5 * MINUTE });
  run.tell({ kind: 'delivered', target: idOf('a'), changed: true }).pass(5 * MINUTE);
  assert.equal(memberOf(run.state, 'a').failure?.reason, 'ProgressDeadline');
  run.health('a', 'Available');
  assert.equal(memberOf(run.state, 'a').status, 'Done');
  assert.deepEqual(run.tell({ kind: 'resume' }).sent, ['b']);
});

test('an offline target is waited for until its deadline, without holding up others of its stage', () => {
  const fleet = [{ name: 'a', isOnline: false }, { name: 'b' }, { name: 'c' }];
  const run = new RolloutRun({ type: 'immediate', maxConcurrency: 1, offlineDeadline: '20m' }, fleet);
  assert.deepEqual(run.sent, ['b']);
  assert.deepEqual(run.settle('b').sent, ['c']);
  run.settle('c');
  assert.deepEqual(
    run.waits.map(({ kind, targets, until }) => [kind, targets, until]),
    [['offline', ['a'], 20 * MINUTE]],
  );
  run.pass(20 * MINUTE);
  assert.equal(memberOf(run.state, 'a').failure?.reason, 'OfflineDeadline');
  assert.deepEqual(run.tell({ kind: 'resume' }).actions.at(-1), { kind: 'finish', outcome: 'Succeeded', owed: ['a'] });
});

test('an offline target gets it when it is back, late or not', () => {
  const fleet = [{ name: 'a', isOnline: false }, { name: 'b' }];
  const run = new RolloutRun({ ...ROLLING, offlinePolicy: 'skip' }, fleet);
  assert.deepEqual(run.sent, ['b']);
  assert.deepEqual(run.connection('a', true).sent, ['a']);
  run.settle('b');
  assert.equal(run.phase.kind, 'Running', 'it is waited for now');
  assert.equal(run.settle('a').phase.kind, 'Finished');
});

test('nobody waits for the removal from a target that is offline', () => {
  const fleet = [{ name: 'a' }, { name: 'dead', isRemoved: true, isOnline: false }];
  const run = new RolloutRun({ type: 'immediate' }, fleet);
  assert.deepEqual(run.sent, ['a']);
  assert.deepEqual(run.settle('a').actions.at(-1), { kind: 'finish', outcome: 'Succeeded', owed: ['dead'] });
});
