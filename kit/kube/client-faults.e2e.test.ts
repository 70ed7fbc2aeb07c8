import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Secret } from '#kit/std';
import { clustersUnavailable, ownCluster, sharedCluster, type TestCluster } from '#testing/clusters';
import { CORE } from './client/core-resources.ts';
import { createKubeClient } from './client/create-kube-client.ts';
import type { KubeClient } from './client/kube-client.ts';
import type { KubeObject } from './client/kube-object.ts';
import type { KubeConfig } from './config/kube-config.ts';
import { loadKubeConfig, parseKubeConfig } from './config/load-kube-config.ts';
import { type ConfigMap, configMap } from './testing/contract/stage.ts';
import { waitFor } from './testing/wait-for.ts';

const unavailable = await clustersUnavailable('apiserver');
const signal = new AbortController().signal;
const EXEC_V1 = 'client.authentication.k8s.io/v1';
type Test = { after(fn: () => Promise<void> | void): void };

describe('the client on a real API server that fails', unavailable === undefined ? {} : { skip: unavailable }, () => {
  let cluster: TestCluster;
  let folder: string;
  before(async () => {
    cluster = await sharedCluster('apiserver', signal);
    folder = mkdtempSync(join(tmpdir(), 'fleetshift-client-faults-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const admin = (): KubeConfig => parseKubeConfig(cluster.kubeconfig());
  const open = (t: Test, options: Parameters<typeof createKubeClient>[0]): KubeClient => {
    const client = createKubeClient(options);
    t.after(() => client.close());
    return client;
  };

  it('loses nothing when a watch is cut at any byte', async (t) => {
    const direct = open(t, { config: admin() });
    const ref = { resource: CORE.configMaps, namespace: await cluster.namespace(t) };
    const { metadata } = await direct.list(ref, {}, signal);
    const names = Array.from({ length: 8 }, (_, index) => `c-${index}`);
    for (const name of names) await direct.create(ref, configMap(name, { name, text: 'ü𝄞'.repeat(50) }), {}, signal);
    // From before the end of the handshake to after the last event.
    for (let cutAfterBytes = 0; cutAfterBytes < 16_000; cutAfterBytes += 977) {
      const network = await cluster.slowNetwork({ cutAfterBytes });
      const client = createKubeClient({ config: { ...admin(), server: network.server } });
      const seen: string[] = [];
      let [resourceVersion, breaks] = [metadata.resourceVersion, 0];
      const read = async (from: KubeClient): Promise<void> => {
        for await (const event of from.watch<ConfigMap>(ref, { resourceVersion }, signal)) {
          assert.ok(event.type === 'ADDED');
          assert.equal(event.object.data?.['name'], event.object.metadata.name);
          seen.push(event.object.metadata.name ?? '');
          resourceVersion = event.object.metadata.resourceVersion ?? '';
          if (seen.length === names.length) return;
        }
      };
      try {
        await read(client);
      } catch (error) {
        assert.match(
          (error as { code: string }).code,
          /^CONNECTION_(LOST|REFUSED)$/,
          `cut after ${cutAfterBytes} bytes`,
        );
        breaks += 1;
      }
      if (seen.length < names.length) await read(direct);
      assert.deepEqual(seen, names, `cut after ${cutAfterBytes} bytes`);
      if (cutAfterBytes < 4000) assert.equal(breaks, 1, `it was cut after ${cutAfterBytes} bytes`);
      await client.close();
      await network.close();
    }
  });

  it('gets through a storm of 429', async (t) => {
    const apiServerFlags = [
      '--max-requests-inflight=2',
      '--max-mutating-requests-inflight=1',
      '--enable-priority-and-fairness=false',
    ];
    const own = await ownCluster(t, { size: 'apiserver', name: 'storm', apiServerFlags }, signal);
    // The server exempts its administrators from its limits.
    await allowEverything(open(t, { config: parseKubeConfig(own.kubeconfig()) }), 'ordinary');
    const codes: string[] = [];
    const client = open(t, {
      config: parseKubeConfig(own.kubeconfig('ordinary')),
      observe: ({ code }) => codes.push(code),
    });
    const ref = { resource: CORE.configMaps, namespace: 'default' };
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, index) => client.create(ref, configMap(`storm-${index}`), {}, signal)),
    );
    assert.equal(new Set(made.map(({ metadata }) => metadata.uid)).size, 60);
    assert.ok(codes.includes('429'), 'there was a storm');
  });

  it('gets a new token from its plugin when the old one is refused', async (t) => {
    const namespace = await cluster.namespace(t);
    const direct = open(t, { config: admin() });
    const [dead, live] = [
      await accountToken(direct, namespace, 'first'),
      await accountToken(direct, namespace, 'second'),
    ];
    await direct.delete({ resource: CORE.serviceAccounts, namespace, name: 'first' }, {}, signal);
    const plugged = async (...tokens: string[]): Promise<KubeClient> => {
      const file = join(folder, 'exec.kubeconfig');
      const exec = { apiVersion: EXEC_V1, command: writePlugin(folder, tokens), interactiveMode: 'Never' };
      writeFileSync(file, kubeconfigWith(cluster, { exec }));
      return open(t, { config: await loadKubeConfig({ file, environment: { PATH: process.env['PATH'] } }, signal) });
    };
    const client = await plugged(dead, live, dead);
    const who = await Promise.all(Array.from({ length: 5 }, () => whoAmI(client)));
    assert.deepEqual(new Set(who), new Set([`system:serviceaccount:${namespace}:second`]));
    assert.equal(readFileSync(join(folder, 'runs'), 'utf8'), 'run\nrun\n', 'once for each token, whoever wanted it');
    await assert.rejects(
      whoAmI(await plugged(dead, dead, live)),
      { code: 'UNAUTHORIZED' },
      'asked again once, not for ever',
    );
  });

  it('presents a rotated client certificate, without a restart and without losing its watch', async (t) => {
    const files = { 'client-certificate': join(folder, 'me.crt'), 'client-key': join(folder, 'me.key') };
    const rotate = (user: string): void => {
      const { cert, key } = cluster.clientCertificate(user, ['system:masters']);
      writeFileSync(files['client-certificate'], cert);
      writeFileSync(files['client-key'], key);
    };
    rotate('before');
    const file = join(folder, 'certificate.kubeconfig');
    writeFileSync(file, kubeconfigWith(cluster, files));
    let now = Date.now();
    const client = open(t, {
      config: await loadKubeConfig({ file, environment: {} }, signal),
      clock: { now: () => now },
    });
    assert.equal(await whoAmI(client), 'before');
    const ref = { resource: CORE.configMaps, namespace: await cluster.namespace(t) };
    const { metadata } = await client.list(ref, {}, signal);
    const watching = firstName(client, ref, metadata.resourceVersion);
    rotate('after');
    assert.equal(await whoAmI(client), 'before', 'files are not looked at for each request');
    now += 10_000;
    assert.equal(await whoAmI(client), 'after');
    await client.create(ref, configMap('one'), {}, signal);
    assert.equal(await watching, 'one');
  });

  it('ends at its deadline when the server is frozen, and goes on when it thaws', async (t) => {
    const own = await ownCluster(t, { size: 'apiserver', name: 'frozen' }, signal);
    const config = parseKubeConfig(own.kubeconfig());
    const patient = open(t, { config });
    const ref = { resource: CORE.configMaps, namespace: 'default' };
    const { metadata } = await patient.list(ref, {}, signal);
    await patient.create(ref, configMap('first'), {}, signal);
    // Long enough for a busy machine to start the watch before the freeze.
    const client = open(t, { config, limits: { timeoutMs: 3000, pingIntervalMs: 500, pingTimeoutMs: 3000 } });
    const watch = client.watch(ref, metadata, signal)[Symbol.asyncIterator]();
    await watch.next();
    own.freeze();
    const [read, write, event] = await Promise.allSettled([
      client.list(ref, {}, signal),
      client.create(ref, configMap('frozen'), {}, signal),
      watch.next(),
    ]);
    assert.equal(read.status === 'rejected' && read.reason.code, 'TIMED_OUT');
    assert.equal(write.status === 'rejected' && write.reason.code, 'OUTCOME_UNKNOWN');
    assert.equal(event.status === 'rejected' && event.reason.code, 'CONNECTION_LOST', 'the ping was not answered');
    own.thaw();
    await waitFor(() => client.list(ref, {}, signal), signal);
  });

  it('is whom it impersonates', async (t) => {
    const impersonate = { user: 'jane', uid: '42', groups: ['dev', 'ops'], extra: { 'example.com/scope': ['a', 'b'] } };
    const client = open(t, { config: { ...admin(), impersonate } });
    const namespace = await cluster.namespace(t);
    await assert.rejects(client.list({ resource: CORE.secrets, namespace }, {}, signal), { code: 'FORBIDDEN' });
    const { status } = await review(client);
    assert.deepEqual(status.userInfo.extra, { 'example.com/scope': ['a', 'b'] });
    assert.equal(status.userInfo.uid, '42');
    assert.deepEqual(status.userInfo.groups, ['dev', 'ops', 'system:authenticated']);
  });

  it('tells a server whose certificate it does not trust from one that is not there', async (t) => {
    const { ca: _, ...untrusted } = admin();
    await assert.rejects(whoAmI(open(t, { config: untrusted })), { code: 'CERTIFICATE_REFUSED' });
    const nobody = { ...admin(), identity: { token: { kind: 'text', text: new Secret('nonsense') } } } as const;
    await assert.rejects(whoAmI(open(t, { config: nobody })), { code: 'UNAUTHORIZED' });
  });
});

interface Review extends KubeObject {
  readonly status: {
    readonly userInfo: {
      readonly username: string;
      readonly uid?: string;
      readonly groups: string[];
      readonly extra?: object;
    };
  };
}

function review(client: KubeClient): Promise<Review> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  return client.request<Review>({ method: 'POST', path, body }, signal);
}

