import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clustersUnavailable, ownCluster, sharedCluster, type TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '../../patience.ts';
import { ApiClient } from '../api-client.ts';
import { portForward } from '../testing/port-forward.ts';

describe('Pods of our own image', { skip: await clustersUnavailable('nodes') }, () => {
  it('serve as a Deployment, with settings from Secrets and ConfigMaps, until they are deleted', async (t) => {
    const { cluster, namespace, apply, kubectl } = await place(t);
    await apply(
      { kind: 'Secret', metadata: { name: 'admin' }, stringData: { token: TOKEN } },
      { kind: 'ConfigMap', metadata: { name: 'settings' }, data: { level: 'debug' } },
      platformDeployment(),
    );
    await kubectl('rollout', 'status', 'deployment/platform', '--timeout=60s');
    const port = await portForward(t, cluster, [...here(namespace), 'deployment/platform', ':http']);
    const statusWith = async (authorization: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/v1/workspaces`, { headers: { authorization }, signal: t.signal })).status;
    assert.equal(await statusWith('Bearer fst_another-token-of-many-characters'), 401);
    assert.equal(await statusWith(`Bearer ${TOKEN}`), 200, 'the token is that of the Secret');
    assert.match(await kubectl('logs', 'deployment/platform'), /serving/);

    const addresses = (await kubectl('get', 'pods', '-o', 'jsonpath={.items[*].status.podIP}')).split(' ');
    assert.equal(addresses.length, 2, 'each has its port 8700');
    for (const address of addresses) assert.ok((await fetch(`http://${address}:8700/readyz`, { signal: t.signal })).ok);
    await kubectl('delete', 'deployment', 'platform', '--cascade=foreground', '--timeout=40s');
    for (const address of addresses) await assert.rejects(fetch(`http://${address}:8700/readyz`, { signal: t.signal }));
  });

  it('find what a kubelet would give them', async (t) => {
    const { cluster, namespace, apply, kubectl } = await place(t);
    const script = [
      'cd /var/run/secrets/kubernetes.io/serviceaccount && cat namespace && echo',
      'echo "$NAME $WORD $LEVEL $PREFIXED_level $BOTH" && cat /etc/settings/nested/level && echo',
      'test -d /scratch && grep -q BEGIN ca.crt && test "$SERVICE_ACCOUNT_FOLDER" = "$PWD" && cat token',
    ].join('; ');
    await apply(
      { kind: 'Secret', metadata: { name: 'secret' }, stringData: { word: 'hush' } },
      { kind: 'ConfigMap', metadata: { name: 'settings' }, data: { level: 'debug' } },
      pod('reader', {
        restartPolicy: 'Never',
        containers: [
          {
            ...ours('main', script),
            env: VARIABLES,
            envFrom: [{ prefix: 'PREFIXED_', configMapRef: { name: 'settings' } }],
            volumeMounts: MOUNTS,
          },
        ],
        volumes: [
          { name: 'settings', configMap: { name: 'settings', items: [{ key: 'level', path: 'nested/level' }] } },
          { name: 'scratch', emptyDir: {} },
        ],
      }),
    );
    await kubectl('wait', 'pod/reader', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=20s');
    const [seen, variables, level, token = ''] = (await kubectl('logs', 'reader')).split('\n');
    assert.deepEqual([seen, variables, level], [namespace, 'reader hush debug debug hush-debug', 'debug']);
    const api = new ApiClient({ server: cluster.server, ca: cluster.ca, token });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { status } = await api.send<Review>('POST', path, review, t.signal);
    assert.equal(status.userInfo.username, `system:serviceaccount:${namespace}:default`);
  });

  it('are started again when they end or stop answering, later each time', async (t) => {
    const { apply, untilPod } = await place(t);
    const livenessProbe = { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1 };
    await apply(
      pod('crashes', { containers: [ours('main', 'exit 3')] }),
      pod('hangs', {
        terminationGracePeriodSeconds: 1,
        containers: [{ ...ours('main', 'sleep 1000'), livenessProbe }],
      }),
    );
    await untilPod(
      'crashes',
      ({ state, lastState, restartCount }) =>
        restartCount > 0 && state.waiting?.reason === 'CrashLoopBackOff' && lastState.terminated?.exitCode === 3,
    );
    await untilPod(
      'hangs',
      ({ restartCount, lastState }) => restartCount > 0 && lastState.terminated?.exitCode === 143,
    );
  });

  it('wait for what they are to mount, and see it change', async (t) => {
    const { apply, kubectl, untilPod } = await place(t);
    const script = 'until grep -q second /etc/late/word; do sleep 0.1; done';
    await apply(
      pod('waits', {
        restartPolicy: 'Never',
        containers: [{ ...ours('main', script), volumeMounts: [{ name: 'late', mountPath: '/etc/late' }] }],
        volumes: [{ name: 'late', secret: { secretName: 'late' } }],
      }),
    );
    await untilPod('waits', ({ state }) => state.waiting?.reason === 'CreateContainerConfigError');
    await apply({ kind: 'Secret', metadata: { name: 'late' }, stringData: { word: 'first' } });
    await untilPod('waits', ({ state }) => state.running !== undefined);
    await apply({ kind: 'Secret', metadata: { name: 'late' }, stringData: { word: 'second' } });
    await kubectl('wait', 'pod/waits', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=20s');
  });

  it('go on while the API server is away, and are deleted when it is back', async (t) => {
    const cluster = await ownCluster(t, { size: 'nodes', name: 'restarted' }, t.signal);
    const { apply, kubectl, untilPod } = await placeOn(t, cluster);
    await apply(pod('stays', { terminationGracePeriodSeconds: 0, containers: [ours('main', 'sleep 1000')] }));
    await untilPod('stays', ({ state }) => state.running !== undefined);
    await cluster.restart();
    await apply(pod('comes', { restartPolicy: 'Never', containers: [ours('main', 'true')] }));
    await kubectl('wait', 'pod/comes', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=20s');
    await untilPod('stays', ({ state, restartCount }) => state.running !== undefined && restartCount === 0);
    await kubectl('delete', 'pod', 'stays', '--timeout=20s');
  });

  it('run their init containers first, one after another', async (t) => {
    const { apply, kubectl } = await place(t);
    const volumeMounts = [{ name: 'shared', mountPath: '/shared' }];
    const write = (name: string): object => ({ ...ours(name, `echo ${name} >> /shared/order`), volumeMounts });
    await apply(
      pod('ordered', {
        restartPolicy: 'Never',
        initContainers: [write('first'), write('second')],
        containers: [{ ...ours('main', 'cat /shared/order'), volumeMounts }],
        volumes: [{ name: 'shared', emptyDir: {} }],
      }),
    );
    await kubectl('wait', 'pod/ordered', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=20s');
    assert.equal(await kubectl('logs', 'ordered', '-c', 'main'), 'first\nsecond\n');
  });
});

const TOKEN = 'fst_a-token-of-thirty-two-characters';
const VARIABLES = [
  { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'WORD', valueFrom: { secretKeyRef: { name: 'secret', key: 'word' } } },
  { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } },
  { name: 'BOTH', value: '$(WORD)-$(LEVEL)' },
];
const MOUNTS = [
  { name: 'settings', mountPath: '/etc/settings' },
  { name: 'scratch', mountPath: '/scratch' },
];

function platformDeployment(): object {
  const args = ['serve', '--listen=0.0.0.0:8700', '--insecure-http', '--tls-listen=none', '--data=/var/lib/fleetshift'];
  const container = {
    name: 'platform',
    image: 'registry.test/fleetshift:dev',
    args: [...args, '--admin-token-file=/etc/fleetshift/token', '--log-level=$(LEVEL)'],
    env: [{ name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } }],
    ports: [{ name: 'http', containerPort: 8700 }],
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
    volumeMounts: [
      { name: 'data', mountPath: '/var/lib/fleetshift' },
      { name: 'token', mountPath: '/etc/fleetshift/' },
    ],
  };
  const volumes = [
    { name: 'data', emptyDir: {} },
    { name: 'token', secret: { secretName: 'admin', defaultMode: 0o400 } },
  ];
  const labels = { app: 'platform' };
  const template = { metadata: { labels }, spec: { containers: [container], volumes } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'platform' }, spec };
}

function pod(name: string, spec: object): object {
  return { kind: 'Pod', metadata: { name }, spec };
}

function ours(name: string, script: string): object {
  return { name, image: 'fleetshift', command: ['/bin/sh', '-c', script] };
}

interface Review {
  readonly status: { readonly userInfo: { readonly username: string } };
}

interface State {
  readonly waiting?: { readonly reason: string };
  readonly running?: object;
  readonly terminated?: { readonly exitCode: number };
}

interface ContainerStatus {
  readonly state: State;
  readonly lastState: State;
  readonly restartCount: number;
}

const here = (namespace: string): string[] => ['-n', namespace];

interface Place {
  readonly cluster: TestCluster;
  readonly namespace: string;
  readonly apply: (...objects: object[]) => Promise<void>;
  /** Returns the output. */
  readonly kubectl: (...args: string[]) => Promise<string>;
  readonly untilPod: (name: string, isSo: (status: ContainerStatus) => boolean) => Promise<void>;
}

async function place(t: TestContext): Promise<Place> {
  return await placeOn(t, await sharedCluster('nodes', t.signal));
}

async function placeOn(t: TestContext, cluster: TestCluster): Promise<Place> {
  const namespace = await cluster.namespace(t);
  const run = async (args: readonly string[], input = ''): Promise<string> => {
    const { stdout, stderr, code } = await cluster.kubectl([...here(namespace), ...args], { input, signal: t.signal });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const api = new ApiClient({ server: cluster.server, ca: cluster.ca, token: cluster.adminToken });
  return {
    cluster,
    namespace,
    apply: async (...objects) => {
      const items = objects.map((object) => ({ apiVersion: 'v1', ...object }));
      await run(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    },
    kubectl: (...args) => run(args),
    untilPod: async (name, isSo) => {
      const limit = AbortSignal.any([t.signal, AbortSignal.timeout(PATIENCE_MS)]);
      for (;;) {
        const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
        const { status } = await api.send<{ status: { containerStatuses?: ContainerStatus[] } }>(
          'GET',
          path,
          undefined,
          limit,
        );
        const [container] = status.containerStatuses ?? [];
        if (container && isSo(container)) return;
        await delay(50, undefined, { signal: limit });
      }
    },
  };
}
