import { CORE, type KubeClient, type KubeObject } from '#kit/kube';

const WIDTH = 32;
const resource = CORE.configMaps;

/** Creates this many ConfigMaps of about a kilobyte in the namespace; returns the resource version just before the first. */
export async function seedObjects(
  client: KubeClient,
  { namespace, count }: { readonly namespace: string; readonly count: number },
  signal: AbortSignal,
): Promise<string> {
  const { metadata } = await client.list({ resource, namespace }, { limit: 1 }, signal);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      await client.create({ resource, namespace }, object(index), {}, signal);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  return metadata.resourceVersion;
}

/** Nearly all texts are distinct, as in practice. */
function object(index: number): KubeObject & { readonly data: Readonly<Record<string, string>> } {
  const data = Object.fromEntries(
    Array.from({ length: 5 }, (_, key) => [`key-${key}`, `${index}-${key}-${'v'.repeat(100)}`]),
  );
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `object-${index}`,
      labels: { app: 'bench', tier: `tier-${index % 10}`, shard: `shard-${index % 100}`, own: `own-${index}` },
      annotations: { 'example.io/checksum': `sum-${index}`, 'example.io/note': `a note on number ${index}` },
    },
    data,
  };
}
