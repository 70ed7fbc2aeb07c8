import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownerFor } from '../domain/binding.ts';
import { isCrsError } from '../domain/crs-error.ts';
import { FINALIZER } from '../domain/resource-set.ts';
import { NO_OPTIONS } from '../domain/set-options.ts';
import { aCluster, aSet } from '../testing/a-set.ts';
import { anObject } from '../testing/fake-workload.ts';
import { Reconcilers } from '../testing/reconcilers.ts';

const DONE = { kind: 'done' };

describe('looking after a set', () => {
  it('begins with the finalizer, beside those of others, and nothing else', async () => {
    const it = new Reconcilers();
    it.management.put(aSet({ finalizers: ['theirs'] }), aCluster());
    assert.deepEqual(await it.set(), DONE);
    assert.deepEqual(it.management.writes, [`finalizers web [theirs,${FINALIZER}]`]);
  });

  it('owns what it finds once it is for a cluster, and says nothing before it knows', async () => {
    const it = new Reconcilers();
    it.management.putResource('cm', [anObject('one')]);
    it.management.put(aSet());
    await it.set();
    assert.deepEqual(it.management.writes, ['status web none']);
    it.management.put(aCluster());
    await it.set();
    assert.deepEqual(it.management.writes.slice(1), ['owners cm [web]']);
    await it.cluster();
    await it.set();
    assert.equal(it.verdict(), 'True Applied: ');
    const { length } = it.management.writes;
    await it.cluster();
    await it.set();
    assert.equal(it.management.writes.length, length, 'nothing is written when nothing is new');
  });

  it('tells of a failure before all clusters are known, and of success only then', async () => {
    const it = new Reconcilers();
    it.management.putResource('cm', [anObject('one')]);
    it.management.put(aSet(), aCluster({ name: 'a' }), aCluster({ name: 'b' }), aCluster({ name: 'c' }));
    it.workload.down.set('b', 'down');
    await it.cluster('a');
    await it.set();
    assert.equal(it.verdict(), undefined);
    await it.cluster('b');
    await it.set();
    assert.equal(it.verdict(), 'False InternalError: Cluster b cannot be reached: down');
    it.workload.down.clear();
    await it.cluster('b');
    await it.set();
    assert.match(it.verdict() ?? '', /^False/, 'nothing is known of c yet');
    await it.cluster('c');
    await it.set();
    assert.equal(it.verdict(), 'True Applied: ');
  });

  it('knows nothing of a new generation until clusters were looked at for it', async () => {
    const it = new Reconcilers();
    it.management.putResource('cm', [anObject('one')]);
    it.management.put(aSet(), aCluster());
    await it.cluster();
    await it.set();
    const observed = () => it.management.setsByName.get('web')?.status.observedGeneration;
    assert.equal(observed(), 1);
    it.management.change('web', { generation: 2 });
    await it.set();
    assert.equal(observed(), 1);
    await it.cluster();
    await it.set();
    assert.equal(observed(), 2);
  });

  it('does nothing but say so while it is paused, on its way out too', async () => {
    const it = new Reconcilers();
    it.management.put(aSet({ isPaused: true, isDeleting: true }), aCluster());
    it.management.putBinding('a', { owners: [ownerFor(aSet())], entries: [{ setName: 'web', resources: [] }] });
    await it.set();
    await it.cluster();
    assert.deepEqual(it.management.writes, ['status web none']);
    assert.deepEqual(it.management.setsByName.get('web')?.finalizers, [FINALIZER]);
    assert.deepEqual(it.entries(), [['web']]);
  });

  it('goes once no binding of the namespace holds it, of clusters that it is not for too', async () => {
    const it = new Reconcilers();
    it.management.put(aSet({ isDeleting: true }), aCluster({ labels: {} }), aCluster({ name: 'b' }));
    const bound = { owners: [ownerFor(aSet())], entries: [{ setName: 'web', resources: [] }] };
    it.management.putBinding('a', bound);
    it.management.putBinding('lost', bound);
    assert.deepEqual(await it.set(), DONE);
    assert.deepEqual(it.woken, ['cluster a', 'cluster lost']);
    await it.cluster('a');
    await it.cluster('lost');
    assert.deepEqual(it.management.writes, ['delete binding a', 'delete binding lost']);
    await it.set();
    assert.equal(it.management.setsByName.has('web'), false);
  });

  it('is not let go while something is written for it', async () => {
    const it = new Reconcilers();
    it.management.putResource('cm', [anObject('one')]);
    it.management.put(aSet(), aCluster());
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    it.workload.before = async () => {
      reached.resolve();
      await gate.promise;
    };
    const pass = it.cluster();
    await reached.promise;
    it.management.change('web', { isDeleting: true });
    await it.set();
    assert.ok(it.management.setsByName.has('web'));
    gate.resolve();
    await pass;
    assert.equal(it.management.bindingsByName.size, 0, 'it is not put into a binding any more');
    assert.ok(it.woken.includes('set web'));
    await it.set();
    assert.equal(it.management.setsByName.has('web'), false);
  });

  it('lets go of what it owns, where that is to be kept, before it goes', async () => {
    const it = new Reconcilers();
    it.management.putResource('cm', [anObject('one')]);
    it.management.put(aSet(), aCluster());
    await it.set();
    it.management.change('web', { options: { ...NO_OPTIONS, keepResources: true }, isDeleting: true });
    await it.set();
    assert.deepEqual(it.management.writes.slice(-2), ['owners cm []', 'finalizers web []']);
  });

  it('says what cannot be owned, owns the others, and tries again', async () => {
    const it = new Reconcilers();
    it.management.putResource('cm', [anObject('one')]);
    it.management.putResource('more', [anObject('two')]);
    const resources = ['cm', 'more'].map((name) => ({ kind: 'ConfigMap', name }));
    it.management.put(aSet({ resources }), aCluster());
    await it.cluster();
    it.management.beforeWrite = (line) => {
      if (line.startsWith('owners cm')) throw new Error('not allowed');
    };
    assert.deepEqual(await it.set(), { kind: 'retry' });
    assert.ok(it.management.writes.includes('owners more [web]'));
    assert.equal(it.verdict(), 'False InternalError: ConfigMap cm cannot be used: not allowed');
  });

  it('leaves a conflict to whoever looks again', async () => {
    const it = new Reconcilers();
    it.management.put(aSet({ finalizers: [] }));
    it.management.beforeWrite = () => it.management.change('web', {});
    await assert.rejects(it.set(), (error) => isCrsError(error, 'CONFLICT'));
  });

  it('says so when the selector cannot be read, and takes nothing away', async () => {
    const it = new Reconcilers();
    it.management.put(aSet({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }), aCluster());
    await it.set();
    assert.match(it.verdict() ?? '', /^False InternalError: unable to convert selector: values: Invalid value/);
    assert.equal(it.management.setsByName.get('web')?.status.legacyConditions[0]?.reason, 'ClusterMatchFailed');
  });
});
