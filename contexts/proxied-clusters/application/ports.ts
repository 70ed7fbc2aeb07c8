import type { Secret } from '#kit/std';
import type { KnownTarget, KubeconfigFacts, ProxiedCluster } from '../domain/proxied-cluster.ts';

/** One transaction: all or nothing. */
export interface UnitOfWork {
  readonly clusters: ClusterStore;
  readonly targets: TargetDirectory;
  readonly speakers: Speakers;
}

/** The committed state. */
export interface ClusterView {
  readonly clusters: Pick<ClusterStore, 'find'>;
  readonly targets: TargetDirectory;
}

export interface ClusterStore {
  /** By the uid of its target. */
  find(target: string, signal: AbortSignal): Promise<ProxiedCluster | undefined>;
  /** Replaces the previous one of the target. */
  save(cluster: ProxiedCluster, signal: AbortSignal): Promise<void>;
  remove(target: string, signal: AbortSignal): Promise<void>;
}

/** The targets, as far as kubeconfigs need them. */
export interface TargetDirectory {
  /** Throws when there is no such target. */
  require(name: string, signal: AbortSignal): Promise<KnownTarget>;
}

/** Which fleetlets may serve targets. */
export interface Speakers {
  /** Allows the platform itself to serve the target. */
  add(target: KnownTarget, now: number, signal: AbortSignal): Promise<void>;
  remove(target: KnownTarget, now: number, signal: AbortSignal): Promise<void>;
}

/** A self-contained kubeconfig: one cluster, one user, no references to files or programs. */
export interface FlatKubeconfig {
  readonly text: Secret<string>;
  readonly facts: KubeconfigFacts;
}

/** Parses kubeconfigs. */
export interface KubeconfigReader {
  /** Reads the given context, or the current one. Throws `KUBECONFIG_UNUSABLE`, with a reason that contains no secrets. */
  read(text: string, context: string | undefined): FlatKubeconfig;
}

/** Restricts the addresses that the platform dials for users. */
export interface AddressRules {
  /** Why the platform does not dial the kubeconfig's server; `undefined` when there is no objection. */
  whyRefused(kubeconfig: Secret<string>, signal: AbortSignal): Promise<string | undefined>;
}

/** Encrypts and decrypts kubeconfigs. */
export interface Vault {
  seal(target: string, text: Secret<string>, signal: AbortSignal): Promise<string>;
  open(cluster: ProxiedCluster, signal: AbortSignal): Promise<Secret<string>>;
}
