import { test } from 'node:test';
import { clustersUnavailable, sharedCluster } from '#testing/clusters';
import { createKubeClient, parseKubeConfig } from '../index.ts';
import { tryCopies } from './testing/try-copies.ts';

const skip = (await clustersUnavailable('controllers')) ?? false;

test('the example does on a real cluster what it says', { skip }, async (t) => {
  const cluster = await sharedCluster('controllers', t.signal);
  const namespace = await cluster.namespace(t, 'example');
  const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
  t.after(() => client.close());
  await tryCopies(client, namespace);
});
