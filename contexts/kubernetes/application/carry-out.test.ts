import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Scope } from '../domain/desired-objects.ts';
import { DEPLOYMENT_LABEL, type KubeObject, keyOf, keyText, type ObjectKey } from '../domain/kube-object.ts';
import { FakeCluster } from '../testing/fake-cluster.ts';
import { MemoryInventories } from '../testing/memory-inventories.ts';
import { carryOut, type Outcome } from './carry-out.ts';
import { Claims } from './claims.ts';
import type { CarryOutDeps, DeliveryTask } from './delivery-task.ts';
import { InventoryTracker } from './inventory-tracker.ts';
import type { ClusterApi } from './ports.ts';
import type { Delivery } from './survey.ts';

const signal = new AbortController().signal;
const SCOPES = new Map<string, Scope>([
  ['v1/Namespace', 'cluster'],
  ['v1/ConfigMap', 'namespaced'],
  ['apps/v1/Deployment', 'namespaced'],
  ['apiextensions.k8s.io/v1/CustomResourceDefinition', 'cluster'],
]);

function map(name: string, data: object = { a: '1' }): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data } as KubeObject;
}

function policy(fields: object) {
  return { apiVersion: 'kubernetes.fleetshift.io/v1', kind: 'DeliveryPolicy', ...fields };
}

function order(revision: number, documents: readonly object[], deployment = 'd-1'): Delivery {
  const hash = JSON.stringify(documents);
  return { deployment, revision, hash, documents: documents as [], namespace: 'shop' };
}

function scene() {
  const cluster = new FakeCluster();
  const inventories = new MemoryInventories();
  const discovery = { scopes: async () => SCOPES, instance: async () => 'i-1' };
  const deps: CarryOutDeps = { cluster, discovery, inventories, width: 3, sleep: async () => {}, looksMs: [1, 1, 1] };
  const run = async (delivery: Delivery, change: Partial<CarryOutDeps & DeliveryTask> = {}): Promise<Outcome> => {
    const { records } = await inventories.all(signal);
    const claims = new Claims();
    for (const inventory of records) claims.settle(inventory.deployment, inventory);
    const kept = records.find(({ deployment }) => deployment === delivery.deployment);
    const tracker = new InventoryTracker({ inventories }, kept, delivery);
    const task = { delivery, tracker, claims, isOver: () => false, versions: new Map<string, string>() };
    return await carryOut({ ...deps, ...change }, { ...task, ...change }, signal);
  };
  const has = (name: string) => cluster.peek(keyOf(map(name))) as (KubeObject & { data: object }) | undefined;
  return { cluster, inventories, deps, run, has };
}

function message(outcome: Outcome): string {
  return 'message' in outcome ? outcome.message : outcome.kind;
}

/** Calls `beforeWrite` before every write; a throw simulates the end of the agent. */
function dying(cluster: FakeCluster, beforeWrite: () => void): ClusterApi {
  return {
    get: async (key, stop) => await cluster.get(key, stop),
    apply: async (object, options, stop) => {
      beforeWrite();
      return await cluster.apply(object, options, stop);
    },
    delete: async (key, meant, stop) => {
      beforeWrite();
      return await cluster.delete(key, meant, stop);
    },
  };
}

