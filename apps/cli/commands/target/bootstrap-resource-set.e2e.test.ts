import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { capiUnavailable, installCapiDefinitions } from '#testing/capi';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { CrsProcess } from '../../../crs/testing/crs-process.ts';
import { EXIT } from '../../command.ts';
import { runCommand } from '../../testing/processes.ts';

const ENROL_MS = 120_000;
const skip = (await clustersUnavailable('nodes')) ?? (await capiUnavailable());

describe('fleetshift target bootstrap-resource-set', { skip }, () => {
  const cleanUp: (() => Promise<void>)[] = [];
  const cleaner = { after: (act: () => Promise<void> | void) => void cleanUp.push(async () => await act()) };
  let cluster: TestCluster;
  let home: PlatformHome;
  let platform: Platform;

  before(
    async () => {
      const signal = AbortSignal.timeout(240_000);
      home = await platformHome('sqlite');
      cleanUp.push(() => home.dispose());
      [platform, cluster] = await Promise.all([
        home.start(),
        // A short name: it is in the path of the agent's socket, which may not be longer than 107 bytes.
        ownCluster(cleaner, { size: 'nodes', name: 'b' }, signal),
      ]);
      type Named = { readonly spec: { readonly group: string; readonly names: { readonly plural: string } } };
      const only = ({ spec }: Named) => spec.group.startsWith('addons.') || spec.names.plural === 'clusters';
      await installCapiDefinitions(cluster, { only }, signal);
    },
    { timeout: 250_000 },
  );
  after(async () => {
    for (const act of cleanUp.toReversed()) await act();
  });

  const fleetshift = async (...args: readonly string[]) => {
    const { code, out, err } = await runCommand([...args, '--server', platform.url, '--data', home.data]);
    assert.equal(code, EXIT.ok, `fleetshift ${args.join(' ')}: ${out}${err}`);
    return { out, err };
  };
  const kubectl = async (args: readonly string[], input?: object): Promise<string> => {
    const { code, stdout, stderr } = await cluster.kubectl(args, input ? { input: JSON.stringify(input) } : {});
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const COMMAND = 'target bootstrap-resource-set agents --selector fleet=edge --namespace fleet -w root --uses 5';
  const command = (...more: readonly string[]) => [...COMMAND.split(' '), '--expires', '1d', ...more];

  it('prints what a management cluster takes, and the token nowhere else', async () => {
    const { out, err } = await fleetshift(...command());
    const [, token = ''] = /(fsb_[\w-]+)/.exec(out) ?? [];
    assert.ok(token.length > 20);
    assert.ok(!err.includes(token));
    await kubectl(['create', 'namespace', 'fleet']);
    const { code, stderr } = await cluster.kubectl(['apply', '--server-side', '--dry-run=server', '-f', '-'], {
      input: out,
    });
    assert.equal(code, 0, stderr);
  });

  it('installs an agent on a cluster that matches, and leaves it alone when it is run again', async (t) => {
    const kubeconfig = cluster.kubeconfigFile('admin');
    await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items: clusterAndKubeconfig(cluster) });
    await CrsProcess.start(cleaner, { kubeconfig, flags: ['--namespace=fleet'] });
    const apply = command('--apply', '--kubeconfig', kubeconfig);
    assert.equal((await fleetshift(...apply)).out, '');
    const applied = 'jsonpath={.spec.bindings[0].resources[0].applied} {.spec.bindings[0].resources[0].hash}';
    const binding = ['-n', 'fleet', 'get', 'clusterresourcesetbinding', 'one', '--ignore-not-found', '-o', applied];
    while (!(await kubectl(binding)).startsWith('true')) await delay(200, undefined, { signal: t.signal });
    const first = await kubectl(binding);
    const agent = ['-n', 'fleetshift-system', 'get', 'deployment', 'fleetshift-agent'];
    const version = [...agent, '-o', 'jsonpath={.metadata.uid} {.metadata.generation}'];
    const before = await kubectl(version);

    await fleetshift(...apply);
    // One more cluster, so that it can be seen that the set was looked at with its new token.
    const [two] = clusterAndKubeconfig(cluster, 'two');
    await kubectl(['apply', '-f', '-'], { ...two });
    const second = ['-n', 'fleet', 'get', 'clusterresourcesetbinding', 'two', '--ignore-not-found', '-o', 'name'];
    while ((await kubectl(second)) === '') await delay(200, undefined, { signal: t.signal });
    assert.deepEqual([await kubectl(binding), await kubectl(version)], [first, before]);
  });

  it('makes that cluster a target, named after itself', async (t) => {
    const uid = await kubectl(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}']);
    const targets = async () => {
      const list = await fleetshift('get', 'targets', '-A', '-l', 'fleetshift.io/correlation=agents', '-o', 'json');
      return JSON.parse(list.out).items as { readonly name: string }[];
    };
    const deadline = AbortSignal.any([t.signal, AbortSignal.timeout(ENROL_MS)]);
    let seen = await targets();
    while (!JSON.stringify(seen).includes('"Connected"')) {
      await delay(500, undefined, { signal: deadline }).catch(async (cause: unknown) => {
        throw new Error(`${JSON.stringify(seen)}\n${await agentState(cluster)}`, { cause });
      });
      seen = await targets();
    }
    assert.equal(seen.length, 1);
    const [, begin] = /^k8s-([0-9a-f-]+)$/.exec(seen[0]?.name ?? '') ?? [];
    assert.ok(begin !== undefined && uid.startsWith(begin), `${seen[0]?.name} of ${uid}`);
  });
});

/** What there is to see of an agent that does not come. */
async function agentState(cluster: TestCluster): Promise<string> {
  const said = await Promise.all([
    cluster.kubectl(['-n', 'fleet', 'get', 'clusterresourcesets,clusterresourcesetbindings', '-o', 'yaml']),
    cluster.kubectl(['-n', 'fleetshift-system', 'get', 'pods,deployments']),
    cluster.kubectl(['-n', 'fleetshift-system', 'logs', 'deployment/fleetshift-agent', '--tail=50']),
  ]);
  return said.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('\n');
}

function clusterAndKubeconfig(cluster: TestCluster, name = 'one'): readonly object[] {
  const namespace = 'fleet';
  return [
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { name, namespace, labels: { fleet: 'edge' } },
      spec: { paused: false },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-kubeconfig`, namespace, labels: { 'cluster.x-k8s.io/cluster-name': name } },
      stringData: { value: cluster.kubeconfig('admin') },
    },
  ];
}
