import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { CORE } from '#kit/kube';
import { sleep } from '#kit/std';
import { clustersUnavailable, ownCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { deploymentUid, order, runAgent } from '../testing/agent-scene.ts';
import { mapNamed, realScene, sceneIn } from '../testing/real-scene.ts';

let signal: AbortSignal;
function startClock(): void {
  signal = AbortSignal.timeout(PATIENCE_MS);
}

describe('a real cluster in trouble', { skip: (await clustersUnavailable()) ?? false }, () => {
  beforeEach(startClock);

  it('is served again once its API server is back, also when it has forgotten our place (410)', async (t) => {
    const cluster = await ownCluster(t, { size: 'apiserver', name: 'restarted' }, signal);
    const scene = await sceneIn(cluster, signal);
    const { namespace } = scene;
    const map = (name: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
      data: { a: '1' },
    });
    const running = await runAgent(t, scene.ports);
    const { agent, heard, trouble } = running;
    const many = Array.from({ length: 300 }, (_, index) => map(`m-${index}`));
    await agent.dispatch(order(1, many, { namespace, driftPolicy: 'repair' }), signal);
    // Wait until the delivery is under way, no matter which objects come first.
    while (
      (await scene.client.list({ resource: CORE.configMaps, namespace }, { limit: 20 }, signal)).items.length < 10
    );
    await cluster.restart();
    await heard.until('applied 1', signal);
    await heard.until('health 1 Available', signal);
    assert.ok(trouble.length > 0, 'it was met in the middle');
    assert.ok(heard.lines.every((line) => !line.startsWith('failed')));
    const ref = { resource: CORE.configMaps, namespace, name: 'm-7' };
    await scene.client.patch(ref, { type: 'merge', patch: { data: { a: '2' } } }, { fieldManager: 'somebody' }, signal);
    await heard.until(/^drift 1 .*somebody changed \.data\.a/, signal);
    await heard.until('drift 1', signal);
    assert.deepEqual((await mapNamed(scene, 'm-7', signal)).data, { a: '1' });
    await running.stop();
    await scene.client.close();
  });
});

const nodes = 'nodes';

describe('workloads in a real cluster', { skip: (await clustersUnavailable(nodes)) ?? false }, () => {
  beforeEach(startClock);

  it('say why they crash, have no image, or are not allowed', async (t) => {
    const scene = await realScene(nodes, signal);
    t.after(async () => await scene.close());
    const { namespace } = scene;
    const running = await runAgent(t, scene.ports);
    t.after(running.stop);
    const { agent, heard } = running;
    const web = (name: string, simulate: string, kind = 'Deployment') => ({
      apiVersion: 'apps/v1',
      kind,
      metadata: { name },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name }, annotations: { 'testing.fleetshift/simulate': simulate } },
          spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] },
        },
      },
    });
    const deliver = async (number: number, document: object): Promise<void> => {
      await agent.dispatch(order(number, [document], { deployment: deploymentUid(number), namespace }), signal);
    };
    await deliver(1, web('crashes', 'crashes'));
    await heard.until(/^health 1 Degraded .*container web keeps crashing/, signal);
    await deliver(2, web('no-image', 'image-missing', 'StatefulSet'));
    await heard.until(/^health 2 Degraded .*the image registry\.example\/web:1 cannot be pulled/, signal);
    await deliver(3, web('fine', ''));
    await heard.until('health 3 Available', signal);
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'full', namespace },
      spec: { hard: { pods: '0' } },
    };
    const resource = await scene.client.discovery.resourceFor('v1', 'ResourceQuota', signal);
    await scene.client.create({ resource, namespace }, quota, {}, signal);
    // Wait until the server enforces the quota.
    const spec = { containers: [{ name: 'web', image: 'registry.example/web:1' }] };
    const probe = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe', namespace }, spec };
    const isLetIn = async (): Promise<boolean> =>
      await scene.client.create({ resource: CORE.pods, namespace }, probe, { dryRun: true }, signal).then(
        () => true,
        (error: unknown) => !/exceeded quota/.test(String(error)),
      );
    while (await isLetIn()) await sleep(50, signal);
    await deliver(4, web('not-allowed', ''));
    await heard.until(/^health 4 Degraded .*the quota full does not allow more Pods/, signal);
  });
});
