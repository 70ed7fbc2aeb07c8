import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RolloutRun } from '../testing/rollout-run.ts';

const FIVE = [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }, { name: 'e' }];

test('no more are in change than may be unavailable, and the next follows when one is available', () => {
  const run = new RolloutRun({ type: 'immediate', maxUnavailable: 2 }, FIVE);
  assert.deepEqual(run.sent, ['a', 'b']);
  assert.deepEqual(run.settle('b').sent, ['c']);
  assert.equal(run.state.blocked?.kind, 'throttled');
});

for (const { why, spec, fleet, sent } of [
  {
    why: 'a degraded one counts',
    spec: { maxUnavailable: 2 },
    fleet: [{ name: 'z', health: 'Degraded', isUpToDate: true }],
    sent: ['a'],
  },
  { why: 'an offline one counts', spec: { maxUnavailable: 2 }, fleet: [{ name: 'z', isOnline: false }], sent: ['a'] },
  {
    why: 'one not heard of counts',
    spec: { maxUnavailable: 2 },
    fleet: [{ name: 'z', health: 'Unknown', isUpToDate: true }],
    sent: ['a'],
  },
  {
    why: 'one on its way counts',
    spec: { maxUnavailable: 2 },
    fleet: [{ name: 'z', health: 'Progressing', isUpToDate: true }],
    sent: ['a'],
  },
  {
    why: 'an offline one that never had it does not',
    spec: { maxUnavailable: 2 },
    fleet: [{ name: 'z', isOnline: false, hasContent: false }],
    sent: ['a', 'b'],
  },
  { why: 'minAvailable is the same from the other side', spec: { minAvailable: 3 }, fleet: [], sent: ['a', 'b'] },
  {
    why: 'percentages are of the resolved set, rounded to the safe side',
    spec: { minAvailable: '50%' },
    fleet: [],
    sent: ['a', 'b'],
  },
  { why: 'the stricter of the two holds', spec: { minAvailable: 1, maxUnavailable: 1 }, fleet: [], sent: ['a'] },
  { why: 'maxConcurrency holds beside them', spec: { maxConcurrency: '20%' }, fleet: [], sent: ['a'] },
] as const) {
  test(`budget: ${why}`, () => {
    const run = new RolloutRun({ type: 'immediate', ...spec }, [...FIVE, ...fleet]);
    assert.deepEqual(run.sent, sent);
  });
}

test('a budget that forbids all progress is a conflict that says so, and ends when it has room', () => {
  const sick = { name: 'z', health: 'Degraded', isUpToDate: true } as const;
  const run = new RolloutRun({ type: 'immediate', maxUnavailable: 1 }, [...FIVE, sick]);
  assert.deepEqual(run.sent, []);
  assert.deepEqual(
    run.waits.map(({ kind, targets }) => ({ kind, targets })),
    [{ kind: 'conflict', targets: ['z'] }],
  );
  assert.deepEqual(run.health('z', 'Available').sent, ['a']);
  assert.equal(run.state.blocked?.kind, 'throttled');
});

test('a budget of nothing is a conflict from the beginning', () => {
  const run = new RolloutRun({ type: 'immediate', maxUnavailable: '10%' }, FIVE);
  assert.deepEqual(
    run.waits.map(({ kind, message }) => [kind, message]),
    [['conflict', 'at most 0 of 5 targets may be unavailable']],
  );
});

test('a degraded target may get what repairs it beyond the budget, as many at once as the budget allows', () => {
  const sick = ['x', 'y', 'z'].map((name) => ({ name, health: 'Degraded' }) as const);
  const run = new RolloutRun({ type: 'immediate', maxUnavailable: 2 }, [...FIVE, ...sick]);
  assert.deepEqual(run.sent, ['x', 'y']);
  run.settle('x');
  assert.deepEqual(run.sent, ['z']);
  assert.deepEqual(run.settle('y', 'z').sent, ['a', 'b']);
});

test('a batch that is larger than the budget keeps to the budget', () => {
  const run = new RolloutRun({ type: 'rolling', batchSize: 5, maxUnavailable: 2 }, FIVE);
  assert.deepEqual(run.sent, ['a', 'b']);
  assert.deepEqual(run.settle('a').sent, ['c']);
});

test('a stage that is larger than the budget is throttled, and no conflict', () => {
  const stages = [{ name: 'all', selector: {} }];
  const run = new RolloutRun({ type: 'staged', stages, minAvailable: '80%' }, FIVE);
  assert.deepEqual(run.sent, ['a']);
  assert.equal(run.state.blocked?.kind, 'throttled');
  assert.deepEqual(run.settle('a').sent, ['b']);
});

test('the budget holds across stages: who falls ill in an earlier one counts in a later one', () => {
  const stages = ['one', 'two'].map((stage) => ({ name: stage, selector: { matchLabels: { stage } } }));
  const fleet = FIVE.map(({ name }) => ({ name, labels: { stage: name === 'a' ? 'one' : 'two' } }));
  const run = new RolloutRun({ type: 'staged', stages, maxUnavailable: 2 }, fleet).settle('a');
  assert.deepEqual(run.sent, ['b', 'c']);
  run.health('a', 'Degraded');
  assert.deepEqual(run.settle('b').sent, [], 'a and c are two');
  assert.deepEqual(run.health('a', 'Available').sent, ['d']);
});
