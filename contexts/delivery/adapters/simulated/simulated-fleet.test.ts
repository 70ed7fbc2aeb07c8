import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Acknowledgement, DeliveryReport } from '../../domain/delivery-order.ts';
import { frozenFleet } from '../../testing/a-simulated-fleet.ts';
import { aDocument, anOrder, aRemoval, aTarget } from '../../testing/an-order.ts';
import type { Behaviour } from './behaviour.ts';
import type { Remembered } from './fleet-memory.ts';
import type { SimulatedFleetDeps } from './simulated-fleet.ts';

const signal = AbortSignal.timeout(120_000);
const TARGET = aTarget();
const DEPLOYMENT = anOrder().deployment;
const ALL = { atMs: 0, targets: 'all' } as const;

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

/** One connected target, or several, at the beginning of time. */
async function fleetOf(behaviour: Partial<Behaviour> = {}, deps: Partial<SimulatedFleetDeps> & { size?: number } = {}) {
  const { size = 1, ...rest } = deps;
  const opened = await frozenFleet({ behaviour, ...rest }, signal);
  const targets = Array.from({ length: size }, (_, index) => aTarget(index + 1));
  running.push(opened.stop);
  opened.fleet.add(targets);
  await opened.pass(0);
  return { ...opened, targets };
}

/** `applied 1`, `health 1 Available`, in the order in which it was said. */
function textsOf(reports: readonly { kind: string }[]): string[] {
  return reports.flatMap((each) => {
    if (each.kind === 'inventory' || each.kind === 'connection') return [each.kind];
    const report = each as DeliveryReport;
    return [`${report.kind} ${report.revision}${report.kind === 'health' ? ` ${report.health}` : ''}`];
  });
}

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

test('health flaps for as long as it is told to', async () => {
  const { fleet, pass, reports } = await fleetOf({ flapMs: 1_000 });
  reports.clear();
  const call = fleet.dispatch(anOrder(), signal);
  await pass(2_020);
  await call;
  const flapped = ['applied 1', 'health 1 Available', 'health 1 Degraded', 'health 1 Available'];
  assert.deepEqual(textsOf(reports.all()), flapped);
  fleet.play([{ ...ALL, kind: 'behaves', behaviour: { flapMs: 60_000, health: 'Available' } }]);
  await pass(30_000);
  assert.deepEqual(textsOf(reports.all()), [...flapped, 'health 1 Degraded']);
});

test('an offline target takes nothing, does what it had accepted, and tells of it when it is back', async () => {
  const { fleet, pass, reports } = await fleetOf({ applyMs: 1_000 });
  const call = fleet.dispatch(anOrder(), signal);
  await pass(20);
  await call;
  reports.clear();
  fleet.play([
    { ...ALL, kind: 'offline' },
    { ...ALL, kind: 'online', atMs: 60_000 },
  ]);
  await pass(0);
  assert.deepEqual(await fleet.dispatch(anOrder({ revision: 2 }), signal), { kind: 'offline' });
  assert.equal(await fleet.preview(anOrder(), signal), undefined);
  await pass(59_999);
  assert.deepEqual(textsOf(reports.all()), ['connection']);
  await pass(1);
  assert.deepEqual(textsOf(reports.all()), ['connection', 'connection', 'inventory', 'applied 1']);
  const [inventory] = reports.ofKind('inventory');
  assert.deepEqual(inventory?.holdings, [
    { deployment: DEPLOYMENT, revision: 1, hash: 'sha256:one', health: 'Available', message: '' },
  ]);
});

test('a call that is cut off on its way is answered with offline, and nothing was taken', async () => {
  const { fleet, pass } = await fleetOf({ latencyMs: 100 });
  fleet.play([{ ...ALL, kind: 'offline', atMs: 50 }]);
  const call = fleet.dispatch(anOrder(), signal);
  await pass(100);
  assert.deepEqual(await call, { kind: 'offline' });
});

test('a rebuilt target is another installation, with nothing on it, and has seen nothing', async () => {
  const { fleet, pass, reports } = await fleetOf();
  const call = fleet.dispatch(anOrder({ revision: 7 }), signal);
  await pass(20);
  await call;
  const [before] = reports.ofKind('inventory');
  reports.clear();
  fleet.play([{ ...ALL, kind: 'rebuilt' }]);
  await pass(0);
  assert.deepEqual(textsOf(reports.all()), ['connection', 'connection', 'inventory']);
  const [after] = reports.ofKind('inventory');
  assert.notEqual(after?.instance, before?.instance);
  assert.deepEqual(after?.holdings, []);
  const older = fleet.dispatch(anOrder({ revision: 3 }), signal);
  await pass(20);
  assert.deepEqual(await older, { kind: 'accepted' });
});

