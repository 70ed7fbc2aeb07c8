import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { capiUnavailable, installCapiDefinitions } from '#testing/capi';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { CrsProcess } from '../../../../crs/testing/crs-process.ts';
import { EXIT } from '../../../command.ts';
import { runCommand } from '../../../testing/processes.ts';

const skip = (await clustersUnavailable('nodes')) ?? (await capiUnavailable());

describe('fleetshift target bootstrap-resource-set', { skip }, () => {
  const cleanUp: (() => Promise<void>)[] = [];
  const cleaner = { after: (act: () => Promise<void> | void) => void cleanUp.push(async () => await act()) };
  /** The management cluster, which the set applies to as well. */
  let cluster: TestCluster;
  let another: TestCluster;
  let home: PlatformHome;
  let platform: Platform;

  before(
    async () => {
      const signal = AbortSignal.timeout(240_000);
      home = await platformHome('sqlite');
      cleanUp.push(() => home.dispose());
      [platform, cluster, another] = await Promise.all([
        home.start(),
        // Short names: they are part of the path of the agent's socket, which is limited to 107 bytes.
        ownCluster(cleaner, { size: 'nodes', name: 'b' }, signal),
        ownCluster(cleaner, { size: 'nodes', name: 'c' }, signal),
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
  const kubectlIn = async (where: TestCluster, args: readonly string[], input?: object): Promise<string> => {
    const { code, stdout, stderr } = await where.kubectl(args, input ? { input: JSON.stringify(input) } : {});
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const kubectl = (args: readonly string[], input?: object): Promise<string> => kubectlIn(cluster, args, input);
  const inBoth = (args: readonly string[]) => Promise.all([cluster, another].map((each) => kubectlIn(each, args)));
  let token = '';
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

  it('installs an agent on each cluster that matches, and leaves them alone when it is run again', async (t) => {
    const kubeconfig = cluster.kubeconfigFile('admin');
    const items = [...clusterAndKubeconfig(cluster, 'one'), ...clusterAndKubeconfig(another, 'two')];
    await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items });
    await CrsProcess.start(cleaner, { kubeconfig, flags: ['--namespace=fleet'] });
    const apply = command('--apply', '--kubeconfig', kubeconfig);
    const { out, err } = await fleetshift(...apply);
    assert.equal(out, '');
    [, token = ''] = /bootstraptoken\/(\S+) created/.exec(err) ?? [];
    const applied = 'jsonpath={.spec.bindings[0].resources[0].applied} {.spec.bindings[0].resources[0].hash}';
    const binding = async (name: string, output = applied) =>
      await kubectl(['-n', 'fleet', 'get', 'clusterresourcesetbinding', name, '--ignore-not-found', '-o', output]);
    for (const name of ['one', 'two']) {
      while (!(await binding(name)).startsWith('true')) await delay(200, undefined, { signal: t.signal });
    }
    const agent = ['-n', 'fleetshift-system', 'get', 'deployment', 'fleetshift-agent'];
    const version = [...agent, '-o', 'jsonpath={.metadata.uid} {.metadata.generation}'];
    const before = [await binding('one'), await binding('two'), ...(await inBoth(version))];

    await fleetshift(...apply);
    // One more cluster, to show that the set was reconciled with its new token.
    const [three] = clusterAndKubeconfig(cluster, 'three');
    await kubectl(['apply', '-f', '-'], { ...three });
    while ((await binding('three', 'name')) === '') await delay(200, undefined, { signal: t.signal });
    assert.deepEqual([await binding('one'), await binding('two'), ...(await inBoth(version))], before);
  });

  it('makes a target of each, named after itself, with one token for both', async (t) => {
    const uids = await inBoth(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}']);
    const targets = async () => {
      const list = await fleetshift('get', 'targets', '-A', '-l', 'fleetshift.io/correlation=agents', '-o', 'json');
      return JSON.parse(list.out).items as { readonly name: string }[];
    };
    const deadline = AbortSignal.any([t.signal, AbortSignal.timeout(PATIENCE_MS)]);
    let seen = await targets();
    while (seen.filter((target) => JSON.stringify(target).includes('"Connected"')).length < 2) {
      await delay(500, undefined, { signal: deadline }).catch(async (cause: unknown) => {
        const states = await Promise.all([cluster, another].map(agentState));
        throw new Error(`${JSON.stringify(seen)}\n${states.join('\n')}`, { cause });
      });
      seen = await targets();
    }
    assert.equal(seen.length, 2);
    for (const uid of uids) {
      const its = seen.filter(({ name }) => name.startsWith('k8s-') && uid.startsWith(name.slice('k8s-'.length)));
      assert.equal(its.length, 1, `${seen.map(({ name }) => name).join()} of ${uid}`);
    }
    const { out } = await fleetshift('get', 'bootstraptoken', token, '-w', 'root', '-o', 'json');
    assert.equal((JSON.parse(out) as { readonly used: number }).used, 2);
  });
});

/** Diagnostics of an agent that does not come up. */
async function agentState(cluster: TestCluster): Promise<string> {
  const said = await Promise.all([
    cluster.kubectl(['-n', 'fleet', 'get', 'clusterresourcesets,clusterresourcesetbindings', '-o', 'yaml']),
    cluster.kubectl(['-n', 'fleetshift-system', 'get', 'pods,deployments']),
    cluster.kubectl(['-n', 'fleetshift-system', 'logs', 'deployment/fleetshift-agent', '--tail=50']),
  ]);
  return said.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('\n');
}

function clusterAndKubeconfig(cluster: TestCluster, name: string): readonly object[] {
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
