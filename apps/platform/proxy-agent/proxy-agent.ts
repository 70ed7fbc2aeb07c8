import type { LocalClient } from '#contexts/channels';
import type { ProxiedClusters, ServableCluster } from '#contexts/proxied-clusters/adapters';
import type { Environment } from '#kit/kube';
import type { Runnable } from '#kit/reconcile';
import { aborted, Notifier, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { Term } from '#kit/storage/leases';
import type { Logger } from '#kit/telemetry';
import { ClusterHost } from '#runtime/cluster-agent/clusters/cluster-host';
import type { ClusterState } from '#runtime/cluster-agent/clusters/cluster-state';
import type { SupervisorPace } from '#runtime/cluster-agent/clusters/cluster-supervisor';
import type { ConnectCluster } from '#runtime/cluster-agent/clusters/connect-cluster';
import { EXECUTOR, type Leadership, PROXIED_CLUSTERS, roleOfCluster } from '../leadership/leadership.ts';
import { Observations } from './observations.ts';
import { publicReason } from './public-reason.ts';
import { StoredSource } from './stored-source.ts';

export interface ProxyAgentDeps {
  readonly clusters: ProxiedClusters;
  /** Connects to the fleetlet inside the platform; a new client for each term of leading. */
  readonly connectWithin: (process: string) => LocalClient;
  readonly connect: ConnectCluster;
  readonly leadership: Pick<Leadership, 'lead' | 'whileLeading'>;
  readonly version: string;
  readonly environment: Environment;
  readonly log: Logger;
  /** The states of all clusters, after each change. */
  readonly onStates?: (states: ReadonlyMap<string, ClusterState>) => void;
  readonly sleep?: Sleep;
  readonly pace?: Partial<SupervisorPace>;
}

const PROCESS = 'proxy-agent';
/** In case the announcement of another process was lost. */
const LOOK_MS = 5_000;
const GRACE_MS = 30_000;
/** Within a process nothing is far away, so a shutdown does not wait long. */
const PACE = { farewellMs: 500 };

/**
 * Serves the clusters whose kubeconfigs are stored with the platform, through the fleetlet inside it: the same agent
 * that runs beside fleetlets, as a proxy. Of several replicas each serves the shares that it leads for.
 */
export function proxyAgent(deps: ProxyAgentDeps): Runnable {
  const { leadership } = deps;
  return {
    name: 'proxied clusters',
    run: (stop) =>
      leadership.whileLeading(
        EXECUTOR,
        async (executing) => {
          const shares = new Shares();
          const serving = serveWhenWanted(deps, shares, executing.signal);
          const leading = PROXIED_CLUSTERS.map((role) =>
            leadership.lead(role, (term) => shares.during(term), executing.signal),
          );
          await Promise.all([serving, ...leading]);
        },
        stop,
      ),
  };
}

async function serveWhenWanted(deps: ProxyAgentDeps, shares: Shares, signal: AbortSignal): Promise<void> {
  if (await anyWanted(deps, signal)) await new Serving(deps, shares).run(signal);
}

/** The shares that this replica serves, with their terms. */
class Shares {
  readonly #terms = new Map<string, { readonly term: Term; readonly begun: number }>();
  readonly #listeners = new Set<() => void>();

  async during(term: Term): Promise<void> {
    this.#terms.set(term.role, { term, begun: performance.now() });
    this.#tell();
    await aborted(term.signal);
    this.#terms.delete(term.role);
    this.#tell();
  }

  of(target: string): { readonly term: Term; readonly begun: number } | undefined {
    return this.#terms.get(roleOfCluster(target));
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Most platforms have no stored kubeconfigs, and need no agent. Resolves to whether there is one now. */
async function anyWanted(deps: ProxyAgentDeps, stop: AbortSignal): Promise<boolean> {
  const { clusters, log, sleep = realSleep } = deps;
  const wake = new Notifier(sleep);
  const stopListening = clusters.onChanged(() => wake.notify());
  try {
    for (; !stop.aborted; await wake.wait(LOOK_MS, stop)) {
      const some = await clusters.list(stop).catch((err: unknown) => {
        if (!stop.aborted) log.warn({ err }, 'kubeconfigs of targets not read; retrying');
        return [];
      });
      if (some.length > 0) return true;
    }
    return false;
  } finally {
    stopListening();
  }
}

interface Served extends ServableCluster {
  readonly source: StoredSource;
}

/** From the first kubeconfig until this replica no longer takes fleetlets. */
class Serving {
  readonly #deps: ProxyAgentDeps;
  readonly #shares: Shares;
  readonly #client: LocalClient;
  readonly #host: ClusterHost;
  readonly #observations: Observations;
  readonly #wake: Notifier;
  /** By the name of the target. */
  readonly #served = new Map<string, Served>();

  constructor(deps: ProxyAgentDeps, shares: Shares) {
    const { clusters, connect, version, log, sleep = realSleep, pace } = deps;
    this.#deps = deps;
    this.#shares = shares;
    this.#wake = new Notifier(sleep);
    this.#client = deps.connectWithin(PROCESS);
    this.#observations = new Observations({ clusters, clock: systemClock, sleep, log });
    this.#host = new ClusterHost({
      client: this.#client,
      serving: 'proxy',
      version,
      connect,
      apiUsers: 'all',
      log,
      sleep,
      pace: { ...PACE, ...pace },
      explain: publicReason,
      onState: (name, state) => this.#changed(name, state),
    });
  }

  async run(stop: AbortSignal): Promise<void> {
    const closed = new AbortController();
    const wake = (): void => this.#wake.notify();
    const stopListening = [this.#deps.clusters.onChanged(wake), this.#shares.onChanged(wake)];
    const behind = [this.#client.run(closed.signal), this.#observations.run(closed.signal)];
    try {
      await Promise.all([this.#host.run(stop), this.#follow(stop)]);
    } finally {
      for (const each of stopListening) each();
      closed.abort();
      await Promise.allSettled(behind);
    }
  }

  async #follow(ending: AbortSignal): Promise<void> {
    const { clusters, log } = this.#deps;
    while (!ending.aborted) {
      try {
        await this.#reconcile(await clusters.list(ending));
      } catch (err) {
        if (!ending.aborted) log.warn({ err }, 'kubeconfigs of targets not read; retrying');
      }
      await this.#wake.wait(LOOK_MS, ending).catch(() => {});
    }
  }

  async #reconcile(all: readonly ServableCluster[]): Promise<void> {
    const wanted = all.filter(({ target }) => this.#shares.of(target) !== undefined);
    const byName = new Map(wanted.map((cluster) => [cluster.name, cluster]));
    const gone = [...this.#served.values()].filter(({ name, target }) => byName.get(name)?.target !== target);
    await Promise.all(gone.map(({ name }) => this.#withdraw(name)));
    for (const cluster of wanted) this.#serve(cluster);
  }

  #serve(cluster: ServableCluster): void {
    const { clusters, environment } = this.#deps;
    const known = this.#served.get(cluster.name);
    if (known === undefined) {
      if (cluster.wasStandingBy && this.#isEarly(cluster)) return;
      const source = new StoredSource({ clusters, target: cluster.target, environment });
      this.#served.set(cluster.name, { ...cluster, source });
      this.#host.serve(cluster.name, source);
    } else if (known.version !== cluster.version) {
      this.#served.set(cluster.name, { ...cluster, source: known.source });
      known.source.replaced();
    }
  }

  /** After a restart, agents closer to the clusters reconnect first, so that targets are not passed back and forth. */
  #isEarly({ target }: ServableCluster): boolean {
    return performance.now() < (this.#shares.of(target)?.begun ?? 0) + GRACE_MS;
  }

  async #withdraw(name: string): Promise<void> {
    this.#served.delete(name);
    await this.#host.withdraw(name);
    this.#tellStates();
  }

  #changed(name: string, state: ClusterState): void {
    const cluster = this.#served.get(name);
    const term = cluster && this.#shares.of(cluster.target)?.term;
    if (cluster !== undefined && term !== undefined) this.#observations.note(term.storage, cluster, state);
    this.#tellStates();
  }

  #tellStates(): void {
    this.#deps.onStates?.(this.#host.states());
  }
}
