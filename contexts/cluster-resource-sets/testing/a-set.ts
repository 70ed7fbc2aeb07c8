import type { Cluster } from '../domain/cluster.ts';
import { FINALIZER, type ResourceSet } from '../domain/resource-set.ts';
import { NO_OPTIONS } from '../domain/set-options.ts';

/** A set at work, for clusters with the label `cni: yes`. */
export function aSet(fields: Partial<ResourceSet> = {}): ResourceSet {
  const { name = 'web' } = fields;
  return {
    namespace: 'fleet',
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    generation: 1,
    finalizers: [FINALIZER],
    isDeleting: false,
    isPaused: false,
    selector: { matchLabels: { cni: 'yes' } },
    strategy: 'Reconcile',
    resources: [{ kind: 'ConfigMap', name: 'cm' }],
    options: NO_OPTIONS,
    status: { conditions: [], legacyConditions: [] },
    ...fields,
  };
}

export function aCluster(fields: Partial<Cluster> = {}): Cluster {
  const { name = 'a' } = fields;
  return {
    namespace: 'fleet',
    name,
    uid: `uid-of-${name}`,
    labels: { cni: 'yes' },
    isDeleting: false,
    isPaused: false,
    hasInfrastructure: false,
    isProvisioned: false,
    ...fields,
  };
}
