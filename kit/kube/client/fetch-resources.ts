import { isKubeError } from '../kube-error.ts';
import { groupAndVersion } from './api-paths.ts';
import type { Resource } from './kube-object.ts';

export type GetJson = <T>(
  request: { readonly path: string; readonly accept?: string },
  signal: AbortSignal,
) => Promise<T>;

interface AggregatedDiscovery {
  readonly kind: 'APIGroupDiscoveryList';
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly { readonly version: string; readonly resources?: readonly AggregatedResource[] }[];
  }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope?: string;
}

interface ApiVersions {
  readonly kind: 'APIVersions';
  readonly versions: readonly string[];
}

interface ApiGroupList {
  readonly kind: 'APIGroupList';
  readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
}

interface ApiResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** All kinds that the server serves, without subresources: two requests, or one per group for servers before 1.27. */
export async function fetchResources(get: GetJson, signal: AbortSignal): Promise<Resource[]> {
  const [core, groups] = await Promise.all([
    get<AggregatedDiscovery | ApiVersions>({ path: '/api', accept: AGGREGATED }, signal),
    get<AggregatedDiscovery | ApiGroupList>({ path: '/apis', accept: AGGREGATED }, signal),
  ]);
  const parts = await Promise.all([
    core.kind === 'APIGroupDiscoveryList'
      ? aggregated(core)
      : each(core.versions, (version) => oneVersion(version, `/api/${version}`, get, signal)),
    groups.kind === 'APIGroupDiscoveryList'
      ? aggregated(groups)
      : each(
          groups.groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion)),
          (version) => oneVersion(version, `/apis/${version}`, get, signal),
        ),
  ]);
  return parts.flat();
}

function aggregated({ items = [] }: AggregatedDiscovery): Resource[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.map(({ resource, responseKind, scope }) => ({
        group: metadata?.name ?? '',
        version,
        plural: resource,
        kind: responseKind?.kind ?? '',
        namespaced: scope === 'Namespaced',
      })),
    ),
  );
}

async function each<T>(items: readonly T[], body: (item: T) => Promise<Resource[]>): Promise<Resource[]> {
  return (await Promise.all(items.map(body))).flat();
}

async function oneVersion(apiVersion: string, path: string, get: GetJson, signal: AbortSignal): Promise<Resource[]> {
  try {
    const { resources } = await get<ApiResourceList>({ path }, signal);
    return resources
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, kind, namespaced }) => ({ ...groupAndVersion(apiVersion), plural: name, kind, namespaced }));
  } catch (error) {
    // An aggregated server that is down hides only its own kinds.
    if (isKubeError(error, 'SERVICE_UNAVAILABLE', 'NOT_FOUND')) return [];
    throw error;
  }
}
