import { ProxiedClusterError } from './proxied-cluster-error.ts';

export const USER_KINDS = ['Certificate', 'Token', 'None'] as const;
/** What a kubeconfig shows the API server to be known by. */
export type UserKind = (typeof USER_KINDS)[number];

export const CLUSTER_STATES = ['Pending', 'Serving', 'StandingBy', 'Unreachable', 'Refused'] as const;
/**
 * How it stands with a cluster that the platform serves itself. `Pending`: nobody has tried yet; `StandingBy`: somebody
 * who is closer serves it; `Refused`: it is not to be served, whether or not it answers.
 */
export type ClusterState = (typeof CLUSTER_STATES)[number];

/** What may be shown of a kubeconfig. */
export interface KubeconfigFacts {
  readonly server: string;
  readonly user: UserKind;
  /** Whom it acts as. */
  readonly impersonates: string | undefined;
  /** It does not look at the server's certificate. */
  readonly isInsecure: boolean;
}

/** What was last seen of a cluster, with what was stored at that time. */
export interface Observation {
  readonly state: ClusterState;
  /** Why; empty where nothing is wrong. */
  readonly message: string;
  /** The uid of `kube-system`. */
  readonly clusterUid: string | undefined;
  readonly clusterVersion: string | undefined;
  readonly time: number;
}

/** A target that the platform reaches by itself, with a kubeconfig that somebody has left with it. */
export interface ProxiedCluster {
  readonly target: { readonly uid: string; readonly name: string };
  readonly facts: KubeconfigFacts;
  readonly sealed: string;
  /** Another one with each kubeconfig. */
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
    `The target ${name} is of the type ${type}; the platform reaches targets of the type ${TYPE} by a kubeconfig.`,
  );
}

export interface NewKubeconfig {
  readonly target: KnownTarget;
  readonly facts: KubeconfigFacts;
  readonly sealed: string;
  readonly now: number;
}

/** Nothing is known of how it stands with the new one. */
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
