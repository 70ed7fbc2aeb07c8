import type { ClusterObject, WorkloadClients } from '#contexts/cluster-resource-sets/adapters';
import { CORE, type KubeClient, type RequestReport } from '#kit/kube';
import type { Informer, InformerFactory, ObjectKey } from '#kit/kube/cache';
import { formatKey, parseKey } from '#kit/kube/controller';
import { monotonicClock, type Runnable } from '#kit/reconcile';
import { type Clock, sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import {
  accessOf,
  CLUSTER_NAME_LABEL,
  clusterOf,
  type KubeconfigSecret,
  type Platform,
  trimSecret,
  type WorkloadAccess,
} from './workload-access.ts';
import { WorkloadConnection } from './workload-connection.ts';

export interface WorkloadClustersDeps {
  /** Informers of the management cluster. */
  readonly informers: InformerFactory;
  readonly namespace?: string;
  readonly platform?: Platform;
  readonly userAgent: string;
  readonly probeEveryMs: number;
  readonly probeTimeoutMs?: number;
  readonly observe?: (report: RequestReport) => void;
  /** Monotonic. */
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly log: Logger;
}

/** A client that was not requested for this long is closed. */
const IDLE_MS = 15 * 60_000;
/** Time for running requests on a replaced client. */
const GRACE_MS = 60_000;
const PROBES_AT_ONCE = 32;

/**
 * The clients of workload clusters. Each is cached while it is used, probed periodically, and recreated if the access
 * changes. Kubeconfigs are watched, so a new one takes effect without a request.
 */
export class WorkloadClusters implements WorkloadClients, Runnable {
  readonly name = 'workload clusters';
  readonly #deps: WorkloadClustersDeps;
  readonly #clock: Clock;
  readonly #secrets: Informer<KubeconfigSecret>;
  readonly #accesses = new WeakMap<KubeconfigSecret, WorkloadAccess>();
  readonly #connections = new Map<string, WorkloadConnection>();
  readonly #retired: { readonly client: KubeClient; readonly closeAt: number }[] = [];
  readonly #handlers = new Set<(cluster: ObjectKey) => void>();
  readonly #looking = new Set<WorkloadConnection>();
  readonly #looks = new Set<Promise<void>>();
  #isOver = false;

  constructor(deps: WorkloadClustersDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? monotonicClock;
    const { informers, namespace } = deps;
    const collection = { resource: CORE.secrets, ...(namespace === undefined ? {} : { namespace }) };
    this.#secrets = informers.informer<KubeconfigSecret>(collection, {
      labelSelector: CLUSTER_NAME_LABEL,
      trim: trimSecret,
    });
    this.#secrets.onChange(({ old, now, initial }) => {
      const secret = now ?? old;
      const cluster = secret && clusterOf(secret);
      if (cluster === undefined || initial || now?.data?.['value'] === old?.data?.['value']) return;
      if (now === undefined) this.#retire(formatKey(cluster));
      this.#tell(cluster);
    });
  }

  synced(signal: AbortSignal): Promise<void> {
    return this.#secrets.synced(signal);
  }

  async clientFor(cluster: ClusterObject, signal: AbortSignal): Promise<KubeClient> {
    const key = formatKey({ namespace: cluster.metadata.namespace ?? '', name: cluster.metadata.name ?? '' });
    const { platform } = this.#deps;
    const access = accessOf(cluster, { secrets: this.#secrets.cache, platform, known: this.#accesses });
    const kept = this.#connections.get(key);
    if (kept !== undefined && kept.fingerprint === access.fingerprint) return await kept.ready(signal);
    if (kept !== undefined) this.#retire(key);
    const { userAgent, probeTimeoutMs = 5_000, observe } = this.#deps;
    const connection: WorkloadConnection = new WorkloadConnection({
      access,
      userAgent,
      clock: this.#clock,
      probeTimeoutMs,
      observe: (report) => observe?.(report),
      refused: () => this.#look(key, connection),
    });
    this.#connections.set(key, connection);
    return await connection.ready(signal);
  }

  onChange(handler: (cluster: ObjectKey) => void): () => void {
    const own = (cluster: ObjectKey): void => handler(cluster);
    this.#handlers.add(own);
    return () => this.#handlers.delete(own);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { probeEveryMs, sleep = realSleep } = this.#deps;
    try {
      for (;;) {
        await sleep(probeEveryMs, signal);
        await this.#sweep();
      }
    } finally {
      this.#isOver = true;
      await Promise.allSettled(this.#looks);
      for (const key of this.#connections.keys()) this.#retire(key);
      await this.#closeRetired(Number.POSITIVE_INFINITY);
    }
  }

  async #sweep(): Promise<void> {
    const now = this.#clock.now();
    const { probeEveryMs } = this.#deps;
    await this.#closeRetired(now);
    const due: [string, WorkloadConnection][] = [];
    for (const [key, connection] of this.#connections) {
      if (now - connection.askedAt > IDLE_MS) this.#retire(key);
      // A cluster that recently answered another request needs no probe.
      else if (!connection.isUp || now - connection.answeredAt >= probeEveryMs / 2) due.push([key, connection]);
    }
    while (due.length > 0) {
      const some = due.splice(0, PROBES_AT_ONCE);
      await Promise.all(some.map(async ([key, connection]) => await this.#probe(key, connection)));
    }
  }

  async #probe(key: string, connection: WorkloadConnection): Promise<void> {
    const cameBack = await connection.probe();
    if (!cameBack || this.#connections.get(key) !== connection) return;
    this.#deps.log.info({ subject: `clusters/${key}` }, 'workload cluster reachable again');
    this.#tell(parseKey(key));
  }

  /** An extra probe outside the schedule; at most one at a time per connection. */
  #look(key: string, connection: WorkloadConnection): void {
    if (this.#isOver || this.#looking.has(connection)) return;
    this.#looking.add(connection);
    this.#deps.log.warn({ subject: `clusters/${key}` }, 'workload cluster refused our credentials; probing again');
    const look = this.#probe(key, connection).finally(() => {
      this.#looking.delete(connection);
      this.#looks.delete(look);
    });
    this.#looks.add(look);
  }
  #retire(key: string): void {
    const connection = this.#connections.get(key);
    if (connection === undefined) return;
    this.#connections.delete(key);
    this.#retired.push({ client: connection.client, closeAt: this.#clock.now() + GRACE_MS });
  }

  async #closeRetired(now: number): Promise<void> {
    const due = this.#retired.filter(({ closeAt }) => closeAt <= now);
    const rest = this.#retired.filter(({ closeAt }) => closeAt > now);
    this.#retired.splice(0, this.#retired.length, ...rest);
    await Promise.allSettled(due.map(async ({ client }) => await client.close()));
  }

  #tell(cluster: ObjectKey): void {
    for (const handler of this.#handlers) handler(cluster);
  }
}
