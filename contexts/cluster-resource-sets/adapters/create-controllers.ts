import type { KubeClient } from '#kit/kube';
import type { ObjectKey } from '#kit/kube/cache';
import {
  ControllerBuilder,
  type ControllerDeps,
  type ControllerMetrics,
  type ReconcileKey,
} from '#kit/kube/controller';
import { BACK_OFF, DONE, monotonicClock, type Result, type Runnable, requeueAfter } from '#kit/reconcile';
import { assertNever, type Clock, type Random, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { Attempts } from '../application/attempts.ts';
import { ClusterReconciler } from '../application/cluster-reconciler.ts';
import { KnownVersions } from '../application/known-versions.ts';
import { Outcomes } from '../application/outcomes.ts';
import type { Next } from '../application/ports.ts';
import { Pruning } from '../application/pruning.ts';
import { Schedule } from '../application/schedule.ts';
import { SetReconciler } from '../application/set-reconciler.ts';
import { isCrsError } from '../domain/crs-error.ts';
import type { NamespacedName } from '../domain/resource-set.ts';
import { NO_OPTIONS, type SetOptions } from '../domain/set-options.ts';
import type { Caches } from './caches.ts';
import { KubeBindings } from './kube-bindings.ts';
import { KubeClusters } from './kube-clusters.ts';
import { KubeInventories } from './kube-inventories.ts';
import { KubeResourceSets } from './kube-resource-sets.ts';
import { KubeResources } from './kube-resources.ts';
import { KubeWorkloadClusters } from './kube-workload-clusters.ts';
import { watchForClusters, watchForSets } from './wake-on-changes.ts';
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

/** The two controllers, to be run side by side: one for sets, one for clusters. Each wakes keys of the other. */
export function createResourceSetControllers(deps: ResourceSetControllersDeps): readonly Runnable[] {
  const { caches, concurrency = 10, workloads } = deps;
  const { setReconciler, clusterReconciler, reachedAnew } = createReconcilers(deps, {
    wakeSet: (key) => sets.wake(key, { afterMs: STATUS_AFTER_MS }),
    wakeCluster: (key) => clusters.wake(key),
  });
  const sets = watchForSets(
    controllerFor(deps, { name: 'clusterresourceset', concurrency, timeoutMs: SET_TIMEOUT_MS }),
    caches,
  ).reconcile(reconcileBy(setReconciler));
  const clusters = watchForClusters(
    controllerFor(deps, {
      name: 'clusterresourcesetbinding',
      concurrency: concurrency * CLUSTERS_PER_WORKER,
      timeoutMs: CLUSTER_TIMEOUT_MS,
    }),
    caches,
  )
    .wokenBy((wake) =>
      workloads.onChange((cluster) => {
        reachedAnew(namedOf(cluster));
        wake(cluster);
      }),
    )
    .reconcile(reconcileBy(clusterReconciler));
  return [sets, clusters];
}

function controllerFor(
  { caches, resyncMs, metrics, cut, sleep, random, log }: ResourceSetControllersDeps,
  own: Pick<ControllerDeps, 'name' | 'concurrency' | 'timeoutMs'>,
): ControllerBuilder {
  const { informers, namespace } = caches;
  return new ControllerBuilder({
    ...own,
    informers,
    // Until Cluster API's definitions are installed, the process is not ready, and goes on as soon as they are.
    syncWithinMs: Number.POSITIVE_INFINITY,
    ...(namespace === undefined ? {} : { namespace }),
    ...(resyncMs === undefined ? {} : { resyncMs }),
    ...(metrics && { metrics }),
    ...(cut && { cut }),
    ...(sleep && { sleep }),
    ...(random && { random }),
    ...(log && { log }),
  });
}

function reconcileBy(reconciler: { reconcile(key: NamespacedName, signal: AbortSignal): Promise<Next> }): ReconcileKey {
  return async (key, signal) => {
    try {
      return resultOf(await reconciler.reconcile(namedOf(key), signal));
    } catch (error) {
      // Another writer was faster, and its change is about to arrive by watch. This is expected.
      if (isCrsError(error, 'CONFLICT')) return BACK_OFF;
      throw error;
    }
  };
}

function resultOf(next: Next): Result {
  switch (next.kind) {
    case 'done':
      return DONE;
    case 'again':
      return requeueAfter(next.afterMs);
    case 'retry':
      return BACK_OFF;
    default:
      return assertNever(next, 'what comes next');
  }
}

type Wake = (key: NamespacedName) => void;

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
    reachedAnew: ({ namespace, name }: NamespacedName) => {
      attempts.forget(`${namespace}/${name}`);
      versions.forget(`${namespace}/${name}`);
    },
  };
}

function namedOf({ namespace = '', name }: ObjectKey): NamespacedName {
  return { namespace, name };
}
