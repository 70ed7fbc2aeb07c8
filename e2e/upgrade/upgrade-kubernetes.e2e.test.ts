import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { earlierPackage } from '#testing/earlier-package';
import { UpgradedPlatform, until } from './upgraded-platform.ts';

const earlier = await earlierPackage(console.error);
const skip = earlier
  ? ((await clustersUnavailable('apiserver')) ?? false)
  : 'the commit of the earlier package is not in this clone';

const TARGET = 'prod';
/** Enough for the agent to be killed in the middle. */
const MANY = 150;
/** Three of these do not fit into one Secret. */
const LARGE = 'x'.repeat(600_000);

const configMap = (name: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { text },
});
const says = (...documents: readonly object[]) => ({ type: 'inline', documents });
const many = (text: string) => Array.from({ length: MANY }, (_, index) => configMap(`many-${index}`, text));
const WIDGET = {
  apiVersion: 'testing.example/v1',
  kind: 'Widget',
  metadata: { name: 'waiting', namespace: 'default' },
  spec: { size: 1 },
};
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.testing.example' },
  spec: {
    group: 'testing.example',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    scope: 'Namespaced',
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

describe('this version, on a cluster whose agent was killed', { skip }, () => {
  let fleet: UpgradedPlatform;
  let cluster: TestCluster;
  const cleanups: (() => Promise<void> | void)[] = [];
  const kept = new Map<string, string>();

  before(async () => {
    const later = { after: (body: () => Promise<void> | void) => void cleanups.push(body) };
    cluster = await ownCluster(later, { size: 'apiserver', name: 'upgrade' }, new AbortController().signal);
    const flags = ['--kubeconfig', cluster.kubeconfigFile(), '--target', `${TARGET}=context`];
    fleet = await UpgradedPlatform.create('sqlite', () => ({ name: TARGET, type: 'kubernetes', flags }));
    await fleet.startEarlier(earlier ?? assert.fail());
    await deliverFirst();
    await leaveHalfWay();
    await fleet.killAgent();
    await changeWhileOffline();
    await fleet.kill();
    await fleet.startThis();
  });
  after(async () => {
    await fleet.dispose();
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  const create = async (name: string, ...documents: readonly object[]): Promise<void> => {
    const placement = [{ type: 'static', targets: [TARGET] }];
    await fleet.client.create([{ name, manifest: says(...documents), placement }]);
  };
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cluster.kubectl(['-n', 'default', ...args]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const read = async (name: string, field: string): Promise<string> =>
    await kubectl('get', 'configmap', name, '--ignore-not-found', '-o', `jsonpath={${field}}`);
  const setFinalizers = (name: string, ...finalizers: readonly string[]) =>
    kubectl('patch', 'configmap', name, '--type=merge', '-p', JSON.stringify({ metadata: { finalizers } }));
  const isThere = async (name: string): Promise<boolean> => (await read(name, '.metadata.uid')) !== '';
  const isBeingDeleted = async (name: string): Promise<boolean> =>
    (await read(name, '.metadata.deletionTimestamp')) !== '';
  const isGone = async (name: string): Promise<boolean> => {
    const { items } = await fleet.client.asked('GET', '/v1/workspaces/shop/deployments?pageSize=100');
    return !(items as { name: string }[]).some((each) => each.name === name);
  };

  async function deliverFirst(): Promise<void> {
    await Promise.all([
      create('kept', configMap('kept', 'first'), configMap('kept-too', 'first')),
      create('large', ...[1, 2, 3].map((index) => configMap(`large-${index}`, LARGE))),
      create('many', ...many('first')),
      create('pruned', configMap('pruned-1', 'first'), configMap('pruned-2', 'first')),
      create('removed', configMap('removed', 'first')),
      create('offline', configMap('offline', 'first')),
      create('dropped', configMap('dropped', 'first')),
    ]);
    const names = ['kept', 'large', 'many', 'pruned', 'removed', 'offline', 'dropped'];
    await Promise.all(names.map((name) => fleet.client.succeeded(name, 1)));
    for (const name of ['kept', 'kept-too', 'large-1']) kept.set(name, await read(name, '.metadata.resourceVersion'));
  }

  async function leaveHalfWay(): Promise<void> {
    await create('waiting', configMap('waiting', 'first'), WIDGET);
    await until('what does not wait for a definition', () => isThere('waiting'));
    await kubectl('create', 'configmap', 'refused', '--from-literal=text=theirs');
    await create('refused', configMap('refused', 'first'));
    await fleet.client.until('refused', 'the conflict', ({ status }) => {
      return status.rollout?.waits.some(({ kind }) => kind === 'resume') ?? false;
    });
    await setFinalizers('pruned-2', 'testing.example/hold');
    await fleet.client.patch('pruned', { manifest: says(configMap('pruned-1', 'second')) });
    await until('the pruning to wait', () => isBeingDeleted('pruned-2'));
    await setFinalizers('removed', 'testing.example/hold');
    await fleet.client.asked('DELETE', '/v1/workspaces/shop/deployments/removed');
    await until('the removal to wait', () => isBeingDeleted('removed'));
    await fleet.client.patch('many', { manifest: says(...many('second')) });
    await until('some of many to be applied', async () => {
      const texts = await kubectl('get', 'configmap', '-o', 'jsonpath={.items[*].data.text}');
      return texts.includes('second');
    });
  }

  async function changeWhileOffline(): Promise<void> {
    await fleet.client.patch('offline', { manifest: says(configMap('offline', 'second')) });
    await fleet.client.asked('DELETE', '/v1/workspaces/shop/deployments/dropped');
  }

  it('finishes an apply that was cut off in the middle', async () => {
    await fleet.client.succeeded('many', 2);
    const texts = await kubectl(
      'get',
      'configmap',
      ...many('').map(({ metadata }) => metadata.name),
      '-o',
      'jsonpath={.items[*].data.text}',
    );
    assert.deepEqual(new Set(texts.split(' ')), new Set(['second']));
  });

  it('carries out an order that waited for a definition', async () => {
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(DEFINITION) });
    await fleet.client.succeeded('waiting', 1);
    assert.equal(await kubectl('get', 'widgets', 'waiting', '-o', 'jsonpath={.spec.size}'), '1');
  });

  it('goes on waiting for a finalizer, and ends the pruning then', async () => {
    assert.ok(await isBeingDeleted('pruned-2'));
    await setFinalizers('pruned-2');
    await fleet.client.succeeded('pruned', 2);
    assert.equal(await isThere('pruned-2'), false);
    assert.equal(await read('pruned-1', '.data.text'), 'second');
  });

  it('ends a removal that waited for a finalizer', async () => {
    await setFinalizers('removed');
    await until('the deployment to be gone', () => isGone('removed'));
    assert.equal(await isThere('removed'), false);
  });

  it('still refuses what others created, and takes it when that is gone', async () => {
    assert.equal(await read('refused', '.data.text'), 'theirs');
    await kubectl('delete', 'configmap', 'refused');
    await fleet.client.steer('refused', ':retry', {});
    await fleet.client.succeeded('refused', 1);
    assert.equal(await read('refused', '.data.text'), 'first');
  });

  it('delivers what was ordered while the agent was away', async () => {
    await fleet.client.succeeded('offline', 2);
    assert.equal(await read('offline', '.data.text'), 'second');
    await until('the deployment to be gone', () => isGone('dropped'));
    assert.equal(await isThere('dropped'), false);
  });

  it('reads an inventory and an order in several Secrets', async () => {
    await fleet.client.patch('large', { manifest: says(configMap('large-1', LARGE)) });
    await fleet.client.succeeded('large', 2);
    assert.equal(await isThere('large-3'), false);
  });

  it('writes nothing that is as it should be', async () => {
    await fleet.client.untilIdle();
    for (const [name, version] of kept) assert.equal(await read(name, '.metadata.resourceVersion'), version, name);
    const { status } = await fleet.client.get('kept');
    assert.equal(status.counts.available, 1);
  });
});
