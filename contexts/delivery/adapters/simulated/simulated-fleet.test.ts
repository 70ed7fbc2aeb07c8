import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Acknowledgement } from '#protocol/delivery';
import { fleetsForTests, textsOf } from '../../testing/a-simulated-fleet.ts';
import { aDocument, anOrder, aRemoval } from '../../testing/an-order.ts';

const signal = new AbortController().signal;
const fleetOf = fleetsForTests(signal);
const ALL = { atMs: 0, targets: 'all' } as const;

test('acknowledges after its latency, applies and is healthy after their time', async () => {
  const { fleet, pass, reports } = await fleetOf({ latencyMs: 20, applyMs: 100, healthMs: 1_000 });
  reports.clear();
  let answer: Acknowledgement | undefined;
  const call = fleet.dispatch(anOrder(), signal).then((given) => {
    answer = given;
  });
  await pass(19);
  assert.equal(answer, undefined);
  await pass(1);
  assert.deepEqual(answer, { kind: 'accepted' });
  await pass(99);
  assert.deepEqual(textsOf(reports.all()), []);
  await pass(1);
  assert.deepEqual(textsOf(reports.all()), ['applied 1']);
  await pass(999);
  assert.deepEqual(textsOf(reports.all()), ['applied 1']);
  await pass(1);
  assert.deepEqual(textsOf(reports.all()), ['applied 1', 'health 1 Available']);
  await call;
});

for (const { why, behaviour, acknowledged, said } of [
  { why: 'fails', behaviour: { outcome: 'fail' }, acknowledged: { kind: 'accepted' }, said: ['failed 1'] },
  { why: 'fails by chance', behaviour: { failures: 1 }, acknowledged: { kind: 'accepted' }, said: ['failed 1'] },
  { why: 'rejects late', behaviour: { outcome: 'reject' }, acknowledged: { kind: 'accepted' }, said: ['rejected 1'] },
  { why: 'says nothing more', behaviour: { outcome: 'silence' }, acknowledged: { kind: 'accepted' }, said: [] },
  {
    why: 'is not well with it',
    behaviour: { health: 'Degraded' },
    acknowledged: { kind: 'accepted' },
    said: ['applied 1', 'health 1 Degraded'],
  },
  {
    why: 'never says how it is',
    behaviour: { health: 'Unknown' },
    acknowledged: { kind: 'accepted' },
    said: ['applied 1'],
  },
  { why: 'refuses', behaviour: { outcome: 'refuse' }, acknowledged: { kind: 'rejected' }, said: [] },
] as const) {
  test(`a target that ${why}`, async () => {
    const { fleet, pass, reports } = await fleetOf(behaviour);
    reports.clear();
    const call = fleet.dispatch(anOrder(), signal);
    await pass(60_000);
    assert.equal((await call).kind, acknowledged.kind);
    assert.deepEqual(textsOf(reports.all()), said);
  });
}

test('a target that breaks off throws, and one that hangs does so until nobody waits any longer', async () => {
  const { fleet, pass } = await fleetOf({ outcome: 'break' });
  const broken = assert.rejects(fleet.dispatch(anOrder(), signal), { code: 'CONNECTION_LOST' });
  await pass(20);
  await broken;
  fleet.play([{ ...ALL, kind: 'behaves', behaviour: { outcome: 'hang' } }]);
  await pass(0);
  const waiting = new AbortController();
  const hung = assert.rejects(fleet.dispatch(anOrder(), waiting.signal), { name: 'AbortError' });
  await pass(3_600_000);
  waiting.abort();
  await hung;
});

test('what failed is tried again when it is asked for again', async () => {
  const { fleet, pass, reports } = await fleetOf({ outcome: 'fail' });
  const first = fleet.dispatch(anOrder(), signal);
  await pass(20);
  await first;
  fleet.play([{ ...ALL, kind: 'behaves', behaviour: { outcome: 'succeed' } }]);
  await pass(0);
  reports.clear();
  const second = fleet.dispatch(anOrder(), signal);
  await pass(20);
  assert.deepEqual(await second, { kind: 'accepted' });
  assert.deepEqual(textsOf(reports.all()), ['applied 1', 'health 1 Available']);
});

test('a later order takes the place of one that is not done', async () => {
  const { fleet, pass, reports } = await fleetOf({ applyMs: 1_000 });
  reports.clear();
  const calls = [fleet.dispatch(anOrder(), signal)];
  await pass(100);
  calls.push(fleet.dispatch(anOrder({ revision: 2, hash: 'sha256:two' }), signal));
  await pass(10_000);
  await Promise.all(calls);
  assert.deepEqual(textsOf(reports.all()), ['applied 2', 'health 2 Available']);
});

