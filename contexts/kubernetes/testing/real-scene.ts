import { CORE, createKubeClient, type KubeClient, type KubeObject, parseKubeConfig } from '#kit/kube';
import { sleep } from '#kit/std';
import { type ClusterSize, sharedCluster, type TestCluster } from '#testing/clusters';
import { openCluster } from '../adapters/open-cluster.ts';
import type { ClusterPorts } from '../application/ports.ts';

/** A separate namespace in a real cluster. */
export interface RealScene {
  readonly cluster: TestCluster;
  readonly client: KubeClient;
  readonly namespace: string;
  readonly ports: ClusterPorts;
  readonly close: () => Promise<void>;
}

export async function realScene(size: ClusterSize, signal: AbortSignal): Promise<RealScene> {
  return await sceneIn(await sharedCluster(size, signal), signal);
}

export async function sceneIn(cluster: TestCluster, signal: AbortSignal): Promise<RealScene> {
  const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
  const cleanups: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const clean of cleanups) await clean();
    await client.close();
  };
  const namespace = await cluster.namespace({ after: (body) => cleanups.push(async () => await body()) });
  return { cluster, client, namespace, ports: await openCluster({ client, namespace }, signal), close };
}

/** Polls until the condition holds. */
export async function eventually(body: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await body())) await sleep(50, signal);
}

export async function mapNamed(
  { client, namespace }: RealScene,
  name: string,
  signal: AbortSignal,
): Promise<KubeObject & { readonly data?: Readonly<Record<string, string>> }> {
  return await client.get({ resource: CORE.configMaps, namespace, name }, signal);
}