async function whoAmI(client: KubeClient): Promise<string> {
  return (await review(client)).status.userInfo.username;
}

async function accountToken(client: KubeClient, namespace: string, name: string): Promise<string> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  await client.create({ resource: CORE.serviceAccounts, namespace }, account, {}, signal);
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } };
  return (await client.request<{ status: { token: string } }>({ method: 'POST', path, body }, signal)).status.token;
}

async function allowEverything(client: KubeClient, user: string): Promise<void> {
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `all-${user}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
  await client.create({ resource: CORE.clusterRoleBindings }, binding, {}, signal);
}

async function firstName(
  client: KubeClient,
  ref: { resource: typeof CORE.configMaps; namespace: string },
  resourceVersion: string,
) {
  for await (const event of client.watch(ref, { resourceVersion }, signal)) {
    if (event.type === 'ADDED') return event.object.metadata.name;
  }
  throw new Error('the watch ended');
}

/** A program that prints the first token, then the second, and so on; it appends a line to `runs` each time. */
function writePlugin(folder: string, tokens: readonly string[]): string {
  for (const [index, token] of tokens.entries()) writeFileSync(join(folder, `token-${index + 1}`), token);
  const [path, runs] = [join(folder, 'plugin'), join(folder, 'runs')];
  const credential = `{"kind":"ExecCredential","apiVersion":"${EXEC_V1}","status":{"token":"%s"}}`;
  const print = `printf '${credential}' "$(cat ${folder}/token-$(wc -l < ${runs} | tr -d ' '))"`;
  writeFileSync(path, `#!/bin/sh\necho run >> ${runs}\n${print}\n`);
  writeFileSync(runs, '');
  chmodSync(path, 0o700);
  return './plugin';
}

function kubeconfigWith({ server, ca }: TestCluster, user: object): string {
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return JSON.stringify({
    'current-context': 'c',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  });
}
