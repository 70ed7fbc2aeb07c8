import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { capiUnavailable } from '#testing/capi';
import { clustersUnavailable } from '#testing/clusters';
import { FINALIZER } from './domain/resource-set.ts';
import { type CrsAct, CrsStage } from './testing/crs-stage.ts';

const skip = (await clustersUnavailable('controllers')) ?? (await capiUnavailable()) ?? false;
const APPLIED = { status: 'True', reason: 'Applied', message: '' };

describe('sets on real API servers', { skip }, () => {
  const signal = AbortSignal.timeout(280_000);
  const cleanups: (() => Promise<void> | void)[] = [];
  let stage: CrsStage;

  before(async () => {
    stage = await CrsStage.open({ after: (clean) => void cleanups.push(clean) }, signal);
  });

  after(async () => {
    for (const clean of cleanups.toReversed()) await clean();
  });

  async function begin(t: TestContext): Promise<CrsAct> {
    const crs = await stage.act(t, signal);
    t.after(crs.start());
    return crs;
  }

  async function isApplied(crs: CrsAct, set: string): Promise<void> {
    await crs.eventually(async () => {
      const { legacy, ...condition } = await crs.applied(set);
      assert.deepEqual(condition, APPLIED);
      assert.equal(legacy?.status, 'True');
    });
  }

  async function fails(crs: CrsAct, set: string, want: { reason: string; legacy: string; message: RegExp }) {
    await crs.eventually(async () => {
      const { status, reason, message = '', legacy } = await crs.applied(set);
      assert.deepEqual(
        { status, reason, legacy: legacy?.reason },
        { status: 'False', reason: want.reason, legacy: want.legacy },
      );
      assert.match(message, want.message);
    });
  }

  async function hasEntries(crs: CrsAct, cluster: string, want: Awaited<ReturnType<CrsAct['entries']>>) {
    await crs.eventually(async () => assert.deepEqual(await crs.entries(cluster), want));
  }

  async function isGone(crs: CrsAct, kind: 'binding' | 'set', name: string): Promise<void> {
    await crs.eventually(async () => assert.equal(await crs.get(kind, name), undefined));
  }

  it('applies ConfigMaps and Secrets to a cluster that matches, and asks for nothing once all is done', async (t) => {
    const crs = await stage.act(t, signal);
    const stop = crs.start();
    await crs.configMap('cm', [crs.manifest('one')]);
    await crs.secret('s', [crs.manifest('two')]);
    await crs.cluster('a');
    await crs.set('web', { resources: ['ConfigMap/cm', 'Secret/s'] });
    await hasEntries(crs, 'a', { web: { 'ConfigMap/cm': true, 'Secret/s': true } });
    await isApplied(crs, 'web');
    assert.equal((await crs.binding('a'))?.spec?.clusterName, 'a');
    assert.ok((await crs.delivered('one')) && (await crs.delivered('two')));
    const { metadata } = await crs.theSet('web');
    assert.deepEqual(metadata.finalizers, [FINALIZER]);
    const owner = {
      apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
      kind: 'ClusterResourceSet',
      name: 'web',
      uid: metadata.uid,
    };
    for (const [kind, name] of [
      ['configMap', 'cm'],
      ['secret', 's'],
      ['binding', 'a'],
    ] as const) {
      assert.deepEqual((await crs.get(kind, name))?.metadata.ownerReferences, [owner]);
    }
    await stop();
    crs.requests.length = 0;
    t.after(crs.start());
    // Once another set is applied, everything from the start has been reconciled.
    await crs.cluster('b', { other: 'yes' });
    await crs.configMap('other', [crs.manifest('three')]);
    await crs.set('late', { resources: ['ConfigMap/other'], labels: { other: 'yes' } });
    await isApplied(crs, 'late');
    const names = [
      'ConfigMap/other',
      'ClusterResourceSet/late',
      'ClusterResourceSetBinding/b',
      'ClusterResourceSetBinding/',
    ];
    const others = crs.requests.filter((request) => !names.includes(request.split(' ')[1] ?? ''));
    assert.deepEqual(others, []);
  });

  it('follows labels, and lets go of a cluster that is deleted', async (t) => {
    const crs = await begin(t);
    await crs.configMap('cm', [crs.manifest('one')]);
    await crs.cluster('a', {});
    await crs.set('web', { resources: ['ConfigMap/cm'] });
    await crs.eventually(async () => assert.deepEqual((await crs.theSet('web')).metadata.finalizers, [FINALIZER]));
    await crs.patch('cluster', 'a', { metadata: { labels: { cni: 'yes' } } });
    await hasEntries(crs, 'a', { web: { 'ConfigMap/cm': true } });
    await crs.remove('cluster', 'a');
    await isGone(crs, 'binding', 'a');
  });

  it('waits for a resource that is missing, names it, and notices when one goes', async (t) => {
    const crs = await begin(t);
    await crs.cluster('a');
    await crs.configMap('there', [crs.manifest('one')]);
    await crs.set('web', { resources: ['ConfigMap/later', 'Secret/later', 'ConfigMap/there'] });
    await hasEntries(crs, 'a', { web: { 'ConfigMap/there': true } });
    await fails(crs, 'web', {
      reason: 'InternalError',
      legacy: 'RetrievingResourceFailed',
      message: /ConfigMap later is missing; Secret later is missing/,
    });
    await crs.configMap('later', []);
    await crs.secret('later', [crs.manifest('two')]);
    await hasEntries(crs, 'a', { web: { 'ConfigMap/later': false, 'Secret/later': true, 'ConfigMap/there': true } });
    await fails(crs, 'web', {
      reason: 'NotApplied',
      legacy: 'ApplyFailed',
      message: /ConfigMap later: it has no data/,
    });
    await crs.patch('configMap', 'later', { data: { a: crs.manifest('three') } });
    await isApplied(crs, 'web');
    await crs.remove('secret', 'later');
    await fails(crs, 'web', {
      reason: 'InternalError',
      legacy: 'RetrievingResourceFailed',
      message: /^Secret later is missing$/,
    });
  });

  it('takes a set out of bindings when it is deleted, whatever became of the clusters', async (t) => {
    const crs = await begin(t);
    await crs.configMap('cm', [crs.manifest('one')]);
    for (const name of ['a', 'b', 'c']) await crs.cluster(name);
    for (const name of ['one', 'two']) await crs.set(name, { resources: ['ConfigMap/cm'] });
    const both = { one: { 'ConfigMap/cm': true }, two: { 'ConfigMap/cm': true } };
    for (const name of ['a', 'b', 'c']) await hasEntries(crs, name, both);
    assert.equal((await crs.binding('a'))?.metadata.ownerReferences?.length, 2);
    await crs.patch('cluster', 'a', { metadata: { labels: { cni: null } } });
    await crs.patch('set', 'one', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    await crs.patch('set', 'two', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    await crs.eventually(async () => {
      const { status } = await crs.theSet('two');
      assert.equal(status?.conditions?.find(({ type }) => type === 'Paused')?.status, 'True');
    });
    await crs.remove('binding', 'b');
    await crs.remove('set', 'one');
    await crs.patch('set', 'one', { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
    await isGone(crs, 'set', 'one');
    for (const name of ['a', 'c']) {
      assert.deepEqual(await crs.entries(name), { two: { 'ConfigMap/cm': true } }, name);
      assert.equal((await crs.binding(name))?.metadata.ownerReferences?.length, 1);
    }
    // A paused set keeps its finalizer and its entries.
    await crs.remove('set', 'two');
    await crs.cluster('sign', { sign: 'yes' });
    await crs.set('sign', { resources: ['ConfigMap/cm'], labels: { sign: 'yes' } });
    await isApplied(crs, 'sign');
    assert.deepEqual((await crs.theSet('two')).metadata.finalizers, [FINALIZER]);
    await crs.patch('set', 'two', { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
    await isGone(crs, 'set', 'two');
    for (const name of ['a', 'c']) await isGone(crs, 'binding', name);
    assert.ok(await crs.delivered('one'));
  });

  it('with Reconcile makes objects what the manifest says, and nothing more', async (t) => {
    const crs = await begin(t);
    await crs.configMap('cm', [crs.manifest('one')]);
    await crs.secret('s', [crs.manifest('two')]);
    await crs.cluster('a');
    await crs.set('web', { resources: ['ConfigMap/cm', 'Secret/s'], strategy: 'Reconcile' });
    await isApplied(crs, 'web');
    const hashes = async () => (await crs.binding('a'))?.spec?.bindings?.[0]?.resources?.map(({ hash }) => hash);
    const before = await hashes();
    await crs.change('one', { metadata: { labels: { theirs: 'yes' } }, data: { b: '2' } });
    await crs.patch('configMap', 'cm', { data: { k0: crs.manifest('one', { a: '3' }) } });
    await crs.patch('secret', 's', { stringData: { k0: crs.manifest('two', { a: '4' }) } });
    await crs.eventually(async () => {
      assert.deepEqual((await crs.delivered('one'))?.data, { a: '3' });
      assert.deepEqual((await crs.delivered('two'))?.data, { a: '4' });
      const now = await hashes();
      assert.equal(now?.filter((hash, index) => hash !== undefined && hash !== before?.[index]).length, 2);
    });
    assert.equal((await crs.delivered('one'))?.metadata.labels, undefined);
  });

  it('with ApplyOnce leaves alone what is there, and goes on where a namespace was missing', async (t) => {
    const crs = await begin(t);
    const missing = `${crs.target}-later`;
    await crs.deliver({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { theirs: 'yes' } });
    await crs.configMap('cm', [crs.manifest('lost', {}, missing), crs.manifest('one')]);
    await crs.secret('s', [crs.manifest('two')]);
    await crs.cluster('a');
    await crs.set('web', { resources: ['ConfigMap/cm', 'Secret/s'] });
    await hasEntries(crs, 'a', { web: { 'ConfigMap/cm': false, 'Secret/s': true } });
    await fails(crs, 'web', {
      reason: 'NotApplied',
      legacy: 'ApplyFailed',
      message: new RegExp(
        `^Failed to apply ClusterResourceSet resources to Cluster a: ConfigMap cm: creating object /v1, Kind=ConfigMap ${missing}/lost: `,
      ),
    });
    await crs.newTarget(missing);
    await hasEntries(crs, 'a', { web: { 'ConfigMap/cm': true, 'Secret/s': true } });
    assert.deepEqual((await crs.delivered('one'))?.data, { theirs: 'yes' });
    assert.ok(await crs.delivered('lost', missing));
    await isApplied(crs, 'web');
  });

  it('writes ten sets of a cluster side by side, and its binding a few times', async (t) => {
    const crs = await begin(t);
    await crs.cluster('a');
    const names = Array.from({ length: 10 }, (_, index) => `set-${index}`);
    await crs.secret('s', [crs.manifest('shared')]);
    await Promise.all(names.map((name) => crs.configMap(name, [crs.manifest(name)])));
    await Promise.all(names.map((name) => crs.set(name, { resources: [`ConfigMap/${name}`, 'Secret/s'] })));
    const want = names.map((name) => [name, { [`ConfigMap/${name}`]: true, 'Secret/s': true }]);
    await hasEntries(crs, 'a', Object.fromEntries(want));
    const { ownerReferences, generation } = (await crs.binding('a'))?.metadata ?? {};
    assert.equal(ownerReferences?.length, 10);
    assert.ok((generation ?? 99) < 10, `the binding was written ${generation} times`);
    await crs.eventually(async () =>
      assert.equal((await crs.get('secret', 's'))?.metadata.ownerReferences?.length, 10),
    );
    for (const name of names) await isApplied(crs, name);
  });

  it('names the cluster that fails, and tries it again when it is back', async (t) => {
    const crs = await begin(t);
    await crs.configMap('cm', [crs.manifest('one')]);
    await crs.cluster('a');
    await crs.cluster('b');
    crs.workloads.set({ namespace: crs.namespace, name: 'a' }, 'connection to the workload cluster is down');
    await crs.set('web', { resources: ['ConfigMap/cm'] });
    await hasEntries(crs, 'b', { web: { 'ConfigMap/cm': true } });
    await hasEntries(crs, 'a', { web: {} });
    const message = /^Cluster a cannot be reached: connection to the workload cluster is down$/;
    await fails(crs, 'web', { reason: 'InternalError', legacy: 'RemoteClusterClientFailed', message });
    crs.workloads.set({ namespace: crs.namespace, name: 'a' }, stage.workloadClient);
    await isApplied(crs, 'web');
    await hasEntries(crs, 'a', { web: { 'ConfigMap/cm': true } });
  });

  it('lets a bad resource hold up neither its siblings nor other sets', async (t) => {
    const crs = await begin(t);
    await crs.cluster('a');
    await crs.secret('opaque', [crs.manifest('never')], 'Opaque');
    await crs.configMap('list', ['[{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "no-end"']);
    await crs.configMap('good', ['kind: Nothing', crs.manifest('one')]);
    await crs.configMap('fine', [crs.manifest('two')]);
    await crs.set('bad', { resources: ['Secret/opaque', 'ConfigMap/list', 'ConfigMap/fine'] });
    await crs.set('unread', {
      resources: ['ConfigMap/fine'],
      expressions: [{ key: 'cni', operator: 'Like', values: ['x'] }],
    });
    await crs.set('good', { resources: ['ConfigMap/fine'] });
    await isApplied(crs, 'good');
    await hasEntries(crs, 'a', {
      bad: { 'ConfigMap/list': false, 'ConfigMap/fine': true },
      good: { 'ConfigMap/fine': true },
    });
    await fails(crs, 'bad', {
      reason: 'WrongSecretType',
      legacy: 'WrongSecretType',
      message:
        /^Secret type of resource opaque is not supported; ConfigMap list: it begins as a JSON list and is none$/,
    });
    await fails(crs, 'unread', {
      reason: 'InternalError',
      legacy: 'ClusterMatchFailed',
      message: /unable to convert selector/,
    });
    assert.equal((await crs.get('secret', 'opaque'))?.metadata.ownerReferences, undefined);
  });

  it('wakes every set that uses a resource, whoever owns it', async (t) => {
    const crs = await begin(t);
    await crs.cluster('a');
    await crs.cluster('b', { other: 'yes' });
    await crs.configMap('cm', [crs.manifest('one')]);
    await crs.set('first', { resources: ['ConfigMap/cm'], strategy: 'Reconcile' });
    await isApplied(crs, 'first');
    await crs.set('second', { resources: ['ConfigMap/cm'], strategy: 'Reconcile', labels: { other: 'yes' } });
    await isApplied(crs, 'second');
    const hashOf = async (cluster: string) => (await crs.binding(cluster))?.spec?.bindings?.[0]?.resources?.[0]?.hash;
    const before = await hashOf('a');
    await crs.patch('configMap', 'cm', { data: { k0: crs.manifest('one', { a: '2' }) } });
    await crs.eventually(async () => {
      const now = await hashOf('b');
      assert.ok(now !== undefined && now !== before && now === (await hashOf('a')));
    });
  });
});
