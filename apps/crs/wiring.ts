import { createCaches, createResourceSetControllers, SETS } from '#contexts/cluster-resource-sets/adapters';
import type { HostPort } from '#kit/config';
import { InformerFactory } from '#kit/kube/cache';
import { countRequests, createControllerMetrics } from '#kit/kube/controller';
import { createLeaderElection, leaderGauge } from '#kit/kube/leader';
import type { Runnable, RunnableGroup } from '#kit/reconcile';
import { aborted, sleep, systemClock } from '#kit/std';
import type { Logger, Metrics } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';
import type { Webhooks } from './admission/open-webhooks.ts';
import type { CrsConfig } from './config.ts';
import { type ManagementCluster, openManagement } from './management-cluster.ts';
import { neighbourWatch, type RefuseDeps, refuseNeighbours } from './neighbour/refuse-neighbours.ts';
import { openWatching } from './watching/watching.ts';
import { WorkloadClusters } from './workload-clusters/workload-clusters.ts';

export interface WiringOptions {
  readonly config: CrsConfig;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
}

export interface CrsProcess {
  /** In start order: dependencies first. */
  readonly groups: readonly RunnableGroup[];
  readonly listening: readonly HostPort[];
  close(): Promise<void>;
}

/** Shared dependencies of all parts. */
interface Ground extends ManagementCluster {
  readonly config: CrsConfig;
  readonly userAgent: string;
  readonly metrics: Metrics;
  readonly observe: ReturnType<typeof countRequests>;
  readonly log: Logger;
}

const LEASE = 'fleetshift-crs';

/** The composition root. */
export async function wireCrs(options: WiringOptions, signal: AbortSignal): Promise<CrsProcess> {
  const { config, version, environment, log } = options;
  const metrics = createMetrics();
  const observe = countRequests(metrics);
  const userAgent = `fleetshift-crs/${version}`;
  const management = await openManagement({ config, environment, userAgent, observe }, signal);
  const ground: Ground = { ...management, config, userAgent, metrics, observe, log };
  try {
    if (!config.allowBesideClusterApi) await refuseNeighbours(neighboursOf(ground), signal);
    return await wireParts(ground, signal);
  } catch (error) {
    await management.client.close();
    throw error;
  }
}

async function wireParts(ground: Ground, signal: AbortSignal): Promise<CrsProcess> {
  const { config, client, metrics, log } = ground;
  const informers = new InformerFactory({ client, log });
  const workloads = workloadsOf(ground, informers);
  const caches = createCaches({ informers, ...scopeOf(config) });
  const first = firstLists([caches, workloads], log);
  const whyUnready = () => (first.isOver() ? undefined : 'the caches of the management cluster are syncing');
  const watching = await openWatching({ ...config, metrics, whyUnready });
  const webhooks = await webhooksOf(ground, signal);
  const work = workOf(ground, (cut) => controllersOf(ground, { caches, workloads }, cut));
  return {
    listening: [...watching.map(({ address }) => address), ...webhooks.listening],
    groups: [
      { name: 'watching', runnables: watching, stopWithinMs: 2_000 },
      { name: 'caches', runnables: [informers, workloads, first], stopWithinMs: 10_000 },
      { name: 'webhooks', runnables: webhooks.runnables, stopWithinMs: 15_000 },
      { name: 'work', runnables: work, stopWithinMs: 45_000 },
    ],
    close: async () => {
      await webhooks.close();
      await client.close();
    },
  };
}

/** Loaded on demand, because the code that creates certificates is large. */
async function webhooksOf(ground: Ground, signal: AbortSignal): Promise<Webhooks> {
  const { webhookListen: at } = ground.config;
  if (at === undefined) return { runnables: [], listening: [], close: async () => {} };
  const { openWebhooks } = await import('./admission/open-webhooks.ts');
  return await openWebhooks({ ...ground, at }, signal);
}

function workloadsOf({ config, userAgent, observe, log }: Ground, informers: InformerFactory): WorkloadClusters {
  const { namespace, platformUrl: url, platformTokenFile: tokenFile, platformCaFile: caFile, probeInterval } = config;
  return new WorkloadClusters({
    informers,
    userAgent,
    probeEveryMs: probeInterval,
    observe,
    log,
    ...(namespace === undefined ? {} : { namespace }),
    ...(url === undefined || tokenFile === undefined ? {} : { platform: { url, tokenFile, caFile } }),
  });
}

interface Parts {
  readonly caches: ReturnType<typeof createCaches>;
  readonly workloads: WorkloadClusters;
}

function controllersOf(ground: Ground, parts: Parts, cut: AbortSignal | undefined): readonly Runnable[] {
  const { config, client, metrics, log } = ground;
  const { concurrency, syncPeriod, serverSideApply, driftRepair, prune, keepResources } = config;
  return [
    ...createResourceSetControllers({
      ...parts,
      client,
      concurrency,
      resyncMs: syncPeriod,
      options: { serverSideApply, driftRepairMs: driftRepair, prune, keepResources },
      metrics: createControllerMetrics(metrics),
      log,
      ...(cut && { cut }),
    }),
    ...(config.allowBesideClusterApi ? [] : [neighbourWatch(neighboursOf(ground))]),
  ];
}

/** Starts at once, or once this process is the leader. */
function workOf(ground: Ground, work: (cut?: AbortSignal) => readonly Runnable[]): readonly Runnable[] {
  const { config, client, home, metrics, log } = ground;
  if (!config.leaderElect) return work();
  const election = createLeaderElection({
    client: client.withPriority('high'),
    namespace: home,
    name: LEASE,
    leaseDurationMs: config.leaderElectLeaseDuration,
    renewDeadlineMs: config.leaderElectRenewDeadline,
    retryPeriodMs: config.leaderElectRetryPeriod,
    gauge: leaderGauge(metrics),
    log,
    work,
  });
  return [election];
}

function neighboursOf({ config, client, log }: Ground): RefuseDeps {
  return { client, ours: scopeOf(config), sets: SETS, clock: systemClock, sleep, log };
}

function scopeOf({ namespace, watchFilter }: CrsConfig) {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(watchFilter === undefined ? {} : { watchFilter }),
  };
}

/** Becomes ready once the caches have synced. */
function firstLists(
  caches: readonly { synced(signal: AbortSignal): Promise<void> }[],
  log: Logger,
): Runnable & { isOver(): boolean } {
  let isOver = false;
  return {
    name: 'first lists',
    isOver: () => isOver,
    run: async (signal) => {
      await Promise.all(caches.map(async (cache) => await cache.synced(signal)));
      isOver = true;
      log.info({}, 'ready');
      await aborted(signal);
    },
  };
}
