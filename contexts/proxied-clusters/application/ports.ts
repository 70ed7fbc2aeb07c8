import type { Secret } from '#kit/std';
import type { KnownTarget, KubeconfigFacts, ProxiedCluster } from '../domain/proxied-cluster.ts';

/** Everything in it happens together or not at all. */
export interface UnitOfWork {
  readonly clusters: ClusterStore;
  readonly targets: TargetDirectory;
  readonly speakers: Speakers;
}

/** What is committed. */
export interface ClusterView {
  readonly clusters: Pick<ClusterStore, 'find'>;
  readonly targets: TargetDirectory;
}

export interface ClusterStore {
  /** By the uid of its target. */
  find(target: string, signal: AbortSignal): Promise<ProxiedCluster | undefined>;
  /** In place of what was there of the target. */
  save(cluster: ProxiedCluster, signal: AbortSignal): Promise<void>;
  remove(target: string, signal: AbortSignal): Promise<void>;
}

/** The targets, as far as kubeconfigs are concerned. */
export interface TargetDirectory {
  /** Throws the error of a target that is missing. */
  require(name: string, signal: AbortSignal): Promise<KnownTarget>;
}

/** Who may speak for targets. */
export interface Speakers {
  /** The platform itself may, from now on. */
  add(target: KnownTarget, now: number, signal: AbortSignal): Promise<void>;
  remove(target: KnownTarget, now: number, signal: AbortSignal): Promise<void>;
}

/** A kubeconfig that stands for itself: one cluster, one user, no file and no program of any machine. */
export interface FlatKubeconfig {
  readonly text: Secret<string>;
  readonly facts: KubeconfigFacts;
}

/** Understands kubeconfigs. */
export interface KubeconfigReader {
  /** Of the context, or of the current one. `KUBECONFIG_UNUSABLE`, with a reason that quotes nothing secret. */
  read(text: string, context: string | undefined): FlatKubeconfig;
}

/** Which addresses the platform dials for others. */
export interface AddressRules {
  /** Why this kubeconfig leads where the platform does not dial; `undefined` when nothing is known against it. */
  whyRefused(kubeconfig: Secret<string>, signal: AbortSignal): Promise<string | undefined>;
}

/** Keeps what nobody is to read. */
export interface Vault {
  seal(target: string, text: Secret<string>, signal: AbortSignal): Promise<string>;
  open(cluster: ProxiedCluster, signal: AbortSignal): Promise<Secret<string>>;
}
