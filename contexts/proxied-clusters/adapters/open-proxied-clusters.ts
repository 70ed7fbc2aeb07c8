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
  /** The neighbours, in the transaction or snapshot that asks them. */
  readonly targets: (reader: Reader) => TargetDirectory;
  readonly speakers: (tx: Transaction) => Speakers;
  readonly addresses: AddressRules;
  readonly log: { warn(fields: { readonly err: unknown }, message: string): void };
}

/** One that has to be served, with the kubeconfig of this version. */
export interface ServableCluster {
  readonly target: string;
  readonly name: string;
  readonly version: number;
  /** Somebody who is closer served it when it was last looked at. */
  readonly wasStandingBy: boolean;
}

/** Kubeconfigs that were left with the platform. Everything of this context that a platform needs, put together. */
export interface ProxiedClusters {
  readonly routes: readonly Route[];
  list(signal: AbortSignal): Promise<readonly ServableCluster[]>;
  /** `undefined` when it is there no longer. */
  kubeconfig(
    target: string,
    signal: AbortSignal,
  ): Promise<{ readonly text: Secret<string>; readonly version: number } | undefined>;
  /** What becomes of one. Of a kubeconfig that was replaced meanwhile it is passed over. */
  observe(cluster: ServableCluster, observed: Observation, signal: AbortSignal): Promise<void>;
  /** Called when there may be other ones, by whatever process; until what it returns is called. */
  onChanged(listener: () => void): () => void;
}

/** For a database that does not answer; others look for themselves before long. */
const TELL_MS = 5_000;

export function openProxiedClusters(deps: ProxiedClustersDeps): ProxiedClusters {
  const { storage, log } = deps;
  const vault = sealedVault(deps.sealer);
  const service = new ProxiedClusterService({ kubeconfigs: kubeKubeconfigReader, addresses: deps.addresses, vault });
  const changed = (): void => {
    // A transaction tells its own process alone.
    storage
      .announce(CHANGED_TOPIC, AbortSignal.timeout(TELL_MS))
      .catch((err: unknown) => log.warn({ err }, 'other processes hear of a kubeconfig a little later'));
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
    observe: async ({ target, version }, observed, signal) => {
      await storage.commit([observeCluster(target, version, observed)], signal);
    },
    onChanged: (listener) => storage.onAnnounced(CHANGED_TOPIC, listener),
  };
}

/** What whoever deletes a target has to ask of this context, in his own transaction. */
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
