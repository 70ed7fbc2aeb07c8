import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aCluster, aSet } from '../testing/a-set.ts';
import { anObject } from '../testing/fake-workload.ts';
import { Reconcilers } from '../testing/reconcilers.ts';
import { KnownVersions } from './known-versions.ts';

const ITEM = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'one' };
const WRITTEN = { uid: 'u', resourceVersion: '7', hasStatus: false };

describe('versions of what was written', () => {
  it('are known until their cluster is another, for which what is under way is lost', () => {
    const versions = new KnownVersions();
    const before = versions.of('fleet/a');
    before.note(ITEM, WRITTEN);
    assert.equal(versions.of('fleet/a').get({ ...ITEM, apiVersion: 'v1' }), '7');
    assert.equal(versions.of('fleet/b').get(ITEM), undefined);
    versions.forget('fleet/a');
    before.note(ITEM, { ...WRITTEN, resourceVersion: '8' });
    assert.equal(versions.of('fleet/a').get(ITEM), undefined);
  });

  it('are not kept of what others write into all the time', () => {
    const versions = new KnownVersions().of('fleet/a');
    versions.note(ITEM, { ...WRITTEN, hasStatus: true });
    assert.equal(versions.get(ITEM), undefined);
  });

  it('are bounded: clusters that were not written to for longest give way', () => {
    const versions = new KnownVersions(2);
    for (const cluster of ['a', 'b']) versions.of(cluster).note(ITEM, WRITTEN);
    versions.of('a').note({ ...ITEM, name: 'two' }, WRITTEN);
    assert.deepEqual([versions.of('a').size, versions.of('b').size], [2, 0]);
  });
});

describe('an object that was written before', () => {
  async function applied(): Promise<Reconcilers> {
    const it = new Reconcilers();
    it.management.putResource('cm', [anObject('one')], 'h1');
    it.management.put(aCluster(), aSet());
    await it.cluster();
    it.workload.requests.length = 0;
    return it;
  }

  async function changed(
    it: Reconcilers,
    data: Readonly<Record<string, string>> = { a: '2' },
  ): Promise<readonly string[]> {
    it.management.putResource('cm', [anObject('one', data)]);
    await it.cluster();
    return it.workload.requests.splice(0);
  }

  it('is written without a look, time and again', async () => {
    const it = await applied();
    assert.deepEqual(await changed(it), ['replace one']);
    assert.deepEqual(await changed(it, { b: '3' }), ['replace one']);
    assert.deepEqual(it.workload.get('one')?.['data'], { b: '3' });
  });

  it('is looked at when somebody touched it, or took it away', async () => {
    const it = await applied();
    it.workload.objects.set('/ConfigMap/shop/one', {
      ...anObject('one', { a: '1', theirs: 'yes' }),
      metadata: { name: 'one', namespace: 'shop', uid: 'uid-1', resourceVersion: 'theirs', labels: { their: 'label' } },
    });
    assert.deepEqual(await changed(it), ['replace one', 'get one', 'patch one']);
    const { data, metadata } = it.workload.get('one') ?? {};
    assert.deepEqual(data, { a: '2' });
    assert.ok(!JSON.stringify(metadata).includes('label'));
    it.workload.objects.clear();
    assert.deepEqual(await changed(it, { a: '3' }), ['replace one', 'get one', 'create one']);
    assert.deepEqual(await changed(it, { a: '4' }), ['replace one']);
  });

  it('is looked at once its cluster is reached in another way', async () => {
    const it = await applied();
    it.reached();
    assert.deepEqual(await changed(it), ['get one', 'patch one']);
  });
});
