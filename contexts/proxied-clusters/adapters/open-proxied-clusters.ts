import type { Route } from '#kit/http';
import type { Secret } from '#kit/std';
import type { Reader, Storage, Transaction } from '#kit/storage';
import type { AddressRules, ClusterView, Speakers, TargetDirectory, UnitOfWork } from '../application/ports.ts';
import { ProxiedClusterService } from '../application/proxied-cluster-service.ts';
import type { Observation } from '../domain/proxied-cluster.ts';
import { kubeconfigRoutes } from './http-kubeconfigs.ts';
import { kubeKubeconfigReader } from './kube-kubeconfig-reader.ts';
import { type Sealer, sealedVault } from './sealed-vault.ts';
import { ALL_CLUSTERS, CHANGED_TOPIC, findCluster, observeCluster, SqlClusterStore } from './sql-cluster-store.ts';

export interface ProxiedClustersDeps {
  readonly storage: Storage;
  readonly sealer: Sealer;
  /** Lookups in neighbouring contexts, in the caller's transaction or snapshot. */
  readonly targets: (reader: Reader) => TargetDirectory;
  readonly speakers: (tx: Transaction) => Speakers;
  readonly addresses: AddressRules;
  readonly log: { warn(fields: { readonly err: unknown }, message: string): void };
}

/** A cluster to be served, with the version of its kubeconfig. */
export interface ServableCluster {
  readonly target: string;
  readonly name: string;
  readonly version: number;
  /** A closer agent served it at the last observation. */
  readonly wasStandingBy: boolean;
}

/** Wires this context for the platform: kubeconfigs that users have stored. */
export interface ProxiedClusters {
  readonly routes: readonly Route[];
  list(signal: AbortSignal): Promise<readonly ServableCluster[]>;
  /** `undefined` when it no longer exists. */
  kubeconfig(
    target: string,
    signal: AbortSignal,
  ): Promise<{ readonly text: Secret<string>; readonly version: number } | undefined>;
  /** Records an observation, in the storage of the leader. It is ignored if the kubeconfig was replaced meanwhile. */
  observe(
    leading: Pick<Storage, 'commit'>,
    note: { readonly cluster: ServableCluster; readonly observed: Observation },
    signal: AbortSignal,
  ): Promise<void>;
  /** Calls the listener when the set of clusters may have changed, in any process, until the returned function is called. */
  onChanged(listener: () => void): () => void;
}

/** Timeout for an unresponsive database; other processes also poll. */
const TELL_MS = 5_000;

export function openProxiedClusters(deps: ProxiedClustersDeps): ProxiedClusters {
  const { storage, log } = deps;
  const vault = sealedVault(deps.sealer);
  const service = new ProxiedClusterService({ kubeconfigs: kubeKubeconfigReader, addresses: deps.addresses, vault });
  const changed = (): void => {
    // A transaction only notifies its own process.
    storage
      .announce(CHANGED_TOPIC, AbortSignal.timeout(TELL_MS))
      .catch((err: unknown) =>
        log.warn({ err }, 'notification of a kubeconfig change failed; other processes find it with the next poll'),
      );
  };
  return {
    routes: kubeconfigRoutes({ storage, service, unit: unitOf(deps), view: viewOf(deps), changed }),
    list: async (signal) =>
      (await storage.all(ALL_CLUSTERS, signal)).map(({ target, name, version, state }) => ({
        target: String(target),
        name: String(name),
        version: Number(version),
        wasStandingBy: state === 'StandingBy',
      })),
    kubeconfig: async (target, signal) => {
      const cluster = await storage.read((reader) => findCluster(reader, target), signal);
      return cluster && { text: await vault.open(cluster, signal), version: cluster.version };
    },
    observe: async (leading, { cluster: { target, version }, observed }, signal) => {
      await leading.commit([observeCluster(target, version, observed)], signal);
    },
    onChanged: (listener) => storage.onAnnounced(CHANGED_TOPIC, listener),
  };
}

/** Lets the targets context delete a kubeconfig with its target, in its own transaction. */
export function proxiedClustersInTree(tx: Transaction) {
  return {
    deleted: ({ uid }: { readonly uid: string }, signal: AbortSignal): Promise<void> =>
      new SqlClusterStore(tx).remove(uid, signal),
  };
}

function unitOf({ targets, speakers }: ProxiedClustersDeps): (tx: Transaction) => UnitOfWork {
  return (tx) => ({ clusters: new SqlClusterStore(tx), targets: targets(tx), speakers: speakers(tx) });
}

function viewOf({ targets }: ProxiedClustersDeps): (reader: Reader) => ClusterView {
  return (reader) => ({
    clusters: {
      find: async (target, signal) => {
        signal.throwIfAborted();
        return await findCluster(reader, target);
      },
    },
    targets: targets(reader),
  });
}
