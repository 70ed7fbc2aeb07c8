import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { platformHome } from '#testing/platform-process';
import { EXIT } from '../apps/cli/command.ts';
import { runCommand } from '../apps/cli/testing/processes.ts';
import { FleetApi } from '../apps/platform/proxy-agent/testing/fleet-api.ts';
import { kubeconfigOf } from '../apps/platform/proxy-agent/testing/kubeconfig-of.ts';
import { eventually } from '../kit/durable/testing/eventually.ts';

const skip = (await clustersUnavailable('nodes')) ?? false;
const LOOK_MS = 50;
const PATH = '/v1/workspaces/root/deployments/web';

/** A Deployment whose Pods run or crash, marked with a version. */
function web(version: string, fate: 'runs' | 'crashes'): object {
  const annotations = fate === 'crashes' ? { 'testing.fleetshift/simulate': 'crashes' } : {};
  const metadata = { labels: { app: 'web' }, annotations: { ...annotations, version } };
  const template = { metadata, spec: { containers: [{ name: 'main', image: `registry.example/web:${version}` }] } };
  const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
  const document = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' }, spec };
  return { type: 'inline', documents: [document] };
}

async function version(cluster: TestCluster): Promise<string> {
  const path = 'jsonpath={.spec.template.metadata.annotations.version}';
  return (await cluster.kubectl(['-n', 'default', 'get', 'deployment', 'web', '-o', path])).stdout;
}

interface Standing {
  readonly target: string;
  readonly health?: { readonly status: string; readonly message: string };
}

interface Status {
  readonly status: {
    readonly counts: { readonly available: number };
    readonly rollout?: { readonly phase: string; readonly outcome?: string; readonly message?: string };
  };
}

describe('a canary that crashes in a loop', { skip }, () => {
  it('stops its rollout, says why, and is rolled back; the others never get it', async (t) => {
    const canary = await ownCluster(t, { size: 'nodes', name: 'canary' }, t.signal);
    const rest = await ownCluster(t, { size: 'nodes', name: 'rest' }, t.signal);
    const home = await platformHome('sqlite');
    t.after(() => home.dispose());
    const platform = await home.start({ flags: ['--rate-limit', '1000000'] });
    const file = join(home.data, 'kubeconfig');
    await writeFile(file, kubeconfigOf({ canary, rest }));
    const where = ['--kubeconfig', file, '--server', platform.url, '--data', home.data, '--wait', '2m'];
    const added = await runCommand(['target', 'add', '--context', 'canary', '--context', 'rest', ...where]);
    assert.equal(added.code, EXIT.ok, added.err);
    const api = new FleetApi(platform);
    await api.ask('PATCH /v1/targets/canary', { labels: { ring: 'canary' } }, 200);

    const selector = { matchLabels: { ring: 'canary' } };
    const stages = [{ name: 'canary', selector }];
    const rollout = { type: 'staged', failurePolicy: 'rollback', progressDeadline: '5s', stages };
    const spec = { name: 'web', placement: [{ type: 'all' }], rollout, manifest: web('1', 'runs') };
    await api.ask('POST /v1/workspaces/root/deployments', spec, 201);
    await api.available('web', 2);

    await api.ask(`PATCH ${PATH}`, { manifest: web('2', 'crashes') }, 200);
    const bad = await eventually('the platform to say why', async () => {
      const { items } = await api.ask<{ items: readonly Standing[] }>(`GET ${PATH}/targets`, undefined, 200);
      await delay(LOOK_MS);
      return items.find(({ health }) => health?.status === 'Degraded');
    });
    assert.equal(bad.target, 'canary');
    assert.match(bad.health?.message ?? '', /Deployment.*web.*container main keeps crashing/);

    const story = await api.ask<{ items: readonly object[] }>(`GET ${PATH}/revisions/2/timeline`, undefined, 200);
    assert.match(JSON.stringify(story.items), /it became degraded: .*keeps crashing/, 'it stays on record');

    await eventually('the canary to be as it was', async () => (await version(canary)) === '1');
    await api.available('web', 2);
    const ended = await eventually('the rollout back to end', async () => {
      const { status } = await api.ask<Status>(`GET ${PATH}`, undefined, 200);
      return status.rollout?.phase === 'Finished' && status.rollout;
    });
    assert.equal(ended.outcome, 'Succeeded', JSON.stringify(ended));
    assert.equal(await version(rest), '1');
    const history = await rest.kubectl(['-n', 'default', 'get', 'replicasets', '-o', 'name']);
    assert.equal(history.stdout.trim().split('\n').length, 1, 'nobody but the canary has ever had it');
  });
});
