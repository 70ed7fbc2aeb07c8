import type { KubeObject, Resource } from '#kit/kube';
import type { Condition } from '#kit/kube/objects';
import type { LabelSelector } from '#kit/std';
import type { LegacyCondition } from '../domain/set-status.ts';

export const ADDONS_API = 'addons.cluster.x-k8s.io/v1beta2';
const SET_KIND = 'ClusterResourceSet';
export const BINDING_KIND = 'ClusterResourceSetBinding';

export const SETS: Resource = addons('clusterresourcesets', SET_KIND);
export const BINDINGS: Resource = addons('clusterresourcesetbindings', BINDING_KIND);
export const CLUSTERS: Resource = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'clusters',
  kind: 'Cluster',
  namespaced: true,
};

export interface SetObject extends KubeObject {
  readonly spec?: {
    readonly clusterSelector?: LabelSelector;
    readonly strategy?: string;
    readonly resources?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly deprecated?: { readonly v1beta1?: { readonly conditions?: readonly LegacyCondition[] } };
  };
}

export interface BindingObject extends KubeObject {
  readonly spec?: {
    readonly clusterName?: string;
    readonly bindings?: readonly {
      readonly clusterResourceSetName: string;
      readonly resources?: readonly {
        readonly kind: string;
        readonly name: string;
        readonly applied?: boolean;
        readonly hash?: string;
        readonly lastAppliedTime?: string;
      }[];
    }[];
  };
}

/** The parts of a Cluster that are kept. */
export interface ClusterObject extends KubeObject {
  readonly spec?: {
    readonly infrastructureRef?: { readonly name?: string };
    readonly topology?: object;
  };
  readonly status?: {
    readonly initialization?: { readonly infrastructureProvisioned?: boolean };
  };
}

/** A ConfigMap or a Secret in API format. */
export interface ResourceObject extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

function addons(plural: string, kind: string): Resource {
  return { group: 'addons.cluster.x-k8s.io', version: 'v1beta2', plural, kind, namespaced: true };
}
