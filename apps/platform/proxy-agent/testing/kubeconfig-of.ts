import { parse } from 'yaml';
import type { TestCluster } from '#testing/clusters';

interface Part {
  readonly name: string;
  readonly [part: string]: unknown;
}

interface KubeconfigDocument {
  readonly clusters: readonly Part[];
  readonly users: readonly Part[];
}

/** One kubeconfig with a context for each cluster, and optional extra contexts. */
export function kubeconfigOf(
  clusters: Readonly<Record<string, Pick<TestCluster, 'kubeconfig'>>>,
  more: Readonly<Record<string, { readonly cluster: object; readonly user: object }>> = {},
): string {
  const parts = Object.entries(clusters).map(([name, its]) => {
    const {
      clusters: [cluster],
      users: [user],
    } = parse(its.kubeconfig()) as KubeconfigDocument;
    return { name, cluster: cluster?.['cluster'], user: user?.['user'] };
  });
  const all = [...parts, ...Object.entries(more).map(([name, its]) => ({ name, ...its }))];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': all[0]?.name,
    clusters: all.map(({ name, cluster }) => ({ name, cluster })),
    users: all.map(({ name, user }) => ({ name, user })),
    contexts: all.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
  });
}
