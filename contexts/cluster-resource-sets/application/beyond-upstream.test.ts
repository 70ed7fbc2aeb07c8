import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_OPTIONS } from '../domain/set-options.ts';
import { aCluster, aSet } from '../testing/a-set.ts';
import { anObject, refused } from '../testing/fake-workload.ts';
import { Reconcilers } from '../testing/reconcilers.ts';

const DONE = { kind: 'done' };

describe('what goes beyond Cluster API', () => {
  function withOptions(options: Partial<typeof NO_OPTIONS>, fields: Parameters<typeof aSet>[0] = {}): Reconcilers {
    const it = new Reconcilers();
    it.management.putResource('cm', [anObject('one'), anObject('two')], 'h1');
    it.management.put(aCluster(), aSet({ options: { ...NO_OPTIONS, ...options }, ...fields }));
    return it;
  }

  it('repairs drift when it is time, and writes down only that something was repaired', async () => {
    const it = withOptions({ driftRepairMs: 60_000 });
    assert.deepEqual(await it.cluster(), { kind: 'again', afterMs: 60_000 });
    it.workload.requests.length = 0;
    await it.cluster();
    assert.deepEqual(it.workload.requests, []);
    await it.clock.advance(60_000);
    await it.cluster();
    assert.deepEqual(it.workload.requests, ['get one', 'get two']);
    assert.deepEqual([it.repaired, it.management.writes.length], [[], 1]);
    it.workload.objects.set('/ConfigMap/shop/two', anObject('two', { a: 'theirs' }));
    await it.clock.advance(60_000);
    await it.cluster();
    assert.deepEqual(it.workload.get('two')?.['data'], { a: '1' });
    assert.deepEqual([it.repaired, it.management.writes.length], [['web cm'], 2]);
  });

  it('repairs nothing that is applied once', async () => {
    const it = withOptions({ driftRepairMs: 60_000 }, { strategy: 'ApplyOnce' });
    assert.deepEqual(await it.cluster(), DONE);
  });

  it('announces what it may make before it makes it, and prunes what left, if it was made by us', async () => {
    const it = withOptions({ prune: true });
    it.workload.objects.set('/ConfigMap/shop/one', anObject('one'));
    it.workload.before = (line) => void it.management.writes.push(line);
    await it.cluster();
    assert.deepEqual(it.management.writes.slice(0, 2), ['inventory web/a [one:?,two:?]', 'create one']);
    assert.match(it.management.writes.at(-2) ?? '', /^inventory web\/a \[one:\?,two:uid-/);
    it.management.putResource('cm', [anObject('three')], 'h2');
    it.management.writes.length = 0;
    await it.cluster();
    assert.deepEqual(
      it.management.writes.filter((line) => line.startsWith('delete')),
      ['delete two'],
    );
    assert.ok(it.workload.get('one') && it.workload.get('three') && !it.workload.get('two'));
    it.management.writes.length = 0;
    await it.cluster();
    assert.deepEqual(it.management.writes, []);
  });

  it('prunes nothing while something that is wanted is missing, cannot be read or was refused', async () => {
    const resources = ['cm', 'more'].map((name) => ({ kind: 'ConfigMap', name }));
    const it = withOptions({ prune: true }, { resources });
    it.management.putResource('more', [anObject('three')], 'h1');
    await it.cluster();
    it.management.stored.delete('more');
    it.management.putResource('cm', [anObject('one')], 'h2');
    await it.cluster();
    assert.ok(it.workload.get('two') && it.workload.get('three'), 'a resource is missing');
    it.management.putResource('more', undefined, 'h2');
    await it.cluster();
    assert.ok(it.workload.get('two') && it.workload.get('three'), 'a resource cannot be read');
    it.management.putResource('more', [anObject('four')], 'h3');
    it.workload.before = (line) => {
      if (line.endsWith('four')) throw refused();
    };
    await it.cluster();
    assert.ok(it.workload.get('two') && it.workload.get('three'), 'a resource is refused');
    it.workload.before = () => undefined;
    await it.clock.advance(600_000);
    await it.cluster();
    assert.deepEqual([...it.workload.objects.keys()], ['/ConfigMap/shop/one', '/ConfigMap/shop/four']);
  });

  it('says what it cannot prune, and tries again', async () => {
    const it = withOptions({ prune: true });
    await it.cluster();
    it.management.putResource('cm', [anObject('one')], 'h2');
    it.workload.before = (line) => {
      if (line === 'delete two') throw refused('protected');
    };
    const next = await it.cluster();
    await it.set();
    assert.equal(it.verdict(), 'False NotApplied: Cluster a keeps what left the manifest: protected');
    it.workload.before = () => undefined;
    await it.clock.advance(next.kind === 'again' ? next.afterMs : 0);
    await it.cluster();
    await it.set();
    assert.equal(it.verdict(), 'True Applied: ');
    assert.equal(it.workload.get('two'), undefined);
  });

  it('lets an inventory that cannot be written hold up nobody else', async () => {
    const it = withOptions({ prune: true });
    it.management.putResource('good', [anObject('good')], 'h1');
    it.management.put(aSet({ name: 'good', resources: [{ kind: 'ConfigMap', name: 'good' }] }));
    it.management.beforeWrite = (line) => {
      if (line.startsWith('inventory')) throw new Error('write the inventory: forbidden');
    };
    assert.deepEqual(await it.cluster(), { kind: 'retry' });
    assert.deepEqual(it.entries(), [['good', 'good true h1'], ['web']]);
    await it.set();
    assert.equal(it.verdict(), 'False InternalError: Cluster a: write the inventory: forbidden');
  });
});
