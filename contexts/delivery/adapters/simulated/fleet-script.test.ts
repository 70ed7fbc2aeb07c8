import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FILE_MS } from '#testing/patience';
import { fleetsForTests, textsOf } from '../../testing/a-simulated-fleet.ts';
import { anOrder, aRemoval, aTarget } from '../../testing/an-order.ts';
import type { Remembered } from './fleet-memory.ts';

const signal = AbortSignal.timeout(FILE_MS);
const fleetOf = fleetsForTests(signal);
const TARGET = aTarget();
const DEPLOYMENT = anOrder().deployment;
const ALL = { atMs: 0, targets: 'all' } as const;

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
