import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../clusters/api-client.ts';
import type { TestCluster } from '../clusters/test-cluster.ts';
import type { Definition } from './definitions.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LOOK_MS = 50;

/** Installs the definitions on a cluster without them, and waits until all are served. */
export async function installDefinitions(
  cluster: Pick<TestCluster, 'server' | 'ca' | 'adminToken'>,
  definitions: readonly Definition[],
  signal: AbortSignal,
): Promise<void> {
  const api = new ApiClient({ server: cluster.server, ca: cluster.ca, token: cluster.adminToken });
  try {
    await Promise.all(
      definitions.map(async (definition) => {
        await api.send('POST', PATH, definition, signal);
        while (!(await isServed(api, definition, signal))) await delay(LOOK_MS, undefined, { signal });
      }),
    );
  } finally {
    api.close();
  }
}

/** `Established` is set shortly before lists work, and lists work before clients can discover the kind. */
async function isServed(api: ApiClient, { spec }: Definition, signal: AbortSignal): Promise<boolean> {
  const { plural } = spec.names;
  const version = `/apis/${spec.group}/${spec.versions.find(({ storage }) => storage)?.name}`;
  const known = await api.find<{ readonly resources: readonly { readonly name: string }[] }>(version, signal);
  const isKnown = known?.resources.some(({ name }) => name === plural) === true;
  return isKnown && (await api.answers(`${version}/${plural}?limit=1`, signal));
}
