import type { KubeObject, Resource } from '#kit/kube';

// The Cluster API kinds that scenarios use, limited to the fields they use.

const ADDONS = { group: 'addons.cluster.x-k8s.io', version: 'v1beta2', namespaced: true } as const;

export const CRS = {
  sets: { ...ADDONS, plural: 'clusterresourcesets', kind: 'ClusterResourceSet' },
  bindings: { ...ADDONS, plural: 'clusterresourcesetbindings', kind: 'ClusterResourceSetBinding' },
  clusters: {
    group: 'cluster.x-k8s.io',
    version: 'v1beta2',
    plural: 'clusters',
    kind: 'Cluster',
    namespaced: true,
  },
} as const satisfies Record<string, Resource>;

export const RESOURCE_SET_SECRET = 'addons.cluster.x-k8s.io/resource-set';
export const PAUSED = 'cluster.x-k8s.io/paused';
/** Default labels of clusters, and default selector of sets. */
export const MATCHING = { fleet: 'yes' } as const;

export type ResourceKind = 'ConfigMap' | 'Secret';
export type Strategy = 'ApplyOnce' | 'Reconcile';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly severity?: string;
  readonly observedGeneration?: number;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly object[];
}

export interface ResourceSet extends KubeObject {
  readonly spec: {
    readonly clusterSelector: LabelSelector;
    readonly resources: readonly ResourceRef[];
    readonly strategy?: Strategy;
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly observedGeneration?: number;
    readonly deprecated?: { readonly v1beta1?: { readonly conditions?: readonly Condition[] } };
  };
}

export interface ResourceRef {
  readonly kind: ResourceKind;
  readonly name: string;
}

export interface ResourceEntry extends ResourceRef {
  readonly applied: boolean;
  readonly hash?: string;
  readonly lastAppliedTime?: string;
}

export interface SetEntry {
  readonly clusterResourceSetName: string;
  readonly resources?: readonly ResourceEntry[];
}

export interface Binding extends KubeObject {
  readonly spec: { readonly clusterName: string; readonly bindings?: readonly SetEntry[] };
}

/** A ConfigMap or Secret with its data. */
export interface DataObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
}

export interface Cluster extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}
