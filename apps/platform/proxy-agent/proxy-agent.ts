import type { LocalClient } from '#contexts/channels';
import type { ProxiedClusters, ServableCluster } from '#contexts/proxied-clusters/adapters';
import type { Environment } from '#kit/kube';
import type { Runnable } from '#kit/reconcile';
import { Notifier, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { ClusterHost } from '#runtime/cluster-agent/clusters/cluster-host';
import type { ClusterState } from '#runtime/cluster-agent/clusters/cluster-state';
import type { SupervisorPace } from '#runtime/cluster-agent/clusters/cluster-supervisor';
import type { ConnectCluster } from '#runtime/cluster-agent/clusters/connect-cluster';
import type { Duty } from '../delivery/duty.ts';
import { Observations } from './observations.ts';
import { publicReason } from './public-reason.ts';
import { StoredSource } from './stored-source.ts';

export interface ProxyAgentDeps {
  readonly clusters: ProxiedClusters;
  /** Connects to the fleetlet inside the platform; a new client for each term of duty. */
  readonly connectWithin: (process: string) => LocalClient;
  readonly connect: ConnectCluster;
  readonly duty: Duty;
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
const DUTY_MS = 250;
const GRACE_MS = 30_000;
/** Within a process nothing is far away, so a shutdown does not wait long. */
const PACE = { farewellMs: 500 };

/**
 * Serves the clusters whose kubeconfigs are stored with the platform, through the fleetlet inside it: the same agent
 * that runs beside fleetlets, as a proxy. Of several processes only the active one does it.
 */
export function proxyAgent(deps: ProxyAgentDeps): Runnable {
  return {
    name: 'proxied clusters',
    run: async (stop) => {
      for (let term = 0; !stop.aborted; ) {
        term = await deps.duty.begun(term, stop);
        if (await anyWanted(deps, term, stop)) await new Term(deps, term).run(stop);
      }
    },
  };
}

/** Most platforms have no stored kubeconfigs, and need no agent. Resolves to whether this process is still active. */
async function anyWanted(deps: ProxyAgentDeps, term: number, stop: AbortSignal): Promise<boolean> {
  const { clusters, duty, log, sleep = realSleep } = deps;
  const wake = new Notifier(sleep);
  const stopListening = clusters.onChanged(() => wake.notify());
  try {
    for (; !stop.aborted && duty.term === term; await wake.wait(LOOK_MS, stop)) {
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

/** From when this process becomes active until it no longer is, or stops. */
class Term {
  readonly #deps: ProxyAgentDeps;
  readonly #term: number;
  readonly #sleep: Sleep;
  readonly #client: LocalClient;
  readonly #host: ClusterHost;
  readonly #observations: Observations;
  readonly #wake: Notifier;
  /** By the name of the target. */
  readonly #served = new Map<string, Served>();
  readonly #begun = performance.now();

  constructor(deps: ProxyAgentDeps, term: number) {
    const { clusters, connect, version, log, sleep = realSleep, pace } = deps;
    this.#deps = deps;
    this.#term = term;
    this.#sleep = sleep;
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
    const [over, closed] = [new AbortController(), new AbortController()];
    const ending = AbortSignal.any([stop, over.signal]);
    const stopListening = this.#deps.clusters.onChanged(() => this.#wake.notify());
    const behind = [this.#client.run(closed.signal), this.#observations.run(closed.signal)];
    try {
      await Promise.all([this.#host.run(ending), this.#follow(ending), this.#untilRelieved(ending, over)]);
    } finally {
      stopListening();
      closed.abort();
      await Promise.allSettled(behind);
    }
  }

  /** Stops at once when another process has become active. */
  async #untilRelieved(ending: AbortSignal, over: AbortController): Promise<void> {
    const { duty } = this.#deps;
    while (!ending.aborted && duty.term === this.#term) await this.#sleep(DUTY_MS, ending).catch(() => {});
    over.abort();
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

  async #reconcile(wanted: readonly ServableCluster[]): Promise<void> {
    const byName = new Map(wanted.map((cluster) => [cluster.name, cluster]));
    const gone = [...this.#served.values()].filter(({ name, target }) => byName.get(name)?.target !== target);
    await Promise.all(gone.map(({ name }) => this.#withdraw(name)));
    for (const cluster of wanted) this.#serve(cluster);
  }

  #serve(cluster: ServableCluster): void {
    const { clusters, environment } = this.#deps;
    const known = this.#served.get(cluster.name);
    if (known === undefined) {
      if (cluster.wasStandingBy && this.#isEarly()) return;
      const source = new StoredSource({ clusters, target: cluster.target, environment });
      this.#served.set(cluster.name, { ...cluster, source });
      this.#host.serve(cluster.name, source);
    } else if (known.version !== cluster.version) {
      this.#served.set(cluster.name, { ...cluster, source: known.source });
      known.source.replaced();
    }
  }

  /** After a restart, agents closer to the clusters reconnect first, so that targets are not passed back and forth. */
  #isEarly(): boolean {
    return performance.now() < this.#begun + GRACE_MS;
  }

  async #withdraw(name: string): Promise<void> {
    this.#served.delete(name);
    await this.#host.withdraw(name);
    this.#tellStates();
  }

  #changed(name: string, state: ClusterState): void {
    const cluster = this.#served.get(name);
    if (cluster !== undefined) this.#observations.note(cluster, state);
    this.#tellStates();
  }

  #tellStates(): void {
    this.#deps.onStates?.(this.#host.states());
  }
}
