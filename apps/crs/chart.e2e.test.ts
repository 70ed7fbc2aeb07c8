import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { capiUnavailable, installCapiDefinitions } from '#testing/capi';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { helmUnavailable, runHelm } from '#testing/helm';
import { clusterInventory, differences } from '../../testing/clusters/cluster-inventory.ts';

const skip = (await clustersUnavailable('nodes')) ?? (await capiUnavailable()) ?? helmUnavailable();
const CHART = new URL('../../deploy/charts/fleetshift-crs', import.meta.url).pathname;
const HOME = 'fleetshift-system';
const SERVICE = 'fleetshift-crs-webhook';
const WEBHOOK_PORT = 9443;

describe('the chart of fleetshift crs, by Helm on a real cluster', { skip }, () => {
  const cleanUp: (() => Promise<void>)[] = [];
  const cleaner = { after: (act: () => Promise<void> | void) => void cleanUp.push(async () => await act()) };
  let cluster: TestCluster;
  let folder: string;

  before(
    async () => {
      const signal = AbortSignal.timeout(240_000);
      folder = await mkdtemp(join(tmpdir(), 'crs-chart-'));
      cleanUp.push(() => rm(folder, { recursive: true, force: true }));
      cluster = await ownCluster(cleaner, { size: 'nodes', name: 'crs-chart' }, signal);
      type Named = { readonly spec: { readonly group: string; readonly names: { readonly plural: string } } };
      const only = ({ spec }: Named) => spec.group.startsWith('addons.') || spec.names.plural === 'clusters';
      await installCapiDefinitions(cluster, { only }, signal);
    },
    { timeout: 250_000 },
  );
  after(async () => {
    for (const act of cleanUp.toReversed()) await act();
  });

  async function helm(...args: readonly string[]): Promise<string> {
    const kubeconfig = cluster.kubeconfigFile('admin');
    const { code, stdout, stderr } = await runHelm({ args: [...args, '--namespace', HOME], folder, kubeconfig });
    assert.equal(code, 0, `helm ${args.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  }

  async function kubectl(args: readonly string[], input?: object): Promise<string> {
    const { code, stdout, stderr } = await cluster.kubectl(args, input ? { input: JSON.stringify(input) } : {});
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  const logs = () => kubectl(['-n', HOME, 'logs', 'deployment/fleetshift-crs', '--tail=-1']);

  async function rolledOut(): Promise<void> {
    const args = ['-n', HOME, 'rollout', 'status', 'deployment/fleetshift-crs', '--timeout=55s'];
    const { code } = await cluster.kubectl(args);
    assert.equal(code, 0, `${await kubectl(['-n', HOME, 'get', 'pods', '-o', 'wide'])}\n${await logs()}`);
  }

  /** Runs kubectl until it prints this. */
  async function until(args: readonly string[], wanted: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { stdout } = await cluster.kubectl(args);
      if (stdout === wanted) return;
      await delay(200, undefined, { signal }).catch(async (cause: unknown) => {
        throw new Error(`kubectl ${args.join(' ')} says "${stdout}", not "${wanted}"\n${await logs()}`, { cause });
      });
    }
  }

  /** A Cluster that is this cluster itself, in its own namespace. */
  async function clusterIn(namespace: string): Promise<void> {
    await kubectl(['create', 'namespace', namespace]);
    const items = [
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        metadata: { name: 'one', namespace, labels: { fleet: 'edge' } },
        spec: { paused: false },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'one-kubeconfig', namespace, labels: { 'cluster.x-k8s.io/cluster-name': 'one' } },
        stringData: { value: cluster.kubeconfig('admin') },
      },
    ];
    await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items });
  }

  function setIn(namespace: string, names: readonly string[], strategy?: string) {
    const maps = names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }));
    const items = [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'addons.cluster.x-k8s.io/resource-set',
        metadata: { name: 'content', namespace },
        stringData: { content: JSON.stringify(maps) },
      },
      {
        apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
        kind: 'ClusterResourceSet',
        metadata: { name: 'maps', namespace },
        spec: {
          clusterSelector: { matchLabels: { fleet: 'edge' } },
          resources: [{ kind: 'Secret', name: 'content' }],
          ...(strategy && { strategy }),
        },
      },
    ];
    return { apiVersion: 'v1', kind: 'List', items };
  }

  /** Service addresses are not routed here, so the API server reaches the Pod by a name. */
  async function leadToPod(): Promise<void> {
    const path = '{.items[0].status.podIP}';
    const externalName = await kubectl(['-n', HOME, 'get', 'pods', '-o', `jsonpath=${path}`]);
    await kubectl(['-n', HOME, 'delete', 'service', SERVICE]);
    const metadata = { name: SERVICE, namespace: HOME };
    const spec = { type: 'ExternalName', externalName };
    await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'Service', metadata, spec });
  }

  it('installs, upgrades, serves webhooks and sets with the rights that it brings, and goes', async (t) => {
    const before = await clusterInventory(cluster, t.signal);
    const port = `webhooks.port=${WEBHOOK_PORT}`;
    await helm('install', 'crs', CHART, '--create-namespace', '--set', port);
    await rolledOut();
    await helm('upgrade', 'crs', CHART, '--reuse-values', '--set', 'options.prune=true,concurrency=5');
    await rolledOut();
    const pods = ['-n', HOME, 'get', 'pods', '-l', 'app.kubernetes.io/name=fleetshift-crs', '-o', 'name'];
    while ((await kubectl(pods)).trim().split('\n').length > 1) await delay(200, undefined, { signal: t.signal });
    await leadToPod();

    await clusterIn('fleet');
    await t.test('a set without a strategy is given one, and an empty selector is refused', async () => {
      const [, set] = setIn('fleet', []).items;
      for (;;) {
        const { code, stderr } = await cluster.kubectl(['apply', '--dry-run=server', '-f', '-'], {
          input: JSON.stringify({ ...set, spec: { ...set?.spec, clusterSelector: {} } }),
        });
        if (code !== 0 && stderr.includes('selector must not be empty')) break;
        assert.match(stderr, /^$|failed calling webhook|no endpoints|connection refused/);
        await delay(200, undefined, { signal: t.signal });
      }
      const args = ['create', '--dry-run=server', '-o', 'jsonpath={.spec.strategy}', '-f', '-'];
      assert.equal(await kubectl(args, set), 'ApplyOnce');
    });

    await t.test('a set is applied, and what leaves it is pruned', async () => {
      await kubectl(['apply', '-f', '-'], setIn('fleet', ['a', 'b'], 'Reconcile'));
      const applied = '{.status.conditions[?(@.type=="ResourcesApplied")].status}';
      await until(['-n', 'fleet', 'get', 'clusterresourceset', 'maps', '-o', `jsonpath=${applied}`], 'True', t.signal);
      await kubectl(['-n', 'fleet', 'get', 'configmap', 'a', 'b']);
      await kubectl(['apply', '-f', '-'], setIn('fleet', ['a'], 'Reconcile'));
      await until(['-n', 'fleet', 'get', 'configmap', 'b', '--ignore-not-found', '-o', 'name'], '', t.signal);
      await kubectl(['-n', 'fleet', 'delete', 'clusterresourceset', 'maps']);
    });

    assert.doesNotMatch(await logs(), /FORBIDDEN|forbidden/);
    // This test made it itself, so Helm would leave it.
    await kubectl(['-n', HOME, 'delete', 'service', SERVICE]);
    await helm('uninstall', 'crs', '--wait');
    // Helm creates its namespace, and never deletes it; the other namespace is the test's own.
    const isOurs =
      /^left: (?!namespaces |\S+ fleet\/|(configmaps \S+\/kube-root-ca\.crt|serviceaccounts \S+\/default)$)|^(gone|changed)/;
    const patience = AbortSignal.timeout(60_000);
    for (;;) {
      const found = differences(before, await clusterInventory(cluster, t.signal)).filter((line) => isOurs.test(line));
      if (found.length === 0) break;
      if (patience.aborted) assert.deepEqual(found, []);
      await delay(200, undefined, { signal: t.signal });
    }
    assert.equal((await cluster.kubectl(['-n', HOME, 'get', 'leases', '-o', 'name'])).stdout, '');
  });

  it('with a namespace it has no rights in any other, and needs none', async (t) => {
    await clusterIn('alone');
    await clusterIn('others');
    await helm('install', 'crs', CHART, '--create-namespace', '--set', 'namespace=alone,webhooks.enabled=false');
    await rolledOut();
    for (const namespace of ['alone', 'others']) {
      await kubectl(['apply', '-f', '-'], setIn(namespace, ['a'], 'ApplyOnce'));
    }
    await until(
      ['-n', 'alone', 'get', 'configmap', 'a', '--ignore-not-found', '-o', 'name'],
      'configmap/a\n',
      t.signal,
    );
    assert.equal(await kubectl(['-n', 'others', 'get', 'configmap', 'a', '--ignore-not-found', '-o', 'name']), '');
    const account = `system:serviceaccount:${HOME}:fleetshift-crs`;
    for (const [namespace, may] of [
      ['alone', 'yes'],
      ['others', 'no'],
      [HOME, 'no'],
    ] as const) {
      const { stdout } = await cluster.kubectl(['auth', 'can-i', 'list', 'secrets', '-n', namespace, '--as', account]);
      assert.equal(stdout.trim(), may, namespace);
    }
    assert.doesNotMatch(await logs(), /FORBIDDEN|forbidden/);
    await helm('uninstall', 'crs', '--wait');
  });
});
