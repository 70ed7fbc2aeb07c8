import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clustersUnavailable, sharedCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { CORE } from './client/core-resources.ts';
import { createKubeClient } from './client/create-kube-client.ts';
import type { KubeObject } from './client/kube-object.ts';
import { parseKubeConfig } from './config/load-kube-config.ts';
import { waitFor } from './testing/wait-for.ts';

const skip = (await clustersUnavailable('nodes')) ?? false;

/** Knows nothing about its environment. */
const PROGRAM = `
  import { createKubeClient, loadKubeConfig } from ${JSON.stringify(import.meta.resolve('./index.ts'))};
  const signal = AbortSignal.timeout(${PATIENCE_MS});
  const config = await loadKubeConfig({ environment: process.env }, signal);
  const client = createKubeClient({ config });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { status } = await client.request({ method: 'POST', path, body }, signal);
  console.log(config.namespace, status.userInfo.username);
  await client.close();
`;

test('a program in a Pod finds its API server and is its service account', { skip }, async (t) => {
  const cluster = await sharedCluster('nodes', t.signal);
  const namespace = await cluster.namespace(t);
  const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
  t.after(() => client.close());
  const command = [process.execPath, '--input-type=module', '-e', PROGRAM];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'program' },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'fleetshift', command }] },
  };
  const ref = { resource: CORE.pods, namespace, name: 'program' };
  await waitFor(() => client.get({ resource: CORE.serviceAccounts, namespace, name: 'default' }, t.signal), t.signal);
  await client.create<KubeObject>(ref, pod, {}, t.signal);
  await waitFor(async () => assert.match(await phaseOf(), /Succeeded|Failed/), AbortSignal.timeout(PATIENCE_MS));
  const { stdout } = await cluster.kubectl(['-n', namespace, 'logs', 'program']);
  assert.equal(stdout, `${namespace} system:serviceaccount:${namespace}:default\n`);

  async function phaseOf(): Promise<string> {
    const { status } = await client.get<KubeObject & { status?: { phase?: string } }>(ref, t.signal);
    return status?.phase ?? '';
  }
});