test('previews say what would be made, changed and taken away', async () => {
  const { fleet, pass } = await fleetOf({ latencyMs: 0 });
  const asked = async <T>(call: Promise<T>): Promise<T> => {
    await pass(0);
    return await call;
  };
  const documents = [aDocument('one'), aDocument('two')];
  await asked(fleet.dispatch(anOrder({ documents }), signal));
  await pass(0);
  const next = anOrder({
    revision: 2,
    hash: 'sha256:two',
    documents: [aDocument('two', { a: 'b' }), aDocument('three')],
  });
  const { changes } = (await asked(fleet.preview(next, signal))) ?? {};
  assert.deepEqual(changes, ['update v1/ConfigMap/two', 'create v1/ConfigMap/three', 'delete v1/ConfigMap/one']);
  const removal = await asked(fleet.preview(aRemoval(), signal));
  assert.deepEqual(removal?.changes, ['delete v1/ConfigMap/one', 'delete v1/ConfigMap/two']);
  const fenced = await asked(fleet.preview(anOrder({ revision: 0 }), signal));
  assert.equal(fenced?.kind, 'wouldReject');
  fleet.play([{ ...ALL, kind: 'behaves', behaviour: { outcome: 'refuse' } }]);
  await pass(0);
  assert.equal((await asked(fleet.preview(next, signal)))?.kind, 'wouldReject');
});

test('no more orders are on their way at once than it is wide', async () => {
  const { fleet, pass, targets } = await fleetOf({ latencyMs: 20 }, { size: 25, width: 10 });
  let answered = 0;
  const calls = targets.map(async (target) => {
    await fleet.dispatch(anOrder({ target }), signal);
    answered += 1;
  });
  for (const want of [10, 20, 25]) {
    await pass(20);
    await turn();
    assert.equal(answered, want);
  }
  await Promise.all(calls);
});

test('the same seed has the same luck, in whatever order it is asked; another seed another', async () => {
  const unlucky = async (seed: number, isReversed: boolean): Promise<string[]> => {
    const { fleet, pass, reports, targets } = await fleetOf({ failures: 0.3 }, { size: 40, seed });
    const calls = (isReversed ? targets.toReversed() : targets).map((target) =>
      fleet.dispatch(anOrder({ target }), signal),
    );
    await pass(20);
    await Promise.all(calls);
    return reports
      .ofKind('failed')
      .map(({ target }) => target)
      .sort((a, b) => a.localeCompare(b));
  };
  const first = await unlucky(1, false);
  assert.ok(first.length > 2 && first.length < 30, `${first.length} of 40 at 0.3`);
  assert.deepEqual(await unlucky(1, true), first);
  assert.notDeepEqual(await unlucky(2, false), first);
});

test('a listener that takes its time is told everything, in order, and many at once', async () => {
  const { fleet, pass, reports, targets } = await fleetOf({}, { size: 2_000 });
  reports.clear();
  const calls = reports.calls;
  const gate = Promise.withResolvers<void>();
  reports.gate = gate.promise;
  const dispatched = targets.map((target) => fleet.dispatch(anOrder({ target }), signal));
  await pass(20);
  await Promise.all(dispatched);
  assert.deepEqual(reports.all(), []);
  gate.resolve();
  await reports.until((each) => each.kind === 'health' && each.target === targets.at(-1)?.id, signal);
  assert.equal(reports.ofKind('applied').length, 2_000);
  assert.ok(reports.calls - calls <= 10, `${reports.calls - calls} calls for 4,000 reports`);
  const ofOne = reports.all().filter((each) => 'deployment' in each && each.target === targets[7]?.id);
  assert.deepEqual(textsOf(ofOne), ['applied 1', 'health 1 Available']);
});

test('what was not taken over is said again, before anything that came later', async () => {
  const troubles: unknown[] = [];
  const { fleet, pass, reports } = await fleetOf({ healthMs: 5_000 }, { onTrouble: (error) => troubles.push(error) });
  reports.clear();
  reports.gate = Promise.reject(new Error('nobody listens'));
  reports.gate.catch(() => {});
  const call = fleet.dispatch(anOrder(), signal);
  await pass(2_000);
  await call;
  assert.deepEqual(reports.all(), []);
  assert.ok(troubles.length > 1);
  reports.gate = Promise.resolve();
  await pass(60_000);
  assert.deepEqual(textsOf(reports.all()), ['applied 1', 'health 1 Available']);
});

test('thousands of targets are no more trouble than one', async () => {
  const { fleet, pass, reports, targets } = await fleetOf({ applyMs: 10, jitterMs: 50 }, { size: 3_000 });
  // One signal per call: a signal with thousands of listeners is slow.
  const calls = targets.map((target) => fleet.dispatch(anOrder({ target }), new AbortController().signal));
  await pass(1_000);
  await Promise.all(calls);
  await reports.untilThereAre(targets.length, 'health', signal);
  assert.equal(reports.ofKind('applied').length, targets.length);
});
