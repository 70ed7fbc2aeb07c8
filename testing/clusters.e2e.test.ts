import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get, request } from 'node:https';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { clustersUnavailable, ownCluster, sharedCluster, type TestCluster } from '#testing/clusters';
import { ApiClient } from './clusters/api-client.ts';
import { portForward } from './clusters/testing/port-forward.ts';
import { PATIENCE_MS } from './patience.ts';

const skip = await clustersUnavailable();
const skipControllers = await clustersUnavailable('controllers');

describe('a shared cluster', { skip }, () => {
  it('is the same for everyone, and speaks TLS that its authority vouches for', async (t) => {
    const [one, other] = await Promise.all([
      sharedCluster('apiserver', t.signal),
      sharedCluster('apiserver', t.signal),
    ]);
    assert.equal(one.server, other.server);
    const api = apiOf(one);
    assert.deepEqual(
      Object.keys(await api.send<object>('GET', '/version', undefined, t.signal)).includes('gitVersion'),
      true,
    );
    await assert.rejects(once(get(`${one.server}/version`, { agent: false }), 'response'), {
      code: /VERIFY|SELF_SIGNED/,
    });
  });

  it('is not stopped by one of those who use it', async (t) => {
    const cluster = await sharedCluster('apiserver', t.signal);
    await assert.rejects(cluster.stop(), /ask for one of your own/);
    assert.throws(() => cluster.freeze(), /ask for one of your own/);
  });

  it('knows its users by their certificates, and gives them the rights that RBAC does', async (t) => {
    const cluster = await sharedCluster('apiserver', t.signal);
    const namespace = await cluster.namespace(t);
    const list = ['get', 'configmaps', '-n', namespace, '-o', 'name'];
    const refused = await cluster.kubectl(list, { user: 'ann' });
    assert.match(refused.stderr, /User "ann" cannot list resource "configmaps"/);
    assert.equal(refused.code, 1);
    await succeeds(cluster, ['create', 'role', 'reader', '-n', namespace, '--verb=list', '--resource=configmaps']);
    await succeeds(cluster, ['create', 'rolebinding', 'ann', '-n', namespace, '--role=reader', '--user=ann']);
    await until(async () => (await cluster.kubectl(list, { user: 'ann' })).code === 0, t.signal);
  });

  it('takes groups from a certificate', async (t) => {
    const cluster = await sharedCluster('apiserver', t.signal);
    const { cert, key } = cluster.clientCertificate('bob', ['team-a', 'team-b']);
    const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
    const review = request(`${cluster.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      method: 'POST',
      ca: cluster.ca,
      cert,
      key,
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': body.length },
    }).end(body);
    const [answer] = (await once(review, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await answer.toArray()).toString();
    const { status } = JSON.parse(text) as { status: { userInfo: { username: string; groups: string[] } } };
    assert.equal(status.userInfo.username, 'bob');
    assert.deepEqual(status.userInfo.groups.toSorted(), ['system:authenticated', 'team-a', 'team-b']);
  });
});

describe('a cluster with controllers', { skip: skipControllers }, () => {
  it('deletes namespaces, and what has lost its owner', async (t) => {
    const cluster = await sharedCluster('controllers', t.signal);
    const api = apiOf(cluster);
    const namespace = await cluster.namespace(t);
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    const owner = await api.send<Owner>('POST', maps, configMap('owner'), t.signal);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    await api.send('POST', maps, configMap('owned', { ownerReferences }), t.signal);
    await api.send('DELETE', `${maps}/owner`, undefined, t.signal);
    await until(async () => (await api.find(`${maps}/owned`, t.signal)) === undefined, t.signal);

    await api.send('DELETE', `/api/v1/namespaces/${namespace}`, undefined, t.signal);
    await until(async () => (await api.find(`/api/v1/namespaces/${namespace}`, t.signal)) === undefined, t.signal);
  });
});

describe('a cluster with nodes', { skip: await clustersUnavailable('nodes') }, () => {
  it('runs a Deployment, into whose Pods one can look', async (t) => {
    const cluster = await sharedCluster('nodes', t.signal);
    const namespace = await cluster.namespace(t);
    const here = ['-n', namespace];
    await succeeds(cluster, [...here, 'create', 'deployment', 'web', '--image=nginx', '--replicas=3']);
    await succeeds(cluster, [...here, 'rollout', 'status', 'deployment/web', '--timeout=20s']);
    assert.equal(await succeeds(cluster, [...here, 'exec', 'deployment/web', '--', 'echo', 'hello']), 'hello\n');
    assert.equal(await succeeds(cluster, [...here, 'logs', 'deployment/web']), 'this Pod is simulated\n');
    const port = await portForward(t, cluster, [...here, 'deployment/web', ':80']);
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    t.after(() => void socket.destroy());
    socket.write('hello');
    assert.deepEqual(await once(socket, 'data', { signal: t.signal }), ['hello']);
  });

  it('completes a Job', async (t) => {
    const cluster = await sharedCluster('nodes', t.signal);
    const namespace = await cluster.namespace(t);
    await succeeds(cluster, ['-n', namespace, 'create', 'job', 'once', '--image=busybox']);
    await succeeds(cluster, ['-n', namespace, 'wait', 'job/once', '--for=condition=complete', '--timeout=20s']);
  });

  it('places a Pod that selects its node by the labels that charts use', async (t) => {
    const cluster = await sharedCluster('nodes', t.signal);
    const namespace = await cluster.namespace(t);
    const arch = process.arch === 'x64' ? 'amd64' : process.arch;
    const nodeSelector = {
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': arch,
      'kubernetes.io/hostname': 'node-1',
      'topology.kubernetes.io/zone': 'zone-1',
    };
    const spec = JSON.stringify({ spec: { nodeSelector } });
    await succeeds(cluster, ['-n', namespace, 'run', 'choosy', '--image=nginx', `--overrides=${spec}`]);
    await succeeds(cluster, ['-n', namespace, 'wait', 'pod/choosy', '--for=condition=Ready', '--timeout=60s']);
  });

  it('lets a Pod fare as it is told', async (t) => {
    const cluster = await sharedCluster('nodes', t.signal);
    const namespace = await cluster.namespace(t);
    const fates = { crashes: 'CrashLoopBackOff', 'image-missing': 'ImagePullBackOff', fails: 'Error', unready: '' };
    for (const fate of Object.keys(fates)) {
      const annotation = `--annotations=testing.fleetshift/simulate=${fate}`;
      await succeeds(cluster, ['-n', namespace, 'run', fate, '--image=nginx', annotation]);
    }
    const seen = async (): Promise<Record<string, string | undefined>> => {
      const { items } = await apiOf(cluster).send<PodList>(
        'GET',
        `/api/v1/namespaces/${namespace}/pods`,
        undefined,
        t.signal,
      );
      return Object.fromEntries(items.map(({ metadata, status }) => [metadata.name, reasonOf(status)]));
    };
    await until(async () => Object.values(await seen()).every((reason) => reason !== undefined), t.signal);
    assert.deepEqual(await seen(), fates);
  });
});

describe('a cluster of one’s own', { skip }, () => {
  it('is stopped, frozen and given a new certificate as one likes', async (t) => {
    const cluster = await ownCluster(t, { size: 'apiserver', name: 'mine' }, t.signal);
    const api = apiOf(cluster);
    await t.test('it freezes, and goes on where it was', async () => {
      cluster.freeze();
      await assert.rejects(api.send('GET', '/version', undefined, AbortSignal.timeout(300)), { name: 'AbortError' });
      cluster.thaw();
      assert.ok(await api.send('GET', '/version', undefined, t.signal));
    });
    await t.test('it serves a renewed certificate without a restart', async () => {
      const before = await servedCertificate(cluster);
      cluster.renewServerCertificate();
      await until(async () => (await servedCertificate(cluster)) !== before, t.signal);
    });
    await t.test('it stops and comes back with its data, at the same address', async () => {
      await api.send('POST', '/api/v1/namespaces/default/configmaps', configMap('kept'), t.signal);
      await cluster.stop();
      await assert.rejects(api.send('GET', '/version', undefined, t.signal), { code: /ECONNREFUSED|ECONNRESET/ });
      await cluster.start();
      assert.ok(await api.find('/api/v1/namespaces/default/configmaps/kept', t.signal));
    });
  });

  it('is apart from the others, and takes flags that they do not want', async (t) => {
    const flags = { b: ['--anonymous-auth=false'] };
    const clusters = await Promise.all(
      (['a', 'b', 'c'] as const).map((name) =>
        ownCluster(t, { size: 'apiserver', name, ...(name === 'b' && { apiServerFlags: flags[name] }) }, t.signal),
      ),
    );
    const maps = '/api/v1/namespaces/default/configmaps';
    await Promise.all(clusters.map((each) => apiOf(each).send('POST', maps, configMap(each.name), t.signal)));
    for (const cluster of clusters) {
      const list = await apiOf(cluster).send<PodList>('GET', maps, undefined, t.signal);
      assert.deepEqual(
        list.items.map(({ metadata }) => metadata.name),
        [cluster.name],
      );
    }
    const strangerTo = (cluster: TestCluster): Promise<object> =>
      new ApiClient({ server: cluster.server, ca: cluster.ca, token: 'wrong' }).send(
        'GET',
        '/version',
        undefined,
        t.signal,
      );
    const [open, closed] = clusters;
    assert.ok(open && closed);
    await assert.rejects(apiOf(open, closed.server).send('GET', '/version', undefined, t.signal), {
      code: /VERIFY|SIGNATURE/,
    });
    await assert.rejects(strangerTo(closed), { status: 401 });
  });

  it('forgets its past when it is told to, if its etcd is its own', async (t) => {
    const size = 'apiserver';
    // With a watch cache, the server would answer from it.
    const apiServerFlags = ['--watch-cache=false'];
    const [cluster, other] = await Promise.all([
      ownCluster(t, { size, name: 'forgetful', ownEtcd: true, apiServerFlags }, t.signal),
      ownCluster(t, { size }, t.signal),
    ]);
    const api = apiOf(cluster);
    const maps = '/api/v1/namespaces/default/configmaps';
    const made = await api.send<Owner>('POST', maps, configMap('one'), t.signal);
    const then = `${maps}?resourceVersion=${made.metadata.resourceVersion}&resourceVersionMatch=Exact&limit=1`;
    await api.send('GET', then, undefined, t.signal);
    await api.send('POST', maps, configMap('two'), t.signal);
    await cluster.compact();
    await assert.rejects(api.send('GET', then, undefined, t.signal), { status: 410 });
    await assert.rejects(other.compact(), /ask for one of its own/);
  });

  it('can be reached over a bad line', async (t) => {
    const cluster = await sharedCluster('apiserver', t.signal);
    const [slow, cut] = await Promise.all([
      cluster.slowNetwork({ latencyMs: 20 }),
      cluster.slowNetwork({ cutAfterBytes: 100 }),
    ]);
    t.after(() => Promise.all([slow.close(), cut.close()]));
    assert.ok(await apiOf(cluster, slow.server).send('GET', '/version', undefined, t.signal));
    const lost = apiOf(cluster, cut.server).send('GET', '/version', undefined, t.signal);
    await assert.rejects(lost, 'everything goes over the line, and this one is cut in the handshake');
  });
});

describe('clustersUnavailable', () => {
  it('says once and aloud what to install', async () => {
    const script = `
      import { clustersUnavailable } from '#testing/clusters';
      console.log(await clustersUnavailable());
      console.log(await clustersUnavailable('nodes'));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: import.meta.dirname,
      env: { PATH: '/nowhere', XDG_CACHE_HOME: '/nowhere' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]).then((texts) =>
      texts.map((text) =>
        Buffer.concat(text as Buffer[])
          .toString()
          .trim()
          .split('\n'),
      ),
    );
    assert.equal(stdout?.length, 2);
    assert.match(stdout?.[0] ?? '', /there is no etcd, kube-apiserver, kubectl; install Go/);
    assert.equal(stderr?.length, 1);
    assert.match(stderr?.[0] ?? '', /^SKIPPED: .*install Go .*KUBEBUILDER_ASSETS/);
  });
});

interface Owner {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
}

interface PodList {
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly status: PodStatus }[];
}

interface PodStatus {
  readonly containerStatuses?: readonly { readonly state: Record<string, { readonly reason?: string }> }[];
}

/** The reason why the container does not run; undefined when it does. */
function reasonOf({ containerStatuses }: PodStatus): string | undefined {
  const state = containerStatuses?.[0]?.state;
  return state && (Object.values(state)[0]?.reason ?? '');
}

function apiOf(cluster: TestCluster, server = cluster.server): ApiClient {
  return new ApiClient({ server, ca: cluster.ca, token: cluster.adminToken });
}

function configMap(name: string, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } };
}

async function succeeds(cluster: TestCluster, args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await cluster.kubectl(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function servedCertificate({ server, ca }: TestCluster): Promise<string> {
  const asked = get(`${server}/version`, { ca, agent: false });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const { fingerprint256 } = (answer.socket as TLSSocket).getPeerCertificate();
  answer.resume();
  return fingerprint256;
}

/** Polls, because the change comes from other processes without a notification. */
async function until(isSo: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  while (!(await isSo())) await delay(50, undefined, { signal: limit });
}
