import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalJson } from '#kit/std';
import { lookAgainMs } from '#testing/look-again';
import { ApiAnswerError, ApiClient, type ApiObject } from './api-client.ts';
import type { TestCluster } from './test-cluster.ts';

/** The name of each object, with its uid and a hash of its contents. */
export type ClusterInventory = ReadonlyMap<string, string>;

/** Kinds whose objects come and go by themselves, whatever an agent does. */
const UNSTEADY: readonly string[] = [
  'events',
  'events.events.k8s.io',
  'leases.coordination.k8s.io',
  'componentstatuses',
];
/** Kinds whose fields others keep writing outside of `status`: only their identity counts. */
const RESTLESS: readonly string[] = ['nodes'];
/** All that an agent leaves: what it has seen of each deployment, and what Kubernetes puts into every namespace. */
const OF_THE_AGENT =
  /^(namespaces fleetshift-system|(secrets fleetshift-system\/fleetshift-(inventory|order)-.*|configmaps fleetshift-system\/kube-root-ca\.crt|serviceaccounts fleetshift-system\/default))$/;

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

interface GroupList {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: { readonly groupVersion: string } }[];
}

/** Every object of every kind that the server serves, but for the kinds that are never steady. */
export async function clusterInventory(cluster: TestCluster, signal: AbortSignal): Promise<ClusterInventory> {
  const api = new ApiClient({ server: cluster.server, ca: cluster.ca, token: cluster.adminToken });
  try {
    const { groups } = await api.send<GroupList>('GET', '/apis', undefined, signal);
    const served = groups.map(({ name, preferredVersion }) => ({
      group: name,
      path: `/apis/${preferredVersion.groupVersion}`,
    }));
    const found = new Map<string, string>();
    for (const { group, path } of [{ group: '', path: '/api/v1' }, ...served]) {
      // A group that has just been removed may still be listed.
      const list = await api.find<ResourceList>(path, signal);
      for (const { name, verbs } of list?.resources ?? []) {
        const kind = group === '' ? name : `${name}.${group}`;
        if (name.includes('/') || !verbs.includes('list') || UNSTEADY.includes(kind)) continue;
        const objects = await listed(api, `${path}/${name}`, signal);
        for (const object of objects) found.set(...entryOf(kind, object));
      }
    }
    return found;
  } finally {
    api.close();
  }
}

/** A kind whose definition is new answers 429 until its storage is ready. One whose definition has just gone has no objects. */
async function listed(api: ApiClient, path: string, signal: AbortSignal): Promise<readonly ApiObject[]> {
  const begun = performance.now();
  for (;;) {
    try {
      return (await api.find<{ readonly items: readonly ApiObject[] }>(path, signal))?.items ?? [];
    } catch (error) {
      if (!(error instanceof ApiAnswerError && error.status === 429)) throw error;
      await delay(lookAgainMs(begun), undefined, { signal });
    }
  }
}

/** The differences, one line each; those that the agent keeps for itself are left out. */
export function differences(before: ClusterInventory, after: ClusterInventory): readonly string[] {
  const gone = [...before.keys()].filter((key) => !after.has(key)).map((key) => `gone: ${key}`);
  const left = [...after.keys()]
    .filter((key) => !before.has(key) && !OF_THE_AGENT.test(key))
    .map((key) => `left: ${key}`);
  const changed = [...before].flatMap(([key, state]) => {
    const now = after.get(key);
    return now === undefined || now === state ? [] : [`changed: ${key}: ${state} is ${now}`];
  });
  return [...gone, ...left, ...changed].toSorted();
}

function entryOf(kind: string, object: ApiObject): [key: string, state: string] {
  const { name, namespace, uid } = object.metadata;
  const key = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  return [key, RESTLESS.includes(kind) ? String(uid) : `${uid} ${contentsOf(object)}`];
}

function contentsOf({ metadata, ...object }: ApiObject): string {
  const body = without(object, ['status']);
  const kept = without(metadata, ['resourceVersion', 'managedFields', 'generation']);
  return hash('sha256', canonicalJson({ ...body, metadata: kept }), 'hex').slice(0, 12);
}

function without(object: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}
