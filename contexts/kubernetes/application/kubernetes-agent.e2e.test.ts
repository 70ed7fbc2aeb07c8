import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test';
import { CORE, isKubeError, listAll } from '#kit/kube';
import { clustersUnavailable } from '#testing/clusters';
import { issueServerPair, makeAuthority } from '#testing/clusters/certificate-authority';
import { PATIENCE_MS } from '#testing/patience';
import { seededRandom, testSeed } from '#testing/seeded';
import { openCluster } from '../adapters/open-cluster.ts';
import { deploymentUid, order, policy, type RunningAgent, removal, runAgent, TARGET } from '../testing/agent-scene.ts';
import { dyingPorts } from '../testing/dying-ports.ts';
import { eventually, mapNamed, type RealScene, realScene } from '../testing/real-scene.ts';
import type { ClusterPorts } from './ports.ts';

/** Foreground deletion is completed by a controller. */
const size = 'controllers';

describe('an agent of a real cluster', { skip: (await clustersUnavailable(size)) ?? false }, () => {
  let signal: AbortSignal;
  let scene: RealScene;
  let deployments = 0;

  before(async () => {
    scene = await realScene(size, AbortSignal.timeout(PATIENCE_MS));
  });

  beforeEach(() => {
    signal = AbortSignal.timeout(PATIENCE_MS);
  });

  after(async () => await scene.close());

  function map(name: string, data: object = { a: '1' }) {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: scene.namespace }, data };
  }

  /** Orders of a deployment that no other test uses. */
  function mine() {
    const deployment = deploymentUid((deployments += 1));
    const namespace = scene.namespace;
    return {
      order: (...[revision, documents, its]: Parameters<typeof order>) =>
        order(revision, documents, { deployment, namespace, ...its }),
      removal: (revision: number) => removal(revision, { deployment }),
    };
  }

  async function delivered({ agent, heard }: RunningAgent, its: ReturnType<typeof order>): Promise<void> {
    assert.deepEqual(await agent.dispatch(its, signal), { kind: 'accepted' });
    await heard.until(`applied ${its.revision}`, signal);
    await heard.until(new RegExp(`^health ${its.revision} Available`), signal);
  }

  async function edit(name: string, data: object, fieldManager = 'kubectl-edit'): Promise<void> {
    const ref = { resource: CORE.configMaps, namespace: scene.namespace, name };
    await scene.client.patch(ref, { type: 'merge', patch: { data } }, { fieldManager }, signal);
  }

  it('sees drift, tells who it was, and repairs it where it is told to', async (t) => {
    const running = await runAgent(t, scene.ports);
    const { heard } = running;
    const its = mine();
    await delivered(running, its.order(1, [map('drift')]));
    await edit('drift', { a: '2' });
    await heard.until(/^drift 1 .*kubectl-edit changed \.data\.a\.$/, signal);
    await delivered(running, its.order(2, [policy({ onConflict: 'force' }), map('drift')], { driftPolicy: 'repair' }));
    heard.clear();
    await edit('drift', { a: '3' });
    await heard.until(/^drift 2 .*kubectl-edit changed \.data\.a\.$/, signal);
    await heard.until('drift 2', signal);
    assert.deepEqual((await mapNamed(scene, 'drift', signal)).data, { a: '1' });
    heard.clear();
    await scene.client.delete({ resource: CORE.configMaps, namespace: scene.namespace, name: 'drift' }, {}, signal);
    await heard.until(/^drift 2 .*was deleted/, signal);
    await heard.until('drift 2', signal);
    assert.deepEqual((await mapNamed(scene, 'drift', signal)).data, { a: '1' });
  });

  it('does not fight with whoever means it', async (t) => {
    const running = await runAgent(t, scene.ports);
    const { heard } = running;
    await delivered(running, mine().order(1, [map('fought')], { driftPolicy: 'repair' }));
    for (let round = 0; round < 3; round += 1) {
      heard.clear();
      await edit('fought', { a: `x${round}` }, 'stubborn');
      await heard.until('drift 1', signal);
    }
    await edit('fought', { a: 'mine' }, 'stubborn');
    await heard.until(/^drift 1 .*stubborn changed it again after each repair/, signal);
    assert.deepEqual((await mapNamed(scene, 'fought', signal)).data, { a: 'mine' });
  });

  it('makes a kind and an object of it, brings both back, and removes them', async (t) => {
    const running = await runAgent(t, scene.ports);
    const { heard, agent } = running;
    const its = mine();
    const group = `${scene.namespace}.example.io`;
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `gadgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind: 'Gadget', plural: 'gadgets' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const gadget = { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name: 'g' }, spec: { size: 1 } };
    await delivered(running, its.order(1, [gadget, definition], { driftPolicy: 'repair' }));
    heard.clear();
    await scene.client.delete({ resource: CORE.customResourceDefinitions, name: `gadgets.${group}` }, {}, signal);
    await heard.until(/^drift 1 .*was deleted/, signal);
    await heard.until('drift 1', signal);
    await agent.dispatch(its.removal(2), signal);
    await heard.until('removed 2', signal);
  });

  it('says which quota, webhook or finalizer is in the way', async (t) => {
    const { agent, heard } = await runAgent(t, scene.ports);
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'no-services', namespace: scene.namespace },
      spec: { hard: { 'count/services': '0' } },
    };
    await scene.client.create({ resource: await kind('ResourceQuota'), namespace: scene.namespace }, quota, {}, signal);
    await eventually(async () => 'status' in (await quotaNow()), signal);
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
    await agent.dispatch(mine().order(1, [service]), signal);
    await heard.until(/^failed 1 .*exceeded quota: no-services/, signal);
    await refusingWebhook(t);
    heard.clear();
    const refused = mine();
    const account = (name: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
    await agent.dispatch(refused.order(1, [account('refused')]), signal);
    await heard.until(/^failed 1 .*denied the request: not today/, signal);
    heard.clear();
    const held = mine();
    const finalized = { ...map('held'), metadata: { ...map('held').metadata, finalizers: ['example.io/hold'] } };
    await agent.dispatch(held.order(1, [finalized]), signal);
    await heard.until('applied 1', signal);
    await agent.dispatch(held.removal(2), signal);
    await heard.until(
      /^health 2 Unknown .*held is being deleted, and waits for its finalizers .*example\.io\/hold/,
      signal,
    );
    const ref = { resource: CORE.configMaps, namespace: scene.namespace, name: 'held' };
    await scene.client.patch(ref, { type: 'merge', patch: { metadata: { finalizers: null } } }, {}, signal);
    await heard.until('removed 2', signal);
  });

  it('goes on wherever an agent was killed', async (t) => {
    const draw = seededRandom(testSeed());
    for (const point of [draw.integer(0, 5), draw.integer(6, 16)]) {
      const its = mine();
      const dying = dyingPorts(scene.ports, point);
      const first = await runAgent(t, dying.ports);
      const [before, next] = [
        its.order(1, [map('k-a'), map('k-b')]),
        its.order(2, [map('k-b', { a: '2' }), map('k-c')]),
      ];
      const done = (async () => {
        await delivered(first, before);
        await delivered(first, next);
      })().catch(() => {});
      await Promise.race([dying.ended, done]);
      await first.agent.drop(TARGET.id);
      const second = await runAgent(t, scene.ports);
      await delivered(second, next);
      await assert.rejects(mapNamed(scene, 'k-a', signal), (error) => isKubeError(error, 'NOT_FOUND'));
      assert.deepEqual((await mapNamed(scene, 'k-b', signal)).data, { a: '2' });
      await second.agent.dispatch(its.removal(3), signal);
      await second.heard.until('removed 3', signal);
      await second.stop();
    }
  });

  it('has 5,000 objects in one deployment, and asks nothing about those that did not change', async (t) => {
    const its = mine();
    const many = (count: number, change: string) =>
      Array.from({ length: count }, (_, index) => map(`many-${index}`, { a: index === 7 ? change : '1' }));
    const first = await runAgent(t, scene.ports);
    await delivered(first, its.order(71, many(5_000, '1')));
    await first.stop();
    const asked: string[] = [];
    const ports = await openCluster({ client: scene.client, namespace: scene.namespace }, signal);
    const { api } = ports;
    // Other tests have their own deployments in this namespace.
    const note = (what: string, name = ''): number => (name.startsWith('many-') ? asked.push(`${what} ${name}`) : 0);
    const counting: ClusterPorts['api'] = {
      get: async (key, stop) => (note('get', key.name), await api.get(key, stop)),
      apply: async (object, options, stop) => (
        note('apply', object.metadata.name), await api.apply(object, options, stop)
      ),
      delete: async (key, meant, stop) => (note('delete', key.name), await api.delete(key, meant, stop)),
    };
    const second = await runAgent(t, { ...ports, api: counting });
    await second.heard.until('health 71 Available', signal);
    await delivered(second, its.order(72, many(4_990, '2')));
    assert.deepEqual([asked.length, asked[0]], [1 + 10, 'apply many-7'], 'one that changed, and ten that left');
    const { items } = await listAll(
      scene.client,
      { resource: CORE.configMaps, namespace: scene.namespace },
      {},
      signal,
    );
    assert.equal(items.filter(({ metadata }) => metadata.name?.startsWith('many-')).length, 4_990);
  });

  async function kind(name: string) {
    return await scene.client.discovery.resourceFor('v1', name, signal);
  }

  async function quotaNow() {
    const ref = { resource: await kind('ResourceQuota'), namespace: scene.namespace, name: 'no-services' };
    const { status } = await scene.client.get<{
      apiVersion: string;
      kind: string;
      metadata: {};
      status?: { hard?: object };
    }>(ref, signal);
    return status?.hard === undefined ? {} : { status };
  }

  /** Webhook that refuses the service accounts of our namespace. */
  async function refusingWebhook(t: TestContext): Promise<void> {
    const authority = makeAuthority();
    const server = createServer(issueServerPair(authority, ['127.0.0.1']), (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { request: asked } = JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string } };
        const answer = { uid: asked.uid, allowed: false, status: { message: 'not today' } };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const name = `refuses.${scene.namespace}.example.io`;
    const resource = await scene.client.discovery.resourceFor(
      'admissionregistration.k8s.io/v1',
      'ValidatingWebhookConfiguration',
      signal,
    );
    t.after(async () => {
      await scene.client.delete({ resource, name }, {}, AbortSignal.timeout(PATIENCE_MS));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const webhook = {
      name,
      clientConfig: {
        url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        caBundle: Buffer.from(authority.cert).toString('base64'),
      },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['serviceaccounts'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: [webhook],
    };
    await scene.client.create({ resource }, configuration, {}, signal);
    const probe = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'probe' } };
    const place = { resource: CORE.serviceAccounts, namespace: scene.namespace };
    // The server picks up the webhook configuration after a while.
    await eventually(async () => {
      try {
        await scene.client.create(place, probe, { dryRun: true }, signal);
        return false;
      } catch {
        return true;
      }
    }, signal);
  }
});
