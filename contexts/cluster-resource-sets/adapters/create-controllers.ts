import type { KubeClient } from '#kit/kube';
import type { ControllerMetrics } from '#kit/kube/controller';
import { monotonicClock, type Runnable } from '#kit/reconcile';
import { type Clock, type Random, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { Attempts } from '../application/attempts.ts';
import { ClusterReconciler } from '../application/cluster-reconciler.ts';
import { KnownVersions } from '../application/known-versions.ts';
import { Outcomes } from '../application/outcomes.ts';
import { Pruning } from '../application/pruning.ts';
import { Schedule } from '../application/schedule.ts';
import { SetReconciler } from '../application/set-reconciler.ts';
import { NO_OPTIONS, type SetOptions } from '../domain/set-options.ts';
import type { Caches } from './caches.ts';
import { KeyedController } from './keyed-controller.ts';
import { KubeBindings } from './kube-bindings.ts';
import { KubeClusters } from './kube-clusters.ts';
import { KubeInventories } from './kube-inventories.ts';
import { KubeResourceSets } from './kube-resource-sets.ts';
import { KubeResources } from './kube-resources.ts';
import { KubeWorkloadClusters } from './kube-workload-clusters.ts';
import { wakeOnChanges } from './wake-on-changes.ts';
import type { WorkloadClients } from './workload-clients.ts';

export interface ResourceSetControllersDeps {
  /** From `createCaches`; the caller runs the informers. */
  readonly caches: Caches;
  /** Client of the management cluster. */
  readonly client: KubeClient;
  readonly workloads: WorkloadClients;
  /** Concurrent reconciliations of sets, and of clusters; default 10. */
  readonly concurrency?: number;
  /** Period after which everything is checked again; off by default. */
  readonly resyncMs?: number;
  /** Extensions beyond Cluster API's controller, for sets without annotations; none by default. */
  readonly options?: Partial<SetOptions>;
  readonly metrics?: ControllerMetrics;
  /** Aborts running work at once, when the lease is lost. */
  readonly cut?: AbortSignal;
  /** Clock for times written into objects. */
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  readonly log?: Logger;
}

/** With many remote clusters, most workers only wait for answers. */
const CLUSTERS_PER_WORKER = 4;
const SETS_PER_CLUSTER = 8;
const SETTLE_MS = 15;
const SET_TIMEOUT_MS = 60_000;
/** A cluster may have very many objects to apply. */
const CLUSTER_TIMEOUT_MS = 300_000;
/** The clusters of a set usually finish at about the same time, so its status is written once for them. */
const STATUS_AFTER_MS = 10;

/** The two controllers, to be run side by side: one for sets, one for clusters. */
export function createResourceSetControllers(deps: ResourceSetControllersDeps): readonly Runnable[] {
  const { caches, concurrency = 10, workloads } = deps;
  const { setReconciler, clusterReconciler, reachedAnew } = createReconcilers(deps, {
    wakeSet: (key) => sets.wake(key, { afterMs: STATUS_AFTER_MS }),
    wakeCluster: (key) => clusters.wake(key),
  });
  const common = { ...deps, ready: (signal: AbortSignal) => caches.synced(signal) };
  const sets = new KeyedController({
    ...common,
    name: 'clusterresourceset',
    concurrency,
    timeoutMs: SET_TIMEOUT_MS,
    reconcile: (key, signal) => setReconciler.reconcile(key, signal),
    keys: () => caches.sets.informer.cache.list().map(namedOf),
    // The other controller subscribes to changes for both.
    feed: () => () => undefined,
  });
  const clusters = new KeyedController({
    ...common,
    name: 'clusterresourcesetbinding',
    concurrency: concurrency * CLUSTERS_PER_WORKER,
    timeoutMs: CLUSTER_TIMEOUT_MS,
    reconcile: (key, signal) => clusterReconciler.reconcile(key, signal),
    keys: () => caches.clusters.informer.cache.list().map(namedOf),
    feed: () => {
      const wakes = { wakeSet: sets.wake.bind(sets), wakeCluster: clusters.wake.bind(clusters) };
      const ends = [
        wakeOnChanges(caches, wakes),
        workloads.onChange(({ namespace = '', name }) => {
          reachedAnew({ namespace, name });
          clusters.wake({ namespace, name });
        }),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  });
  return [sets, clusters];
}

type Key = { readonly namespace: string; readonly name: string };
type Wake = (key: Key) => void;

function createReconcilers(deps: ResourceSetControllersDeps, wakes: { wakeSet: Wake; wakeCluster: Wake }) {
  const { caches, client, clock = systemClock, sleep = realSleep, random = Math.random, log } = deps;
  const resources = new KubeResources({ client, caches, clock: monotonicClock });
  const inventories = new KubeInventories(client);
  const attempts = new Attempts({ clock: monotonicClock, random });
  const versions = new KnownVersions();
  const shared = {
    ...wakes,
    clock,
    sleep,
    resources,
    inventories,
    attempts,
    versions,
    sets: new KubeResourceSets({ client, fresh: caches.sets.fresh, defaults: { ...NO_OPTIONS, ...deps.options } }),
    clusters: new KubeClusters(caches.clusters.fresh),
    bindings: new KubeBindings({ client, fresh: caches.bindings.fresh }),
    workloads: new KubeWorkloadClusters({ clients: deps.workloads, clusters: caches.clusters.fresh }),
    outcomes: new Outcomes(),
    repairs: new Schedule({ clock: monotonicClock, random }),
    pruning: new Pruning({ inventories, resources, attempts }),
    width: SETS_PER_CLUSTER,
    settleMs: SETTLE_MS,
  };
  return {
    setReconciler: new SetReconciler(shared),
    clusterReconciler: new ClusterReconciler({
      ...shared,
      repaired: ({ set }, { resource }) =>
        log?.info({ subject: `${set.namespace}/${set.name}`, name: resource.name }, 'drift repaired'),
    }),
    reachedAnew: ({ namespace, name }: Key) => {
      attempts.forget(`${namespace}/${name}`);
      versions.forget(`${namespace}/${name}`);
    },
  };
}

function namedOf({
  metadata: { namespace = '', name = '' },
}: {
  metadata: { namespace?: string; name?: string };
}): Key {
  return { namespace, name };
}
