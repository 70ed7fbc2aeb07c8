import { stringify } from 'yaml';
import type { InstalledObject } from '../../../install/agent-install.ts';

export interface BootstrapResourceSet {
  readonly name: string;
  /** Of the set and its Secret, on the management cluster: that of the Clusters. */
  readonly namespace: string;
  readonly selector: Readonly<Record<string, string>>;
  /** What makes a cluster a target, the token included. */
  readonly objects: readonly InstalledObject[];
}

const KEY = 'agent.yaml';

/**
 * The Secret and the ClusterResourceSet that name each other, in an order in which they can be applied.
 *
 * DECISION: it is applied once. Agents are upgraded by deployments, as targets are; a later token, which is for clusters
 * that are yet to come, must not start those anew that are there; and the strategy of a set cannot be changed, so that one
 * has to be chosen for good.
 */
export function bootstrapResourceSet(options: BootstrapResourceSet): readonly InstalledObject[] {
  const { name, namespace, selector, objects } = options;
  const metadata = { name, namespace, labels: { 'app.kubernetes.io/part-of': 'fleetshift' } };
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      type: 'addons.cluster.x-k8s.io/resource-set',
      stringData: { [KEY]: yamlOf(objects) },
    },
    {
      apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
      kind: 'ClusterResourceSet',
      metadata,
      spec: {
        strategy: 'ApplyOnce',
        clusterSelector: { matchLabels: selector },
        resources: [{ kind: 'Secret', name }],
      },
    },
  ];
}

export function yamlOf(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
}