test('drift is told, and is over once something was applied', async () => {
  const { fleet, pass, reports } = await fleetOf();
  const call = fleet.dispatch(anOrder(), signal);
  await pass(20);
  await call;
  reports.clear();
  fleet.play([{ ...ALL, kind: 'drifted', deployment: DEPLOYMENT, objects: ['v1/ConfigMap/one'] }]);
  await pass(0);
  const repair = fleet.dispatch(anOrder({ revision: 2 }), signal);
  await pass(20);
  await repair;
  const drifts = reports.ofKind('drift').map(({ revision, objects }) => ({ revision, objects }));
  assert.deepEqual(drifts, [
    { revision: 1, objects: ['v1/ConfigMap/one'] },
    { revision: 2, objects: [] },
  ]);
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

test('a fleet that is started anew has what it had accepted, and goes on from what it had seen', async () => {
  const kept: Remembered[] = [];
  const memory = { recall: async () => kept, keep: async (each: Remembered) => void kept.push(each) };
  const first = await fleetOf({ applyMs: 60_000 }, { memory, size: 3 });
  const [one, two, three] = first.targets;
  assert.ok(one && two && three);
  const calls = [
    first.fleet.dispatch(anOrder({ target: one, revision: 4 }), signal),
    first.fleet.dispatch(aRemoval({ target: two, revision: 5 }), signal),
    first.fleet.dispatch(anOrder({ target: three, revision: 6 }), signal),
  ];
  await first.pass(20);
  await Promise.all(calls);
  first.fleet.play([{ kind: 'rebuilt', atMs: 0, targets: [three.id] }]);
  await first.pass(0);
  await first.stop();
  running.length = 0;
  const instances = new Map(first.reports.ofKind('inventory').map(({ target, instance }) => [target, instance]));

  const { fleet, pass, reports } = await fleetOf({}, { memory, size: 3 });
  const inventories = reports.ofKind('inventory');
  assert.deepEqual(
    inventories.map(({ holdings }) => holdings.map(({ revision, hash }) => ({ revision, hash }))),
    [[{ revision: 4, hash: 'sha256:one' }], [], []],
  );
  assert.deepEqual(new Map(inventories.map(({ target, instance }) => [target, instance])), instances);
  const back = fleet.dispatch(anOrder({ target: two, revision: 4 }), signal);
  const preview = fleet.preview(anOrder({ target: one, revision: 5, hash: 'sha256:two' }), signal);
  await pass(20);
  assert.deepEqual(await back, { kind: 'fenced', seen: 5 });
  assert.equal(await preview, undefined, 'what the documents were nobody knows any more');
});

test('a removed target is offline, and says nothing more', async () => {
  const { fleet, pass, reports } = await fleetOf({ applyMs: 1_000 });
  const call = fleet.dispatch(anOrder(), signal);
  await pass(20);
  await call;
  reports.clear();
  fleet.remove([TARGET.id]);
  fleet.play([{ ...ALL, kind: 'online' }]);
  await pass(60_000);
  assert.deepEqual(reports.all(), []);
  assert.deepEqual(await fleet.dispatch(anOrder(), signal), { kind: 'offline' });
});

test('a script repeats what it is told to repeat', async () => {
  const { fleet, pass, reports } = await fleetOf();
  reports.clear();
  fleet.play([
    { kind: 'offline', atMs: 1_000, everyMs: 10_000, targets: [TARGET.id] },
    { kind: 'online', atMs: 2_000, everyMs: 10_000, targets: [TARGET.id] },
  ]);
  await pass(30_000);
  assert.deepEqual(
    reports.ofKind('connection').map(({ isOnline }) => isOnline),
    [false, true, false, true, false, true],
  );
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

test('thousands of targets are no more trouble than one', async () => {
  const { fleet, pass, reports, targets } = await fleetOf({ applyMs: 10, jitterMs: 50 }, { size: 3_000 });
  // A signal each: one that has to tell thousands takes its time.
  const calls = targets.map((target) => fleet.dispatch(anOrder({ target }), new AbortController().signal));
  await pass(1_000);
  await Promise.all(calls);
  await reports.untilThereAre(targets.length, 'health', signal);
  assert.equal(reports.ofKind('applied').length, targets.length);
});
