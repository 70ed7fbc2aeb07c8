import type { FakeResource } from './resources.ts';

/** Discovery documents, in the form that the request accepts; undefined for other paths. */
export function discoveryDocument(
  path: string,
  accept: string,
  resources: readonly FakeResource[],
): object | undefined {
  const core = resources.filter(({ group }) => group === '');
  const named = resources.filter(({ group }) => group !== '');
  const aggregated = accept.includes('as=APIGroupDiscoveryList');
  if (path === '/api') return aggregated ? aggregatedList(core) : { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') return aggregated ? aggregatedList(named) : { kind: 'APIGroupList', groups: groups(named) };
  const version = /^\/(?:api|apis)\/((?:[^/]+\/)?[^/]+)$/.exec(path)?.[1];
  const served = resources.filter((resource) => groupVersion(resource) === version);
  if (served.length === 0) return undefined;
  return { kind: 'APIResourceList', groupVersion: version, resources: served.flatMap(entries) };
}

function aggregatedList(resources: readonly FakeResource[]): object {
  const items = [...Map.groupBy(resources, ({ group }) => group)].map(([name, ofGroup]) => ({
    metadata: { name, creationTimestamp: null },
    versions: [...Map.groupBy(ofGroup, ({ version }) => version)].map(([version, ofVersion]) => ({
      version,
      resources: ofVersion.map(({ plural, kind, namespaced }) => ({
        resource: plural,
        responseKind: { group: '', version: '', kind },
        scope: namespaced ? 'Namespaced' : 'Cluster',
      })),
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function groups(resources: readonly FakeResource[]): object[] {
  return [...Map.groupBy(resources, ({ group }) => group)].map(([name, ofGroup]) => ({
    name,
    versions: [...new Set(ofGroup.map(groupVersion))].map((version) => ({ groupVersion: version })),
  }));
}

function entries({ plural, kind, namespaced, status }: FakeResource): object[] {
  const own = { name: plural, kind, namespaced };
  return status ? [own, { ...own, name: `${plural}/status` }] : [own];
}

function groupVersion({ group, version }: FakeResource): string {
  return group === '' ? version : `${group}/${version}`;
}
