import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idOf } from '../testing/a-rollout.ts';
import { RolloutRun } from '../testing/rollout-run.ts';

const CANARY = { name: 'canary', selector: { matchLabels: { tier: 'canary' } } };
const PROD = { name: 'prod', selector: { matchLabels: { tier: 'prod' } } };
const canary = (name: string) => ({ name, labels: { tier: 'canary' } });
const prod = (name: string) => ({ name, labels: { tier: 'prod' } });

test('immediate takes it off those that left, then brings it to all others at once', () => {
  const run = new RolloutRun({ type: 'immediate' }, [{ name: 'a' }, { name: 'b' }, { name: 'gone', isRemoved: true }]);
  assert.deepEqual([run.removed, run.sent], [['gone'], []]);
  run.tell({ kind: 'removed', target: idOf('gone') });
  assert.deepEqual(run.sent, ['a', 'b']);
  run.settle('a', 'b');
  assert.deepEqual(run.actions.at(-1), { kind: 'finish', outcome: 'Succeeded', owed: [] });
});

test('rolling starts the next batch when this one is applied and available', () => {
  const run = new RolloutRun({ type: 'rolling', batchSize: 2 }, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  assert.deepEqual(run.sent, ['a', 'b']);
  run.settle('a').tell({ kind: 'delivered', target: idOf('b'), changed: true });
  assert.deepEqual(run.sent, [], 'applied is not available');
  assert.deepEqual(run.health('b', 'Available').sent, ['c']);
});

test('a target with the same content as before is done at once when it is healthy', () => {
  const run = new RolloutRun({ type: 'rolling', batchSize: 1 }, [{ name: 'a' }, { name: 'b' }]);
  run.tell({ kind: 'delivered', target: idOf('a'), changed: false });
  assert.deepEqual(run.sent, ['b']);
});

test('stages follow each other, each with no more in change than it may have', () => {
  const stages = [CANARY, { ...PROD, maxConcurrency: 2 }];
  const fleet = [prod('b'), canary('a'), prod('c'), prod('d'), { name: 'unlabelled' }];
  const run = new RolloutRun({ type: 'staged', stages }, fleet);
  assert.deepEqual(run.sent, ['a']);
  assert.deepEqual(run.settle('a').sent, ['b', 'c']);
  assert.deepEqual(run.settle('c').sent, ['d']);
  assert.deepEqual(run.settle('b', 'd').sent, ['unlabelled'], 'what no stage selects is last');
  assert.deepEqual(run.settle('unlabelled').phase.kind, 'Finished');
});

test('a stage with nothing to change is passed with its tasks', () => {
  const tasks = { beforeTasks: [{ type: 'approval' }], afterTasks: [{ type: 'wait', duration: '1h' }] };
  const fleet = [{ ...canary('a'), isUpToDate: true }, prod('b')];
  const run = new RolloutRun({ type: 'staged', stages: [{ ...CANARY, ...tasks }, PROD] }, fleet);
  assert.deepEqual(run.sent, ['b']);
});

test('nothing to do at all is done at once', () => {
  const run = new RolloutRun({ type: 'immediate' }, [{ name: 'a', isUpToDate: true }]);
  assert.deepEqual(run.kinds(), ['finish']);
});

for (const { order, want } of [
  { order: 'first', want: [['y', 'z'], ['a'], ['b']] },
  { order: 'last', want: [['a'], ['b'], ['y', 'z']] },
  {
    order: 'withStage',
    want: [
      ['y', 'a'],
      ['z', 'b'],
    ],
  },
]) {
  test(`removals with the order ${order}`, () => {
    const gone = [
      { ...canary('y'), isRemoved: true },
      { ...prod('z'), isRemoved: true },
    ];
    const spec = { type: 'staged', stages: [CANARY, PROD], removal: { order } };
    const run = new RolloutRun(spec, [canary('a'), prod('b'), ...gone]);
    const waves: string[][] = [];
    while (run.phase.kind === 'Running') {
      const wave = [...run.removed, ...run.sent];
      waves.push(wave);
      const actions = run.actions.flatMap((action) => {
        if (action.kind === 'remove') return run.tell({ kind: 'removed', target: action.target }).actions;
        return action.kind === 'generateAndDeliver' ? run.settle(action.target).actions : [];
      });
      run.actions = actions;
    }
    assert.deepEqual(waves, want);
  });
}
