import { stringify } from 'yaml';
import type { InstalledObject } from '#runtime/install/agent-install';

export interface BootstrapResourceSet {
  readonly name: string;
  /** The name of both the ClusterResourceSet and its Secret on the management cluster. */
  readonly namespace: string;
  readonly selector: Readonly<Record<string, string>>;
  /** The manifest that makes a cluster a target, including the token. */
  readonly objects: readonly InstalledObject[];
}

const KEY = 'agent.yaml';

/**
 * The Secret and the ClusterResourceSet, which refer to each other, in the order to apply them.
 *
 * DECISION: the strategy is ApplyOnce. Agents are upgraded by deployments, like other content. A later token is for
 * future clusters and must not restart existing agents. The strategy of a set is immutable, so it is chosen for good.
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
