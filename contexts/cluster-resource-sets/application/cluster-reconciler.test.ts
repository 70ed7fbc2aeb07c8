import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Owner, ownerFor } from '../domain/binding.ts';
import { FINALIZER } from '../domain/resource-set.ts';
import { aCluster, aSet } from '../testing/a-set.ts';
import { anObject, lost, refused } from '../testing/fake-workload.ts';
import { Reconcilers } from '../testing/reconcilers.ts';

const DONE = { kind: 'done' };

function fleet(...sets: readonly string[]): Reconcilers {
  const it = new Reconcilers();
  it.management.put(aCluster());
  for (const name of sets) {
    it.management.putResource(name, [anObject(name)], 'h1');
    it.management.put(aSet({ name, resources: [{ kind: 'ConfigMap', name }] }));
  }
  return it;
}

describe('looking after a cluster', () => {
  it('applies all sets that are for it, and records them in one write', async () => {
    const it = fleet('one', 'two', 'three');
    it.management.put(aSet({ name: 'other', selector: { matchLabels: { cni: 'no' } } }));
    assert.deepEqual(await it.cluster(), DONE);
    assert.deepEqual(it.management.writes, ['create binding a']);
    assert.deepEqual(it.entries(), [
      ['one', 'one true h1'],
      ['three', 'three true h1'],
      ['two', 'two true h1'],
    ]);
    assert.deepEqual(it.workload.requests.toSorted(), ['create one', 'create three', 'create two']);
  });

  it('asks for nothing when nothing is new', async () => {
    const it = fleet('one', 'two');
    await it.cluster();
    it.workload.requests.length = 0;
    assert.deepEqual(await it.cluster(), DONE);
    assert.deepEqual([it.workload.requests, it.management.writes], [[], ['create binding a']]);
  });

  it('records what came while others were applied along with them', async () => {
    const it = fleet('one', 'two');
    await it.cluster();
    it.management.putResource('one', [anObject('one', { a: '2' })], 'h2');
    it.workload.before = (line) => {
      if (line === 'replace one') it.management.putResource('two', [anObject('two', { a: '2' })], 'h2');
    };
    await it.cluster();
    assert.deepEqual(it.management.writes, ['create binding a', 'update binding a']);
    assert.deepEqual(it.entries(), [
      ['one', 'one true h2'],
      ['two', 'two true h2'],
    ]);
  });

  it('has what it took to apply count as part of the wait for more, which is never left out', async () => {
    const it = fleet('one');
    it.workload.before = async () => await it.clock.advance(10);
    await it.cluster();
    it.management.putResource('one', [anObject('one', { a: '2' })], 'h2');
    it.workload.before = async () => await it.clock.advance(100);
    await it.cluster();
    assert.deepEqual(it.waits, [15, 0]);
  });

  it('waits for a set that is about to get its finalizer', async () => {
    const it = fleet('one', 'two');
    it.management.change('two', { finalizers: [] });
    let waits = 0;
    it.whileWaiting = () => {
      waits += 1;
      if (waits === 3) it.management.change('two', { finalizers: [FINALIZER] });
    };
    await it.cluster();
    assert.deepEqual(it.management.writes, ['create binding a']);
    assert.equal(it.entries()?.length, 2);
  });

  it('applies nothing again when another was faster to write the binding', async () => {
    const it = fleet('one');
    await it.cluster();
    it.management.putResource('one', [anObject('one', { a: '2' })], 'h2');
    let isFirst = true;
    it.management.beforeWrite = (line) => {
      if (!isFirst || line !== 'update binding a') return;
      isFirst = false;
      const before = it.management.bindingsByName.get('a');
      it.management.putBinding('a', {
        ...before,
        entries: [...(before?.entries ?? []), { setName: 'theirs', resources: [] }],
      });
    };
    await it.cluster();
    assert.deepEqual(it.entries(), [['one', 'one true h2'], ['theirs']]);
    assert.deepEqual(it.workload.requests, ['create one', 'replace one']);
  });

  it('with ApplyOnce creates and no more, with Reconcile makes it what the manifest says', async () => {
    const it = fleet('one', 'two');
    it.management.change('one', { strategy: 'ApplyOnce' });
    for (const name of ['one', 'two'])
      it.workload.objects.set(`/ConfigMap/shop/${name}`, anObject(name, { theirs: 'yes' }));
    await it.cluster();
    assert.deepEqual(
      [it.workload.get('one')?.['data'], it.workload.get('two')?.['data']],
      [{ theirs: 'yes' }, { a: '1' }],
    );
    for (const name of ['one', 'two']) it.management.putResource(name, [anObject(name, { a: '2' })], 'h2');
    it.workload.requests.length = 0;
    await it.cluster();
    assert.deepEqual(it.workload.requests, ['replace two']);
    assert.deepEqual(it.entries(), [
      ['one', 'one true h1'],
      ['two', 'two true h2'],
    ]);
  });

  it('tells that what was applied once can no longer be read, and applies it once more when it can', async () => {
    const it = fleet('one');
    it.management.change('one', { strategy: 'ApplyOnce' });
    await it.cluster();
    it.management.putResource('one', undefined, 'h2');
    await it.cluster();
    await it.set('one');
    assert.deepEqual(it.entries(), [['one', 'one false -']]);
    assert.equal(it.verdict('one'), 'False NotApplied: ConfigMap one: it is not YAML');
    it.management.putResource('one', [anObject('one', { a: '3' })], 'h3');
    await it.cluster();
    assert.deepEqual(it.entries(), [['one', 'one true h3']]);
  });

  it('tries what was refused again by itself, later and later, and writes that down once', async () => {
    const it = fleet('bad', 'good');
    it.workload.before = (line) => {
      if (line.endsWith(' bad')) throw refused('quota');
    };
    const waits: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      const next = await it.cluster();
      assert.equal(next.kind, 'again');
      waits.push(next.kind === 'again' ? next.afterMs : 0);
      // Its neighbour changes in between. It is not delayed, and the bad one is not retried because of it.
      const { length } = it.workload.requests;
      it.management.putResource('good', [anObject('good', { a: `${tries}` })], `h-${tries}`);
      await it.cluster();
      assert.deepEqual(it.workload.requests.slice(length), ['replace good']);
      await it.clock.advance(waits.at(-1) ?? 0);
    }
    assert.deepEqual(
      waits,
      waits.toSorted((a, b) => a - b),
    );
    assert.ok((waits[3] ?? 0) > 4 * (waits[0] ?? 0), waits.join());
    await it.set('bad');
    assert.match(
      it.verdict('bad') ?? '',
      /^False NotApplied: Failed to apply ClusterResourceSet resources to Cluster a: ConfigMap bad: quota$/,
    );
    assert.deepEqual(
      it.management.writes.filter((line) => line.includes('binding')).length,
      1 + 4,
      'one for each change of good',
    );
    it.workload.before = () => undefined;
    await it.clock.advance(600_000);
    assert.deepEqual(await it.cluster(), DONE);
    assert.deepEqual(it.entries()?.[0], ['bad', 'bad true h1']);
  });

  it('tries content that changed at once, and what the cluster refused when it is reached anew', async () => {
    const it = fleet('bad');
    it.workload.before = () => {
      throw refused();
    };
    await it.cluster();
    await it.cluster();
    assert.deepEqual(it.workload.requests, ['create bad']);
    it.management.putResource('bad', [anObject('bad', { a: '2' })], 'h2');
    await it.cluster();
    assert.deepEqual(it.workload.requests, ['create bad', 'get bad']);
    it.reached();
    await it.cluster();
    assert.deepEqual(it.workload.requests, ['create bad', 'get bad', 'get bad']);
  });

  it('applies all objects and all resources of a set, whatever is refused', async () => {
    const it = new Reconcilers();
    it.management.putResource('first', [anObject('a'), anObject('b'), anObject('c')], 'h1');
    it.management.putResource('second', [anObject('d')], 'h1');
    const resources = ['first', 'gone', 'second'].map((name) => ({ kind: 'ConfigMap', name }));
    it.management.put(aCluster(), aSet({ resources }));
    it.workload.before = (line) => {
      if (line === 'create a' || line === 'create c') throw refused(line);
    };
    await it.cluster();
    assert.deepEqual(it.workload.requests, ['create a', 'create b', 'create c', 'create d']);
    assert.deepEqual(it.entries(), [['web', 'first false h1', 'second true h1']]);
    await it.set();
    assert.equal(
      it.verdict(),
      'False InternalError: ConfigMap gone is missing; ' +
        'Failed to apply ClusterResourceSet resources to Cluster a: ConfigMap first: [create a, create c]',
    );
  });

  it('stops at once when the cluster does not answer any more, and records what was done', async () => {
    const it = fleet('one', 'two', 'three', 'zero');
    it.workload.before = (line) => {
      if (line !== 'create one') throw lost();
    };
    assert.deepEqual(await it.cluster(), { kind: 'retry' });
    assert.deepEqual(
      it.entries()?.map(([name, ...rest]) => [name, rest.length]),
      [
        ['one', 1],
        ['three', 0],
        ['two', 0],
        ['zero', 0],
      ],
    );
    assert.ok(it.workload.requests.length <= 4);
    await it.set('zero');
    assert.equal(it.verdict('zero'), 'False InternalError: Cluster a cannot be reached: the connection is lost');
    it.workload.before = () => undefined;
    assert.deepEqual(await it.cluster(), DONE);
    await it.set('zero');
    assert.equal(it.verdict('zero'), 'True Applied: ');
  });

  it('waits for the infrastructure of a cluster that names one, and of no other', async () => {
    const it = fleet('one');
    it.management.put(aCluster({ hasInfrastructure: true }));
    assert.deepEqual(await it.cluster(), DONE);
    assert.deepEqual([it.workload.requests, it.entries()], [[], [['one']]]);
    await it.set('one');
    assert.match(it.verdict('one') ?? '', /infrastructure is not provisioned yet/);
    it.management.put(aCluster({ hasInfrastructure: true, isProvisioned: true }));
    await it.cluster();
    assert.deepEqual(it.entries(), [['one', 'one true h1']]);
  });

  it('has room for a hundred sets, and tells the others', async () => {
    const names = Array.from({ length: 102 }, (_, index) => `set-${String(index).padStart(3, '0')}`);
    const it = fleet(...names.slice(1));
    await it.cluster();
    assert.equal(it.entries()?.length, 100);
    await it.set('set-101');
    assert.equal(it.verdict('set-101'), 'False InternalError: Cluster a: its binding has no room for another set');
    it.management.putResource('set-000', [anObject('new')], 'h1');
    it.management.put(aSet({ name: 'set-000' }));
    await it.cluster();
    assert.equal(it.entries()?.[0]?.[0], 'set-001', 'who is in it stays in it');
  });

  it('records that a strategy is unknown, and applies nothing', async () => {
    const it = fleet('one');
    it.management.change('one', { strategy: '' });
    await it.cluster();
    await it.set('one');
    assert.deepEqual([it.workload.requests, it.entries()], [[], [['one', 'one false -']]]);
    assert.equal(it.verdict('one'), 'False NotApplied: unsupported or empty resource strategy: ""');
  });

  describe('that is gone', () => {
    const owned: Owner = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', name: 'a', uid: 'x' };
    const cases: readonly {
      why: string;
      cluster?: Parameters<typeof aCluster>[0];
      binding?: object;
      want: readonly string[];
    }[] = [
      { why: 'takes its binding along', want: ['delete binding a'] },
      { why: 'or is going', cluster: { isDeleting: true }, want: ['delete binding a'] },
      { why: 'unless it is paused', cluster: { isDeleting: true, isPaused: true }, want: [] },
      { why: 'or the binding is', binding: { isPaused: true }, want: [] },
      { why: 'by the name in the binding', cluster: {}, binding: { clusterName: 'b' }, want: ['delete binding a'] },
      { why: 'is not when it is there', cluster: {}, want: [] },
      {
        why: 'and an old binding learns its name',
        cluster: {},
        binding: { clusterName: '', owners: [owned] },
        want: ['update binding a'],
      },
    ];
    for (const { why, cluster, binding = {}, want } of cases) {
      it(why, async () => {
        const it = new Reconcilers();
        if (cluster) it.management.put(aCluster(cluster));
        it.management.putBinding('a', { entries: [{ setName: 'x', resources: [] }], ...binding });
        await it.cluster();
        assert.deepEqual(it.management.writes, want);
      });
    }
  });

  it('takes out sets that leave and keeps those of others, in one write', async () => {
    const it = fleet('one', 'two', 'three');
    await it.cluster();
    it.management.putBinding('a', {
      ...it.management.bindingsByName.get('a'),
      owners: ['one', 'two', 'three'].map((name) => ownerFor(aSet({ name }))),
    });
    it.management.change('one', { isDeleting: true });
    it.management.change('three', { isDeleting: true });
    await it.cluster();
    assert.deepEqual(it.entries(), [['two', 'two true h1']]);
    assert.deepEqual(
      it.management.bindingsByName.get('a')?.owners.map(({ name }) => name),
      ['two'],
    );
    assert.deepEqual(it.management.writes, ['create binding a', 'update binding a']);
  });
});
