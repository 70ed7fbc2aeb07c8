import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, RolloutRun } from '../testing/rollout-run.ts';
import type { Wait } from './explain-wait.ts';
import { entriesOf } from './number-map.ts';

const APPROVED = [{ name: 'all', selector: {}, beforeTasks: [{ type: 'approval' }] }];
const TWO = [{ name: 'a' }, { name: 'b' }];

const CASES: readonly { why: string; run: () => RolloutRun; want: Partial<Wait> }[] = [
  {
    why: 'before it starts, the start',
    run: () => new RolloutRun({ type: 'immediate' }, TWO, { isStarted: false }),
    want: { kind: 'start', since: 0 },
  },
  {
    why: 'a target that is in change, since when, and until when',
    run: () => new RolloutRun({ type: 'rolling', batchSize: 1 }, TWO).pass(MINUTE),
    want: { kind: 'targets', since: 0, until: 10 * MINUTE, count: 1, targets: ['a'] as never },
  },
  {
    why: 'a target that content is removed from, in words of removals',
    run: () => new RolloutRun({ type: 'immediate' }, [{ name: 'a', isRemoved: true }]).pass(MINUTE),
    want: {
      kind: 'targets',
      since: 0,
      until: 10 * MINUTE,
      message: 'content is being removed from targets',
      unblock: 'their agents report it removed, or their deadline passes',
      count: 1,
      targets: ['a'] as never,
    },
  },
  {
    why: 'a gate, by its id, and what to do about it',
    run: () => new RolloutRun({ type: 'staged', stages: APPROVED }, TWO),
    want: { kind: 'gate', gate: 'all/before/0/1', since: 0, unblock: 'approve or reject it' },
  },
  {
    why: 'a health gate, and the targets that are in its way',
    run: () => {
      const stages = [{ name: 'all', selector: {}, afterTasks: [{ type: 'health', stableDuration: '1h' }] }];
      return new RolloutRun({ type: 'staged', stages }, TWO).settle('a', 'b').health('b', 'Degraded');
    },
    want: { kind: 'gate', message: 'waits until all targets are available', count: 1, targets: ['b'] as never },
  },
  {
    why: 'a person, after a pause, with the reason',
    run: () => new RolloutRun({ type: 'immediate' }, [{ name: 'a' }]).fail('a'),
    want: { kind: 'resume', message: 'failed targets: 1, allowed: 0' },
  },
  {
    why: 'a target that is away',
    run: () => new RolloutRun({ type: 'immediate' }, [{ name: 'a', isOnline: false }]),
    want: { kind: 'offline', since: 0, until: 60 * MINUTE, targets: ['a'] as never },
  },
];

for (const { why, run, want } of CASES) {
  test(`it waits for ${why}`, () => {
    const { waits } = run();
    assert.equal(waits.length, 1);
    assert.partialDeepStrictEqual(waits[0], want);
  });
}

test('a removal that is late fails in words of removals', () => {
  const run = new RolloutRun({ type: 'immediate' }, [{ name: 'a', isRemoved: true }]).pass(10 * MINUTE);
  assert.deepEqual(
    run.waits.map(({ kind }) => kind),
    ['resume'],
  );
  const messages = [...entriesOf(run.state.members)].map(([, { failure }]) => failure?.message);
  assert.deepEqual(messages, ['progress deadline passed before it was removed']);
});

test('no more than ten targets are named, and all are counted', () => {
  const fleet = Array.from({ length: 25 }, (_, index) => ({ name: `t${index}` }));
  const [wait] = new RolloutRun({ type: 'immediate' }, fleet).waits;
  assert.deepEqual([wait?.count, wait?.targets?.length], [25, 10]);
});

test('a gate that is over by the clock alone says so', () => {
  const run = new RolloutRun(
    { type: 'staged', stages: [{ name: 'all', selector: {}, beforeTasks: [{ type: 'wait', duration: '1m' }] }] },
    TWO,
  );
  run.now = MINUTE;
  assert.deepEqual(
    run.waits.map(({ kind, message }) => [kind, message]),
    [['gate', 'is over']],
  );
});

test('one that is finished waits for nothing', () => {
  assert.deepEqual(new RolloutRun({ type: 'immediate' }, []).waits, []);
});
