import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CORE,
  createKubeClient,
  isKubeError,
  type KubeClient,
  type KubeObject,
  parseKubeConfig,
  type Resource,
} from '#kit/kube';
import { capiManager, capiUnavailable, installCapiDefinitions, startCapiManager } from '#testing/capi';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { CrsProcess } from './testing/crs-process.ts';

const skip = (await clustersUnavailable('apiserver')) ?? (await capiUnavailable());
const SETS = resource('addons.cluster.x-k8s.io', 'clusterresourcesets', 'ClusterResourceSet');
const BINDINGS = resource('addons.cluster.x-k8s.io', 'clusterresourcesetbindings', 'ClusterResourceSetBinding');
const CLUSTERS = resource('cluster.x-k8s.io', 'clusters', 'Cluster');

type Loose = KubeObject & Readonly<Record<string, unknown>>;

describe('fleetshift crs on a real API server, which is its own workload cluster too', { skip }, () => {
  const cleanUp: (() => Promise<void>)[] = [];
  const cleaner = { after: (act: () => Promise<void> | void) => void cleanUp.push(async () => await act()) };
  let cluster: TestCluster;
  let client: KubeClient;
  let kubeconfig: string;

  before(
    async () => {
      cluster = await ownCluster(cleaner, { size: 'apiserver', name: 'crs' }, AbortSignal.timeout(200_000));
      client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig('admin')) });
      cleanUp.push(() => client.close());
      kubeconfig = cluster.kubeconfigFile('admin');
    },
    { timeout: 250_000 },
  );
  after(async () => {
    for (const act of cleanUp.toReversed()) await act();
  });

  const create = (kind: Resource, namespace: string, object: object, signal: AbortSignal) =>
    client.create<Loose>(
      { resource: kind, namespace },
      { apiVersion: kind.group === '' ? 'v1' : `${kind.group}/${kind.version}`, kind: kind.kind, ...object } as Loose,
      {},
      signal,
    );

  const read = async (kind: Resource, namespace: string, name: string, signal: AbortSignal) => {
    try {
      return await client.get<Loose>({ resource: kind, namespace, name }, signal);
    } catch (error) {
      if (isKubeError(error, 'NOT_FOUND')) return undefined;
      throw error;
    }
  };

  /** A namespace with a Cluster with the given kubeconfig, and a set that applies a ConfigMap to it. */
  async function stage(t: TestContext, text: string) {
    const namespace = await cluster.namespace(t, 'crs');
    const { signal } = t;
    const labels = { fleet: 'edge' };
    await create(CLUSTERS, namespace, { metadata: { name: 'one', labels }, spec: { paused: false } }, signal);
    await create(
      CORE.secrets,
      namespace,
      {
        metadata: { name: 'one-kubeconfig', labels: { 'cluster.x-k8s.io/cluster-name': 'one' } },
        type: 'cluster.x-k8s.io/secret',
        stringData: { value: text },
      },
      signal,
    );
    const content = (greeting: string) => ({
      manifest: JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'applied', namespace },
        data: { greeting },
      }),
    });
    await create(CORE.configMaps, namespace, { metadata: { name: 'content' }, data: content('hello') }, signal);
    await create(
      SETS,
      namespace,
      {
        metadata: { name: 'greetings' },
        spec: {
          strategy: 'Reconcile',
          clusterSelector: { matchLabels: labels },
          resources: [{ kind: 'ConfigMap', name: 'content' }],
        },
      },
      signal,
    );
    return {
      namespace,
      greet: async (greeting: string) => {
        const ref = { resource: CORE.configMaps, namespace, name: 'content' };
        await client.patch(ref, { type: 'merge', patch: { data: content(greeting) } }, {}, signal);
      },
      isGreeted: async (greeting: string) => {
        const applied = await read(CORE.configMaps, namespace, 'applied', signal);
        return (applied?.['data'] as { greeting?: string } | undefined)?.greeting === greeting;
      },
      condition: async () => {
        const set = await read(SETS, namespace, 'greetings', signal);
        const { conditions = [] } = (set?.['status'] ?? {}) as { conditions?: { type: string; message: string }[] };
        return conditions.find(({ type }) => type === 'ResourcesApplied');
      },
    };
  }

  it('says what is missing where there is no Cluster API', async (t) => {
    const process = await CrsProcess.start(t, { kubeconfig });
    assert.match(await process.ended(t.signal), /does not serve clusterresourcesets.*clusterctl init/s);
    await installCapiDefinitions(cluster, {}, t.signal);
  });

  it('applies a set, keeps account of it, and can be watched', async (t) => {
    const { namespace, isGreeted, condition } = await stage(t, cluster.kubeconfig('admin'));
    const process = await CrsProcess.start(t, { kubeconfig, flags: [`--namespace=${namespace}`] });
    await process.ready(t.signal);
    await process.until(() => isGreeted('hello'), t.signal);
    await process.until(async () => (await read(BINDINGS, namespace, 'one', t.signal)) !== undefined, t.signal);
    await process.until(async () => (await condition()) !== undefined, t.signal);
    assert.equal((await process.get('/healthz', t.signal))?.status, 200);
    assert.equal((await process.get('/', t.signal))?.status, 404);
    const metrics = await process.metrics(t.signal);
    assert.match(
      metrics,
      /controller_runtime_reconcile_total\{controller="clusterresourceset",result="success"\} [1-9]/,
    );
    assert.match(metrics, /rest_client_requests_total\{code="201",method="POST"/);
    await process.stop();
    assert.match(await process.said(), /"stopped"/);
  });

  it('takes a new kubeconfig while it runs, and says that one was revoked', async (t) => {
    const { signal } = t;
    const accounts = await cluster.namespace(t, 'accounts');
    const kubeconfigOf = async (account: string): Promise<string> => {
      await create(CORE.serviceAccounts, accounts, { metadata: { name: account } }, signal);
      await bind(client, { accounts, account }, signal);
      const { status } = await client.request<{ status: { token: string } }>(
        {
          method: 'POST',
          path: `/api/v1/namespaces/${accounts}/serviceaccounts/${account}/token`,
          body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
        },
        signal,
      );
      return kubeconfigWith(cluster, status.token);
    };
    const { namespace, greet, isGreeted, condition } = await stage(t, await kubeconfigOf('first'));
    const process = await CrsProcess.start(t, {
      kubeconfig,
      flags: [`--namespace=${namespace}`, '--probe-interval=1s'],
    });
    await process.until(() => isGreeted('hello'), signal);

    await client.delete({ resource: CORE.serviceAccounts, namespace: accounts, name: 'first' }, {}, signal);
    // API servers cache a token for ten seconds, so this may take several attempts.
    for (let tries = 0; !(await condition())?.message.includes('UNAUTHORIZED'); tries += 1) {
      await greet(`refused ${tries}`);
      await delay(500, undefined, { signal });
      assert.ok(!process.hasEnded, await process.said());
    }

    const stringData = { value: await kubeconfigOf('second') };
    await client.patch(
      { resource: CORE.secrets, namespace, name: 'one-kubeconfig' },
      { type: 'merge', patch: { stringData } },
      {},
      signal,
    );
    await greet('renewed');
    await process.until(() => isGreeted('renewed'), signal);
    await process.until(async () => (await condition())?.message === '', signal);
  });

  it('works in one of two processes; the other takes over when it is stopped', async (t) => {
    const { namespace, greet, isGreeted } = await stage(t, cluster.kubeconfig('admin'));
    const flags = [
      `--namespace=${namespace}`,
      '--leader-elect',
      `--leader-elect-namespace=${namespace}`,
      '--leader-elect-retry-period=200ms',
    ];
    const first = await CrsProcess.start(t, { kubeconfig, flags });
    await first.until(() => isGreeted('hello'), t.signal);
    const second = await CrsProcess.start(t, { kubeconfig, flags });
    await second.ready(t.signal);
    const leads = /leader_election_master_status\{name="fleetshift-crs"\} 1/;
    assert.match(await first.metrics(t.signal), leads);
    assert.doesNotMatch(await second.metrics(t.signal), leads);
    await first.stop();
    await greet('again');
    await second.until(() => isGreeted('again'), t.signal);
    assert.match(await second.metrics(t.signal), leads);
  });

  it('knows a manager of Cluster API by what it writes, where there is nothing else to see of it', async (t) => {
    const program = await capiManager();
    if (program === undefined) return t.skip('there is no manager of Cluster API');
    const manager = await startCapiManager({ program, kubeconfig });
    t.after(() => manager.stop());
    const { condition } = await stage(t, cluster.kubeconfig('admin'));
    const deadline = AbortSignal.any([t.signal, AbortSignal.timeout(PATIENCE_MS)]);
    while ((await condition()) === undefined) await delay(100, undefined, { signal: deadline });
    const process = await CrsProcess.start(t, { kubeconfig });
    assert.match(await process.ended(deadline), /wrote the status of ClusterResourceSet/);
  });

  it('does not start beside a Deployment of Cluster API, unless they are kept apart', async (t) => {
    const { namespace, isGreeted } = await stage(t, cluster.kubeconfig('admin'));
    const manager = await create(CORE.deployments, namespace, theirs(['--namespace=elsewhere']), t.signal);
    const beside = await CrsProcess.start(t, { kubeconfig });
    const said = await beside.ended(t.signal);
    assert.match(said, /a Cluster API manager manages the same objects \(Deployment crs-/);
    assert.match(said, /start it with --watch-filter=A and fleetshift crs with --watch-filter=B/);
    const apart = await CrsProcess.start(t, { kubeconfig, flags: [`--namespace=${namespace}`] });
    await apart.until(() => isGreeted('hello'), t.signal);
    await client.delete({ resource: CORE.deployments, namespace, name: manager.metadata.name ?? '' }, {}, t.signal);
  });
});

function theirs(args: readonly string[]): object {
  const labels = { 'cluster.x-k8s.io/provider': 'cluster-api' };
  const containers = [{ name: 'manager', image: 'manager', args }];
  return {
    metadata: { name: 'capi-controller-manager', labels },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

async function bind(
  client: KubeClient,
  { accounts, account }: { readonly accounts: string; readonly account: string },
  signal: AbortSignal,
): Promise<void> {
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `${accounts}-${account}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: accounts }],
  };
  await client.create({ resource: CORE.clusterRoleBindings }, binding, {}, signal);
}

function kubeconfigWith({ server, ca }: TestCluster, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

function resource(group: string, plural: string, kind: string): Resource {
  return { group, version: 'v1beta2', plural, kind, namespaced: true };
}
