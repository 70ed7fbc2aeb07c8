import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { capiUnavailable } from '#testing/capi';
import { clustersUnavailable } from '#testing/clusters';
import { type CrsAct, CrsStage } from './testing/crs-stage.ts';

const skip = (await clustersUnavailable('controllers')) ?? (await capiUnavailable()) ?? false;

describe('what goes beyond Cluster API, on real API servers', { skip }, () => {
  const signal = AbortSignal.timeout(280_000);
  const cleanups: (() => Promise<void> | void)[] = [];
  let stage: CrsStage;

  before(async () => {
    stage = await CrsStage.open({ after: (clean) => void cleanups.push(clean) }, signal);
  });

  after(async () => {
    for (const clean of cleanups.toReversed()) await clean();
  });

  async function isApplied(crs: CrsAct, set: string): Promise<void> {
    await crs.eventually(async () => assert.equal((await crs.applied(set)).status, 'True'));
  }

  it('with server-side apply leaves what others wrote', async (t) => {
    const crs = await stage.act(t, signal);
    t.after(crs.start());
    await crs.configMap('cm', [crs.manifest('one', { a: '1', gone: 'soon' })]);
    await crs.cluster('a');
    const annotations = { 'crs.fleetshift.io/server-side-apply': 'true' };
    await crs.set('web', { resources: ['ConfigMap/cm'], strategy: 'Reconcile', annotations });
    await isApplied(crs, 'web');
    await crs.change('one', { metadata: { labels: { theirs: 'yes' } }, data: { b: '2', a: 'theirs' } });
    await crs.patch('configMap', 'cm', { data: { k0: crs.manifest('one', { a: '3' }) } });
    await crs.eventually(async () => assert.deepEqual((await crs.delivered('one'))?.data, { a: '3', b: '2' }));
    assert.deepEqual((await crs.delivered('one'))?.metadata.labels, { theirs: 'yes' });
  });

  it('puts right what drifted, and leaves alone what did not', async (t) => {
    const crs = await stage.act(t, signal);
    t.after(crs.start({ driftRepairMs: 300 }));
    await crs.configMap('cm', [crs.manifest('one'), crs.manifest('still')]);
    await crs.configMap('once', [crs.manifest('two')]);
    await crs.cluster('a');
    await crs.set('web', { resources: ['ConfigMap/cm'], strategy: 'Reconcile' });
    await crs.set('once', { resources: ['ConfigMap/once'] });
    await isApplied(crs, 'web');
    await isApplied(crs, 'once');
    const before = (await crs.delivered('still'))?.metadata.resourceVersion;
    await crs.change('two', { data: { a: 'theirs' } });
    await crs.change('one', { data: { a: 'theirs' } });
    await crs.eventually(async () => assert.deepEqual((await crs.delivered('one'))?.data, { a: '1' }));
    assert.equal((await crs.delivered('still'))?.metadata.resourceVersion, before);
    assert.deepEqual((await crs.delivered('two'))?.data, { a: 'theirs' });
  });

  it('prunes what left the manifest, and what it made only', async (t) => {
    const crs = await stage.act(t, signal);
    const stop = crs.start();
    await crs.deliver({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' }, data: {} });
    await crs.configMap(
      'cm',
      ['one', 'two', 'theirs'].map((name) => crs.manifest(name)),
    );
    await crs.configMap('more', [crs.manifest('three')]);
    await crs.cluster('a');
    const annotations = { 'crs.fleetshift.io/prune': 'true' };
    await crs.set('web', { resources: ['ConfigMap/cm', 'ConfigMap/more'], strategy: 'Reconcile', annotations });
    await isApplied(crs, 'web');
    assert.ok((await crs.delivered('two')) && (await crs.delivered('three')));
    await stop();
    // Another process relies on the stored inventory.
    t.after(crs.start());
    await crs.patch('configMap', 'cm', { data: { k1: null, k2: null } });
    await crs.patch('set', 'web', { spec: { resources: [{ kind: 'ConfigMap', name: 'cm' }] } });
    await crs.eventually(async () => {
      assert.equal(await crs.delivered('two'), undefined);
      assert.equal(await crs.delivered('three'), undefined);
      assert.deepEqual(await crs.entries('a'), { web: { 'ConfigMap/cm': true } });
    });
    assert.ok((await crs.delivered('one')) && (await crs.delivered('theirs')));
  });

  it('keeps ConfigMaps and Secrets of a set that goes, where that is wanted', async (t) => {
    const crs = await stage.act(t, signal);
    t.after(crs.start());
    await crs.configMap('cm', [crs.manifest('one')]);
    await crs.cluster('a');
    await crs.set('web', { resources: ['ConfigMap/cm'] });
    await isApplied(crs, 'web');
    assert.equal((await crs.get('configMap', 'cm'))?.metadata.ownerReferences?.length, 1);
    await crs.patch('set', 'web', { metadata: { annotations: { 'crs.fleetshift.io/keep-resources': 'true' } } });
    await crs.eventually(async () => {
      assert.equal((await crs.get('configMap', 'cm'))?.metadata.ownerReferences, undefined);
    });
    await crs.remove('set', 'web');
    await crs.eventually(async () => assert.equal(await crs.get('set', 'web'), undefined));
    assert.equal(await crs.binding('a'), undefined);
  });
});
