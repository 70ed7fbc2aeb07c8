import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CORE, type KubeClient } from '#kit/kube';
import { type Cleaner, clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { IndexStage } from './testing/index-stage.ts';

const signal = new AbortController().signal;
const PODS = { kind: 'v1/Pod', namespace: 'default' };

describe('the index of a real cluster', { skip: (await clustersUnavailable()) ?? false }, () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  const cleaner: Cleaner = { after: (cleanup) => void cleanups.push(cleanup) };
  let cluster: TestCluster;
  let stage: IndexStage;
  let admin: KubeClient;

  before(async () => {
    cluster = await ownCluster(cleaner, { size: 'apiserver', name: 'index' }, signal);
    stage = await IndexStage.open(cleaner);
    admin = stage.client(cluster.kubeconfig());
    await stage.target('one');
    await stage.agent('one', admin);
  });
  after(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  const run = async (pod: string, labels: Readonly<Record<string, string>> = {}): Promise<void> => {
    const metadata = { name: pod, namespace: 'default', labels };
    const spec = { nodeName: 'node-7', containers: [{ name: 'main', image: 'registry.test/web:1' }] };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
    await admin.create({ resource: CORE.pods, namespace: 'default' }, object, {}, signal);
  };

  it('has what is there, with its fields, and follows what happens to it', async () => {
    await run('web', { app: 'shop', 'fleetshift.io/deployment': 'd-1' });
    await stage.until('the Pod is known', async () => (await stage.names('one', PODS)).includes('web'));
    const [web] = await stage.indexed('one', PODS);
    assert.partialDeepStrictEqual(web, {
      health: 'Progressing',
      deployment: 'd-1',
      labels: { app: 'shop' },
      fields: { phase: 'Pending', nodeName: 'node-7', images: ['registry.test/web:1'] },
    });
    const ref = { resource: CORE.pods, namespace: 'default', name: 'web' };
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await admin.patch(ref, { type: 'merge', patch: { status } }, { subresource: 'status' }, signal);
    await stage.until('it is healthy', async () => (await stage.indexed('one', PODS))[0]?.health === 'Healthy');
    await admin.delete(ref, { gracePeriodSeconds: 0 }, signal);
    await stage.until('it is gone', async () => (await stage.names('one', PODS)).length === 0);
  });

  it('does not tell again what the platform has, when an agent comes with nothing that it remembers', async () => {
    await stage.target('again');
    for (const name of ['a', 'b', 'c']) await run(name);
    const first = await stage.agent('again', admin);
    await stage.followed('again');
    await stage.until('all are known', async () => (await stage.names('again', PODS)).length === 3);
    await first.stop();
    await admin.delete({ resource: CORE.pods, namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 }, signal);
    await run('d');
    await stage.until('the other target knows', async () => (await stage.names('one', PODS)).join() === 'b,c,d');
    const before = await stage.puts();
    await stage.agent('again', admin);
    await stage.until('it is up to date', async () => (await stage.names('again', PODS)).join() === 'b,c,d');
    await stage.followed('again');
    assert.equal((await stage.puts()) - before, 1, 'only what came meanwhile');
  });

  it('has more when a schema says so, at once, and less when it is gone; but no value of a Secret', async () => {
    const password = 'correct-horse-battery-staple';
    const metadata = { name: 'login', namespace: 'default' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password } };
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(secret) });
    const fields = [
      { name: 'keys', path: 'data', type: 'keys' },
      { name: 'stolen', path: 'data.password', type: 'string' },
      {
        name: 'kept',
        path: 'metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]',
        type: 'string',
      },
    ];
    const body = { targetType: 'kubernetes', kinds: [{ type: 'v1/Secret', fields }] };
    await stage.platform.call('PUT', '/v1/index-schemas/secrets', body);
    const query = { kind: 'v1/Secret', namespace: 'default' };
    await stage.until('the Secret is known', async () => (await stage.names('one', query)).includes('login'));
    const [login] = await stage.indexed('one', query);
    assert.deepEqual(login?.fields, { keys: ['password'] });
    assert.equal(JSON.stringify(login).includes(Buffer.from(password).toString('base64')), false);
    await stage.platform.call('DELETE', '/v1/index-schemas/secrets');
    await stage.until('it is forgotten', async () => (await stage.names('one', query)).length === 0);
  });

  it('takes up a kind as soon as there is one, and lets go of it when it is gone', async () => {
    const kinds = [{ type: 'shop.test/v1/Widget', fields: [{ name: 'size', path: 'spec.size', type: 'number' }] }];
    await stage.platform.call('PUT', '/v1/index-schemas/widgets', { targetType: 'kubernetes', kinds });
    const query = { kind: 'shop.test/v1/Widget' };
    await stage.stateIs('one', query.kind, 'NotServed');
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(WIDGETS) });
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/widgets.shop.test', '--timeout=60s']);
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(WIDGET) });
    await stage.until('it is known', async () => (await stage.indexed('one', query))[0]?.fields['size'] === 3);
    await cluster.kubectl(['delete', 'crd', 'widgets.shop.test', '--wait=false']);
    await stage.until('it is gone', async () => (await stage.names('one', query)).length === 0);
    await stage.stateIs('one', query.kind, 'NotServed');
    await stage.platform.call('DELETE', '/v1/index-schemas/widgets');
  });

  it('has events when they are asked for, warnings only, and for an hour', async () => {
    const only = [{ path: 'type', in: ['Warning'] }];
    const kinds = [{ type: 'v1/Event', only, fields: [{ name: 'reason', path: 'reason', type: 'string' }] }];
    await stage.platform.call('PUT', '/v1/index-schemas/warnings', { targetType: 'kubernetes', kinds });
    await stage.stateIs('one', 'v1/Event', 'Followed');
    const now = new Date().toISOString().replace(/\.\d+Z/, 'Z');
    const event = (name: string, type: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'b' },
      type,
      reason: 'Tried',
      lastTimestamp: now,
    });
    for (const each of [event('fine', 'Normal'), event('bad', 'Warning')]) {
      await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(each) });
    }
    const query = { kind: 'v1/Event', namespace: 'default' };
    await stage.until('the warning is known', async () => (await stage.names('one', query)).includes('bad'));
    // The control plane may have warnings of its own there.
    const ours = (await stage.indexed('one', query)).filter(({ fields }) => fields['reason'] === 'Tried');
    assert.deepEqual(
      ours.map(({ name }) => name),
      ['bad'],
    );
    const [bad] = ours;
    assert.equal(Date.parse(bad?.expireTime ?? ''), Date.parse(now) + 3_600_000);
    await stage.platform.call('DELETE', '/v1/index-schemas/warnings');
  });

  it('says what it may not read, and tells the rest', async () => {
    for (const args of [
      ['create', 'clusterrole', 'pods-only', '--verb=get,list,watch', '--resource=pods'],
      ['create', 'clusterrolebinding', 'pods-only', '--clusterrole=pods-only', '--user=narrow'],
    ]) {
      await cluster.kubectl(args);
    }
    await stage.target('narrow');
    await stage.agent('narrow', stage.client(cluster.kubeconfig('narrow')));
    await stage.stateIs('narrow', 'v1/Node', 'Forbidden');
    await stage.stateIs('narrow', 'v1/Pod', 'Followed');
    assert.match((await stage.kind('narrow', 'v1/Node'))?.message ?? '', /nodes/);
    assert.ok((await stage.names('narrow', PODS)).length > 0);
  });

  it('goes on after the API server was away and has forgotten where it was', async () => {
    await cluster.restart();
    await run('late');
    await stage.until('what came after is known', async () => (await stage.names('one', PODS)).includes('late'));
    await stage.followed('one');
  });

  it('is deleted with the target', async () => {
    await stage.platform.call('DELETE', '/v1/targets/again');
    await assert.rejects(stage.indexed('again', PODS), /404/);
  });
});

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.shop.test' },
  spec: {
    group: 'shop.test',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const WIDGET = {
  apiVersion: 'shop.test/v1',
  kind: 'Widget',
  metadata: { name: 'gear', namespace: 'default' },
  spec: { size: 3 },
};
