import { ProxiedClusterError } from './proxied-cluster-error.ts';

export const USER_KINDS = ['Certificate', 'Token', 'None'] as const;
/** How a kubeconfig authenticates to the API server. */
export type UserKind = (typeof USER_KINDS)[number];

export const CLUSTER_STATES = ['Pending', 'Serving', 'StandingBy', 'Unreachable', 'Refused'] as const;
/**
 * The state of a cluster that the platform serves itself. `Pending`: not tried yet. `StandingBy`: a closer agent serves it.
 * `Refused`: it must not be served, whether or not it answers.
 */
export type ClusterState = (typeof CLUSTER_STATES)[number];

/** The part of a kubeconfig that may be shown. */
export interface KubeconfigFacts {
  readonly server: string;
  readonly user: UserKind;
  /** The impersonated user. */
  readonly impersonates: string | undefined;
  /** It skips the verification of the server's certificate. */
  readonly isInsecure: boolean;
}

/** The last observation of a cluster. */
export interface Observation {
  readonly state: ClusterState;
  /** The reason; empty if nothing is wrong. */
  readonly message: string;
  /** The uid of `kube-system`. */
  readonly clusterUid: string | undefined;
  readonly clusterVersion: string | undefined;
  readonly time: number;
}

/** A target that the platform serves itself, with a stored kubeconfig. */
export interface ProxiedCluster {
  readonly target: { readonly uid: string; readonly name: string };
  readonly facts: KubeconfigFacts;
  readonly sealed: string;
  /** Changes with each kubeconfig. */
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
  readonly observed: Observation;
}

const TYPE = 'kubernetes';

export interface KnownTarget {
  readonly uid: string;
  readonly name: string;
  readonly type: string;
}

export function checkTarget({ name, type }: KnownTarget): void {
  if (type === TYPE) return;
  throw new ProxiedClusterError(
    'NOT_A_CLUSTER',
    `The target ${name} has the type ${type}; only targets of the type ${TYPE} can have a kubeconfig.`,
  );
}

export interface NewKubeconfig {
  readonly target: KnownTarget;
  readonly facts: KubeconfigFacts;
  readonly sealed: string;
  readonly now: number;
}

/** The state of the new kubeconfig is not known yet. */
export function withKubeconfig(before: ProxiedCluster | undefined, given: NewKubeconfig): ProxiedCluster {
  const { target, facts, sealed, now } = given;
  return {
    target: { uid: target.uid, name: target.name },
    facts,
    sealed,
    version: (before?.version ?? 0) + 1,
    createTime: before?.createTime ?? now,
    updateTime: Math.max(now, before?.updateTime ?? now),
    observed: { state: 'Pending', message: '', clusterUid: undefined, clusterVersion: undefined, time: now },
  };
}
