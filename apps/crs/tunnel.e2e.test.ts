import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { capiUnavailable, installCapiDefinitions } from '#testing/capi';
import { clustersUnavailable, ownCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { platformHome } from '#testing/platform-process';
import { runCommand } from '../cli/testing/processes.ts';
import { CrsProcess } from './testing/crs-process.ts';

const skip = (await clustersUnavailable('apiserver')) ?? (await capiUnavailable());

describe('a workload cluster that is a target of a platform', { skip }, () => {
  it('is reached through the platform, without a kubeconfig', { timeout: 250_000 }, async (t) => {
    const { signal } = t;
    const home = await platformHome('sqlite');
    t.after(() => home.dispose());
    const [platform, cluster] = await Promise.all([
      home.start(),
      ownCluster(t, { size: 'apiserver', name: 'tunnel' }, signal),
    ]);
    type Named = { readonly spec: { readonly group: string; readonly names: { readonly plural: string } } };
    const only = ({ spec }: Named) => spec.group.startsWith('addons.') || spec.names.plural === 'clusters';
    await installCapiDefinitions(cluster, { only }, signal);
    const kubeconfig = cluster.kubeconfigFile('admin');
    const place = ['-w', 'root', '--server', platform.url, '--data', home.data];
    const add = ['target', 'add', '--kubeconfig', kubeconfig, '--name', 'edge-1', '--wait', '60s', ...place];
    const added = await runCommand(add);
    assert.equal(added.code, 0, `${added.out}${added.err}`);

    const tokenFile = join(home.data, 'token-of-crs');
    await writeFile(tokenFile, platform.token, { mode: 0o600 });
    const crs = await CrsProcess.start(t, {
      kubeconfig,
      flags: ['--namespace=default', `--platform-url=${platform.url}`, `--platform-token-file=${tokenFile}`],
    });
    const applied = await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(world()) });
    assert.equal(applied.code, 0, applied.stderr);
    const condition = '{.status.conditions[?(@.type=="ResourcesApplied")].status}';
    const set = ['get', 'clusterresourceset', 'greetings', '-o', `jsonpath=${condition}`];
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    while ((await cluster.kubectl(set)).stdout !== 'True') {
      await delay(200, undefined, { signal: deadline }).catch(async (cause: unknown) => {
        const { stdout } = await cluster.kubectl(['get', 'clusterresourceset', 'greetings', '-o', 'yaml']);
        throw new Error(`${stdout}\n${await crs.said()}`, { cause });
      });
    }
    const made = await cluster.kubectl(['get', 'configmap', 'applied', '-o', 'jsonpath={.data.greeting}']);
    assert.equal(made.stdout, 'hello');
  });
});

/** A Cluster that names its target, a set for it, and the rights of the administrators' role there. */
function world(): object {
  const labels = { fleet: 'edge' };
  const content = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied', namespace: 'default' } };
  const manifest = JSON.stringify({ ...content, data: { greeting: 'hello' } });
  const items = [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'fleetshift-admin' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'fleetshift:role:admin' }],
    },
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { name: 'one', labels, annotations: { 'fleetshift.io/target': 'edge-1' } },
      spec: { paused: false },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'content' }, data: { manifest } },
    {
      apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
      kind: 'ClusterResourceSet',
      metadata: { name: 'greetings' },
      spec: {
        strategy: 'Reconcile',
        clusterSelector: { matchLabels: labels },
        resources: [{ kind: 'ConfigMap', name: 'content' }],
      },
    },
  ];
  return { apiVersion: 'v1', kind: 'List', items };
}