describe('a delivery', () => {
  it('is applied, and then there is nothing left to do: no request that writes, no inventory', async () => {
    const { cluster, inventories, run } = scene();
    const delivery = order(1, [
      map('a'),
      map('b'),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    ]);
    assert.deepEqual(await run(delivery), { kind: 'applied' });
    const before = [cluster.writes, inventories.saves];
    assert.deepEqual(await run(delivery), { kind: 'applied' });
    assert.deepEqual([cluster.writes, inventories.saves], before);
  });

  it('prunes what left, and leaves what is not its own', async () => {
    const { cluster, run, has } = scene();
    cluster.applyAs('kubectl', map('theirs'));
    await run(order(1, [map('a'), map('b')]));
    assert.deepEqual(await run(order(2, [map('b', { a: '2' })])), { kind: 'applied' });
    assert.deepEqual([has('a'), has('b')?.data, has('theirs')?.data], [undefined, { a: '2' }, { a: '1' }]);
    assert.deepEqual(await run({ ...order(3, []), hash: undefined }), { kind: 'applied' });
    assert.deepEqual([has('b'), has('theirs')?.data], [undefined, { a: '1' }]);
  });

  it('does not write anything where something is somebody else’s, unless it is told to', async () => {
    const { cluster, inventories, run, has } = scene();
    cluster.applyAs('kubectl', map('a', { a: '9' }));
    assert.match(message(await run(order(1, [map('b'), map('a')]))), /managed by kubectl/);
    assert.equal(has('b'), undefined);
    assert.match(message(await run(order(2, [policy({ onConflict: 'adopt' }), map('a')]))), /kubectl has \.data\.a/);
    assert.deepEqual(has('a')?.data, { a: '9' });
    assert.equal((await inventories.all(signal)).records[0]?.held, undefined, 'nothing was applied whole');
    assert.deepEqual(await run(order(3, [policy({ onConflict: 'force' }), map('a')])), { kind: 'applied' });
    assert.deepEqual(has('a')?.data, { a: '1' });
  });

  it('prunes what it was told to adopt', async () => {
    const { cluster, run, has } = scene();
    cluster.applyAs('kubectl', map('a'));
    await run(order(1, [policy({ onConflict: 'adopt' }), map('a')]));
    await run(order(2, []));
    assert.equal(has('a'), undefined);
  });

  it('notices that somebody made the object just before, and lets it be', async () => {
    const { cluster, deps, inventories, run, has } = scene();
    const faster: ClusterApi = {
      ...dying(cluster, () => {}),
      apply: async (object, options, stop) => {
        cluster.applyAs('kubectl', map('a', { b: '1' }));
        return await deps.cluster.apply(object, options, stop);
      },
    };
    assert.match(message(await run(order(1, [map('a')]), { cluster: faster })), /managed by kubectl/);
    await run(order(2, []));
    assert.ok(has('a'), 'it is not ours, so it is not pruned');
    cluster.remove(keyOf(map('a')));
    const adopts = order(3, [policy({ onConflict: 'adopt' }), map('a')]);
    assert.deepEqual(await run(adopts, { cluster: faster }), { kind: 'applied' });
    assert.equal((await inventories.all(signal)).records[0]?.entries[0]?.origin, 'adopted');
  });

  it('keeps two deployments apart, whatever the policy', async () => {
    const { run } = scene();
    await run(order(1, [map('a')]));
    assert.match(message(await run(order(1, [policy({ onConflict: 'force' }), map('a')], 'd-2'))), /deployment d-1/);
    assert.deepEqual(await run(order(2, [policy({ mode: 'release' })])), { kind: 'released' });
    assert.deepEqual(await run(order(2, [policy({ onConflict: 'adopt' }), map('a')], 'd-2')), { kind: 'applied' });
  });

  it('writes nothing to observe, and says what it would do', async () => {
    const { cluster, run } = scene();
    await run(order(1, [map('a'), map('b'), map('c')]));
    const before = cluster.writes;
    const observed = await run(order(2, [policy({ mode: 'observe' }), map('b', { a: '2' }), map('c'), map('d')]));
    assert.ok(observed.kind === 'observed');
    assert.deepEqual(
      observed.changes.flatMap(({ lines }) => lines),
      [
        'delete v1/ConfigMap/shop/a',
        'change v1/ConfigMap/shop/b',
        '  .data.a: "1" -> "2"',
        'create v1/ConfigMap/shop/d',
      ],
    );
    assert.equal(cluster.writes, before);
  });

  it('lets go of objects and touches none', async () => {
    const { cluster, run, has } = scene();
    await run(order(1, [map('a')]));
    const before = cluster.writes;
    assert.deepEqual(await run(order(2, [policy({ mode: 'release' }), map('a')])), { kind: 'released' });
    await run({ ...order(3, []), hash: undefined });
    assert.deepEqual([cluster.writes, has('a')?.data], [before, { a: '1' }]);
  });

  it('never goes back', async () => {
    const { run, has } = scene();
    await run(order(2, [map('a', { a: '2' })]));
    assert.deepEqual(await run(order(1, [map('a')])), { kind: 'fenced', seen: 2 });
    assert.deepEqual(has('a')?.data, { a: '2' });
  });

  it('waits for kinds: until they are established, and for those that are not served', async () => {
    const { cluster, run } = scene();
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.a.io' },
      spec: { group: 'a.io', scope: 'Cluster', names: { kind: 'Gadget' } },
    };
    const gadget = { apiVersion: 'a.io/v1', kind: 'Gadget', metadata: { name: 'g' } };
    const key: ObjectKey = { apiVersion: 'a.io/v1', kind: 'Gadget', name: 'g' };
    assert.match(message(await run(order(1, [gadget, definition]))), /gadgets\.a\.io is not established/);
    assert.equal(cluster.peek(key), undefined);
    const status = { status: { conditions: [{ type: 'Established', status: 'True' }] } };
    const sleep = async () => {
      cluster.applyAs('apiserver', { ...definition, ...status });
    };
    assert.deepEqual(
      await run(order(2, [gadget, { ...definition, metadata: { ...definition.metadata, labels: { a: 'b' } } }]), {
        sleep,
      }),
      { kind: 'applied' },
    );
    assert.ok(cluster.peek(key));
    const widget = { apiVersion: 'b.io/v1', kind: 'Widget', metadata: { name: 'w' } };
    const outcome = await run(order(3, [widget, map('a')]));
    assert.deepEqual(outcome, { kind: 'waiting', message: 'b.io/v1/Widget is not served yet' });
    assert.ok(cluster.peek(key), 'nothing is pruned as long as something is in doubt');
  });

  it('says what holds an object that is to go, and keeps it in mind', async () => {
    const { cluster, run } = scene();
    await run(order(1, [map('a')]));
    const stuck = (object: KubeObject | undefined): KubeObject | undefined =>
      object && { ...object, metadata: { ...object.metadata, deletionTimestamp: 't', finalizers: ['a.io/x'] } };
    const held: ClusterApi = {
      ...dying(cluster, () => {}),
      get: async (key) => stuck(cluster.peek(key)),
    };
    assert.match(message(await run(order(2, []), { cluster: held })), /waits for its finalizers a\.io\/x/);
    assert.deepEqual(await run(order(2, [])), { kind: 'applied' });
    assert.equal(cluster.peek(keyOf(map('a'))), undefined);
  });

  it('has done its part once another object has the name', async () => {
    const { cluster, run, has } = scene();
    await run(order(1, [map('a')]));
    const quick: ClusterApi = {
      ...dying(cluster, () => {}),
      delete: async (key) => {
        const gone = cluster.peek(key);
        cluster.remove(key);
        cluster.applyAs('kubectl', map('a'));
        return gone;
      },
    };
    assert.deepEqual(await run(order(2, []), { cluster: quick }), { kind: 'applied' });
    assert.ok(has('a'));
  });

  it('replaces what cannot be changed, where that is desired', async () => {
    const { cluster, run, has } = scene();
    await run(order(1, [map('a')]));
    const status = {
      code: 422,
      reason: 'Invalid',
      details: { causes: [{ message: 'field is immutable', field: 'data' }] },
    };
    const fixed: ClusterApi = {
      ...dying(cluster, () => {}),
      apply: async (object, options, stop) =>
        has('a') === undefined ? await cluster.apply(object, options, stop) : { kind: 'refused', status },
    };
    assert.match(message(await run(order(2, [map('a', { a: '2' })]), { cluster: fixed })), /onImmutable: replace/);
    const documents = [policy({ onImmutable: 'replace' }), map('a', { a: '2' })];
    assert.equal((await run(order(3, documents), { cluster: fixed })).kind, 'waiting');
    assert.deepEqual(await run(order(3, documents), { cluster: fixed }), { kind: 'applied' });
    assert.deepEqual(has('a')?.data, { a: '2' });
  });

  it('is rejected for documents that are none', async () => {
    const { run } = scene();
    assert.equal((await run(order(1, [{ kind: 'ConfigMap' }]))).kind, 'rejected');
    assert.equal((await run(order(1, [policy({ mode: 'x' })]))).kind, 'rejected');
  });

  it('goes on where an agent ended, at whichever write that was, and leaves nothing behind', async () => {
    const first = [map('a'), map('b'), map('c')];
    const second = [map('b', { a: '2' }), map('c'), map('d'), map('e')];
    let steps = 0;
    for (let dies = 0, isThrough = false; !isThrough; dies += 1) {
      const { cluster, inventories, run } = scene();
      cluster.applyAs('kubectl', map('theirs'));
      await run(order(1, first));
      cluster.applyAs('kubectl', map('b', { z: '1' }));
      let left = dies;
      const beforeWrite = () => {
        if ((left -= 1) < 0) throw new Error('the agent ended');
      };
      inventories.beforeWrite = beforeWrite;
      isThrough = await run(order(2, second), { cluster: dying(cluster, beforeWrite) }).then(
        () => true,
        () => false,
      );
      inventories.beforeWrite = () => {};
      assert.deepEqual(await run(order(2, second)), { kind: 'applied' }, `write ${dies}`);
      const there = ['a', 'b', 'c', 'd', 'e', 'theirs'].filter((name) => cluster.peek(keyOf(map(name))));
      assert.deepEqual(there, ['b', 'c', 'd', 'e', 'theirs'], `write ${dies}`);
      const [inventory] = (await inventories.all(signal)).records;
      assert.deepEqual(
        inventory?.entries.map(({ key }) => keyText(key)),
        second.map((object) => keyText(keyOf(object))),
      );
      assert.deepEqual(inventory?.held, { revision: 2, hash: JSON.stringify(second) });
      await run({ ...order(3, []), hash: undefined });
      assert.deepEqual(
        'abcde'.split('').filter((name) => cluster.peek(keyOf(map(name)))),
        [],
      );
      steps += 1;
    }
    assert.ok(steps > 6, `${steps} steps`);
  });

  it('leaves what another inventory holds, says so, and keeps it out of its own inventory', async () => {
    const { cluster, inventories, run, has } = scene();
    await run(order(1, [map('a'), map('b')]));
    const uid = cluster.peek(keyOf(map('a')))?.metadata.uid;
    const entry = { key: keyOf(map('a')), uid, origin: 'adopted', sent: 's' } as const;
    inventories.elsewhere.push({ deployment: 'd-1', seen: { revision: 1 }, entries: [entry] });
    const left: string[] = [];
    const onLeft = (objects: readonly string[]): void => void left.push(...objects);
    const gone = { ...order(2, []), hash: undefined };
    assert.deepEqual(await run(gone, { onLeft }), { kind: 'applied' });
    assert.deepEqual([has('a') !== undefined, has('b') !== undefined], [true, false]);
    assert.deepEqual(left, ['v1/ConfigMap/shop/a: held by d-1']);
    assert.deepEqual((await inventories.all(signal)).records[0]?.entries, []);
  });

  it('is compared as it would be carried out: what another inventory holds would stay', async () => {
    const { cluster, inventories, run } = scene();
    await run(order(1, [map('a'), map('b'), map('c')]));
    const uid = cluster.peek(keyOf(map('a')))?.metadata.uid;
    const entry = { key: keyOf(map('a')), uid, origin: 'adopted', sent: 's' } as const;
    inventories.elsewhere.push({ deployment: 'd-9', seen: { revision: 1 }, entries: [entry] });
    const compared = await run(order(2, [policy({ mode: 'observe' }), map('c')]));
    assert.ok(compared.kind === 'observed');
    const lines = compared.changes.map(({ lines: [first = ''] }) => first);
    assert.deepEqual(lines, ['release v1/ConfigMap/shop/a: held by d-9', 'delete v1/ConfigMap/shop/b', '']);
  });

  it('leaves what another agent takes over between the look and the deletion, whichever of the two it misses', async () => {
    for (const moment of ['inventories', 'delete'] as const) {
      const { cluster, inventories, run, has } = scene();
      await run(order(1, [map('a'), map('b')]));
      const takeOver = (): void => {
        const key = keyOf(map('a'));
        const uid = cluster.peek(key)?.metadata.uid;
        const entry = { key, uid, origin: 'adopted', sent: 's' } as const;
        if (inventories.elsewhere.length > 0) return;
        // As agents do: first the record, then the object.
        inventories.elsewhere.push({ deployment: 'd-9', seen: { revision: 1 }, entries: [entry] });
        const object = { ...map('a'), metadata: { ...map('a').metadata, labels: { [DEPLOYMENT_LABEL]: 'd-9' } } };
        cluster.applyAs('another agent', object, { force: true });
      };
      const api: ClusterApi = {
        ...dying(cluster, () => {}),
        delete: async (key, meant, stop) => {
          if (moment === 'delete') takeOver();
          return await cluster.delete(key, meant, stop);
        },
      };
      const others: typeof inventories.others = async (deployment, stop) => {
        const found = await inventories.others(deployment, stop);
        if (moment === 'inventories') takeOver();
        return found;
      };
      const left: string[] = [];
      const gone = { ...order(2, []), hash: undefined };
      const change = {
        cluster: api,
        inventories: { others },
        onLeft: (objects: readonly string[]) => void left.push(...objects),
      };
      assert.deepEqual(await run(gone, change), { kind: 'applied' }, moment);
      assert.deepEqual([has('a') !== undefined, has('b') !== undefined], [true, false], moment);
      assert.deepEqual(left, ['v1/ConfigMap/shop/a: held by d-9'], moment);
    }
  });

  it('says so when an object changes as often as it is looked at, and deletes it later', async () => {
    const { cluster, run, has } = scene();
    await run(order(1, [map('a')]));
    let changes = 0;
    const api: ClusterApi = {
      ...dying(cluster, () => {}),
      delete: async (key, meant, stop) => {
        changes += 1;
        const data = { metadata: { ...map('a').metadata, annotations: { seen: `${changes}` } } };
        if (changes <= 3) cluster.applyAs('a controller', { ...map('a'), ...data }, { force: true });
        return await cluster.delete(key, meant, stop);
      },
    };
    const gone = { ...order(2, []), hash: undefined };
    const blocked = await run(gone, { cluster: api });
    assert.match(message(blocked), /v1\/ConfigMap\/shop\/a keeps changing/);
    assert.deepEqual(await run(gone, { cluster: api }), { kind: 'applied' });
    assert.equal(has('a'), undefined);
  });

  it('deletes an object although its status changes before each attempt', async () => {
    const { cluster, run, has } = scene();
    await run(order(1, [map('a')]));
    let attempts = 0;
    const api: ClusterApi = {
      ...dying(cluster, () => {}),
      delete: async (key, meant, stop) => {
        attempts += 1;
        const { data: _, ...itself } = map('a') as KubeObject & { data: object };
        const seen = { ...itself, status: { seen: attempts } } as KubeObject;
        if (attempts <= 10) cluster.applyAs('a controller', seen, { force: true });
        return await cluster.delete(key, meant, stop);
      },
    };
    assert.deepEqual(await run({ ...order(2, []), hash: undefined }, { cluster: api }), { kind: 'applied' });
    assert.deepEqual([has('a'), attempts], [undefined, 11]);
  });
});
