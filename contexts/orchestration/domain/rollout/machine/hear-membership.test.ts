import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, idOf, memberOf } from '../testing/a-rollout.ts';
import { RolloutRun } from '../testing/rollout-run.ts';
import type { RolloutEvent } from './rollout-event.ts';

const CANARY = { name: 'canary', selector: { matchLabels: { tier: 'canary' } } };
const PROD = { name: 'prod', selector: { matchLabels: { tier: 'prod' } } };
const APPROVAL = [{ type: 'approval' }];
const canary = (name: string) => ({ name, labels: { tier: 'canary' } });
const prod = (name: string) => ({ name, labels: { tier: 'prod' } });

function joins(name: string, tier = 'none'): RolloutEvent {
  const joined = [{ ...factsOf({ name, hasContent: false }), labels: { tier } }];
  return { kind: 'membershipChanged', joined, left: [] };
}

function leaves(...names: readonly string[]): RolloutEvent {
  return { kind: 'membershipChanged', joined: [], left: names.map(idOf) };
}

test('a target joins the stage that selects it, or the last one', () => {
  const run = new RolloutRun({ type: 'staged', stages: [CANARY, PROD] }, [canary('a'), prod('b')]);
  assert.deepEqual(run.tell(joins('p', 'prod')).sent, []);
  assert.deepEqual(run.tell(joins('other')).sent, []);
  assert.deepEqual(run.tell(joins('c', 'canary')).sent, ['c'], 'its stage is at work');
  assert.deepEqual(run.settle('a', 'c').sent, ['b', 'p']);
  assert.deepEqual(run.settle('b', 'p').sent, ['other']);
});

test('one that joins a stage that is behind gets it at once, and is waited for at the end', () => {
  const run = new RolloutRun({ type: 'staged', stages: [CANARY, PROD] }, [canary('a'), prod('b')]).settle('a');
  assert.deepEqual(run.tell(joins('late', 'canary')).sent, ['late']);
  assert.equal(run.settle('b').phase.kind, 'Running');
  assert.equal(run.settle('late').phase.kind, 'Finished');
});

test('latecomers keep to the strictest pace of the plan', () => {
  const run = new RolloutRun({ type: 'staged', stages: [{ ...CANARY, maxConcurrency: 1 }, PROD] }, [
    canary('a'),
    prod('b'),
  ]);
  run.settle('a').tell(joins('x', 'canary'));
  assert.deepEqual(run.sent, ['x']);
  assert.deepEqual(run.tell(joins('y', 'canary')).sent, []);
  assert.deepEqual(run.settle('x').sent, ['y']);
});

test('a stage that was passed for want of targets is set up once more with its gates', () => {
  const run = new RolloutRun({ type: 'staged', stages: [{ ...CANARY, beforeTasks: APPROVAL }, PROD] }, [prod('b')]);
  assert.deepEqual(run.sent, ['b']);
  assert.deepEqual(run.tell(joins('c', 'canary')).actions, []);
  assert.ok(run.settle('b').kinds().includes('requestApproval'));
  assert.deepEqual(run.answer({ kind: 'approved', by: 'bob' }).sent, ['c']);
  assert.equal(run.settle('c').phase.kind, 'Finished');
});

test('a rolling batch that grows has no more in change than a batch has', () => {
  const run = new RolloutRun({ type: 'rolling', batchSize: 2 }, [{ name: 'a' }, { name: 'b' }]);
  assert.deepEqual(run.tell(joins('c')).sent, []);
  assert.deepEqual(run.settle('a').sent, ['c']);
});

test('a leaving target is dropped: what was under way is cancelled, and nobody waits for it', () => {
  const run = new RolloutRun({ type: 'rolling', batchSize: 1 }, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  run.tell(leaves('a', 'c'));
  assert.deepEqual(run.actions.slice(0, 2), [
    { kind: 'cancelDeliveries', targets: ['a'] },
    { kind: 'generateAndDeliver', target: 'b', revision: 7 },
  ]);
  assert.equal(run.settle('b').phase.kind, 'Finished');
});

test('a failure that leaves is no failure any longer', () => {
  const run = new RolloutRun({ type: 'immediate', maxFailures: 1 }, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  run.fail('a').tell(leaves('a')).fail('b');
  assert.equal(run.phase.kind, 'Running');
});

test('one that comes again while it is being removed gets the content when that is over', () => {
  const run = new RolloutRun({ type: 'immediate' }, [{ name: 'a' }, { name: 'x', isRemoved: true }]);
  run.tell(joins('x'));
  assert.equal(memberOf(run.state, 'x').status, 'Removing');
  assert.deepEqual(run.sent, ['a'], 'the removal is a matter of its new step');
  assert.deepEqual(run.tell({ kind: 'removed', target: idOf('x') }).sent, ['x']);
});

test('the resolved set that percentages are of grows and shrinks', () => {
  const run = new RolloutRun({ type: 'immediate', maxUnavailable: '50%' }, [{ name: 'a' }, { name: 'b' }]);
  assert.deepEqual(run.sent, ['a']);
  run.tell(joins('c'));
  assert.deepEqual(run.tell(joins('d')).sent, ['b']);
});
