import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idOf, REVISION } from '../testing/a-rollout.ts';
import { MINUTE, RolloutRun } from '../testing/rollout-run.ts';
import type { RolloutEvent } from './rollout-event.ts';

const TWO = [{ name: 'a' }, { name: 'b' }];
const ROLLING = { type: 'rolling', batchSize: 1 };
const PAUSE: RolloutEvent = { kind: 'pause', by: 'ann', message: 'an incident' };
const NEWER: RolloutEvent = { kind: 'superseded', by: REVISION + 1 };

test('a pause begins nothing new and interrupts nothing; a resume goes on', () => {
  const run = new RolloutRun(ROLLING, TWO).tell(PAUSE);
  assert.deepEqual(run.actions, []);
  assert.deepEqual(run.waits[0]?.message, 'ann paused it: an incident');
  assert.deepEqual(run.settle('a').sent, []);
  assert.deepEqual(run.tell({ kind: 'resume' }).sent, ['b']);
});

test('an approval may come while it is paused, and counts when it is resumed', () => {
  const stages = [{ name: 'all', selector: {}, beforeTasks: [{ type: 'approval' }] }];
  const run = new RolloutRun({ type: 'staged', stages }, TWO).tell(PAUSE);
  assert.deepEqual(run.answer({ kind: 'approved', by: 'bob' }).sent, []);
  assert.deepEqual(run.tell({ kind: 'resume' }).sent, ['a', 'b']);
});

test('one that is paused before it starts begins with the resume', () => {
  const run = new RolloutRun(ROLLING, TWO, { isStarted: false }).tell(PAUSE).tell({ kind: 'started' });
  assert.deepEqual([run.phase.kind, run.sent], ['Paused', []]);
  assert.deepEqual(run.tell({ kind: 'resume' }).sent, ['a']);
});

test('a resume before the start waits for the start', () => {
  const run = new RolloutRun(ROLLING, TWO, { isStarted: false }).tell(PAUSE).tell({ kind: 'resume' });
  assert.deepEqual([run.phase.kind, run.sent], ['Planned', []]);
});

test('an abort interrupts what is under way', () => {
  const run = new RolloutRun({ type: 'immediate' }, TWO).tell({ kind: 'abort', by: 'ann' });
  assert.ok(run.phase.kind === 'Finished' && run.phase.message === 'ann aborted it');
  assert.deepEqual(run.actions, [
    { kind: 'cancelDeliveries', targets: ['a', 'b'] },
    { kind: 'finish', outcome: 'Aborted', owed: [] },
  ]);
});

test('a superseded rollout never acts again, whatever is told', () => {
  const run = new RolloutRun(ROLLING, TWO).tell(NEWER);
  assert.deepEqual(run.actions, [{ kind: 'finish', outcome: 'Superseded', owed: [] }]);
  const { state } = run;
  for (const event of [{ kind: 'resume' }, { kind: 'retry' }, { kind: 'clock' }, { kind: 'abort' }, NEWER] as const) {
    run.tell(event);
    assert.deepEqual([run.state === state, run.actions], [true, []]);
  }
  assert.deepEqual(run.settle('a').actions, []);
});

test('with queue, a newer revision waits for the end', () => {
  const run = new RolloutRun({ ...ROLLING, onCollision: 'queue' }, TWO).tell(NEWER);
  assert.deepEqual([run.actions, run.state.queued], [[], REVISION + 1]);
  run.settle('a');
  assert.deepEqual(run.settle('b').actions.at(-1), { kind: 'finish', outcome: 'Succeeded', owed: [] });
});

for (const { why, rolloutEvents } of [
  { why: 'fails while a newer revision waits', rolloutEvents: ['newer', 'fail'] },
  { why: 'has failed when a newer revision comes', rolloutEvents: ['fail', 'newer'] },
]) {
  test(`with queue, a rollout that ${why} gives way`, () => {
    const run = new RolloutRun({ ...ROLLING, onCollision: 'queue' }, TWO);
    for (const event of rolloutEvents) {
      if (event === 'newer') run.tell(NEWER);
      else run.fail('a');
    }
    assert.deepEqual(run.actions.at(-1), { kind: 'finish', outcome: 'Superseded', owed: ['a'] });
  });
}

test('with queue, one that somebody paused is not taken away from him', () => {
  const run = new RolloutRun({ ...ROLLING, onCollision: 'queue' }, TWO).tell(PAUSE).tell(NEWER);
  assert.equal(run.phase.kind, 'Paused');
});

const CANARY = {
  type: 'staged',
  progressDeadline: '5m',
  stages: [
    { name: 'canary', selector: { matchLabels: { tier: 'canary' } }, afterTasks: [{ type: 'health', timeout: '1h' }] },
  ],
};
const FLEET = [{ name: 'a', labels: { tier: 'canary' } }, { name: 'b' }];

test('a resume after a failed canary does not pass its health gate: what failed stays to be proven', () => {
  const run = new RolloutRun(CANARY, FLEET).fail('a');
  assert.deepEqual(
    run.waits.map(({ kind, targets }) => [kind, targets]),
    [['resume', ['a']]],
    'it names what a resume would leave behind',
  );
  assert.deepEqual(run.tell({ kind: 'resume' }).sent, []);
  assert.deepEqual(
    run.waits.map(({ kind, gate, targets }) => [kind, gate?.startsWith('canary/after'), targets]),
    [['gate', true, ['a']]],
  );
  assert.deepEqual(run.tell({ kind: 'retry' }).sent, ['a']);
  assert.deepEqual(run.settle('a').sent, ['b'], 'it is proven');
});

test('a target that left behind a resume, and is available with the content after all, is proven', () => {
  const run = new RolloutRun(CANARY, FLEET).tell({ kind: 'delivered', target: idOf('a'), changed: true });
  run.pass(5 * MINUTE).tell({ kind: 'resume' });
  assert.deepEqual(run.sent, []);
  assert.deepEqual(run.health('a', 'Available').sent, ['b']);
});

test('a failure that the budget tolerates does not hold up a health gate', () => {
  const fleet = [...FLEET, { name: 'c', labels: { tier: 'canary' } }];
  const run = new RolloutRun({ ...CANARY, maxFailures: 1 }, fleet).fail('a');
  assert.deepEqual(run.settle('c').sent, ['b']);
});

test('a failure that a resume accepted holds up no later stage that has no gate', () => {
  const run = new RolloutRun(ROLLING, TWO).fail('a');
  assert.deepEqual(run.tell({ kind: 'resume' }).sent, ['b']);
});

test('a rollout that had stopped says so when it is superseded', () => {
  const run = new RolloutRun(ROLLING, TWO).fail('a').tell(NEWER);
  assert.ok(run.phase.kind === 'Finished');
  assert.match(run.phase.message, /^superseded by revision \d+, after it had stopped: failed targets: 1, allowed: 0$/);
});
