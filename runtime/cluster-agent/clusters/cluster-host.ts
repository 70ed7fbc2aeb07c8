import type { ImpersonatedUsers } from '#contexts/api-proxy';
import type { LocalClient, Serving } from '#contexts/channels';
import { KubernetesAgent } from '#contexts/kubernetes';
import { monotonicClock } from '#kit/reconcile';
import { aborted, type Random, sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { deliveryChannels } from '#runtime/agent-process/delivery-channels';
import { registerTarget } from '#runtime/agent-process/target-registration';
import { type ApiCluster, openApiCluster } from '../api-proxy/api-cluster.ts';
import { serveApiProxy } from '../api-proxy/serve-api-proxy.ts';
import { openIndexFeed } from '../index-feed/open-index-feed.ts';
import type { ClusterSource } from './cluster-source.ts';
import type { ClusterState } from './cluster-state.ts';
import { ClusterSupervisor, type SupervisorPace } from './cluster-supervisor.ts';
import type { ConnectCluster, ConnectedCluster } from './connect-cluster.ts';

export interface ClusterHostDeps {
  /** Client of the fleetlet; the caller runs it. */
  readonly client: LocalClient;
  readonly serving: Serving;
  readonly version: string;
  readonly connect: ConnectCluster;
  /** Callers of the API proxy that are impersonated as users of their own. */
  readonly apiUsers: ImpersonatedUsers;
  readonly log: Logger;
  /** Called on each change. Must not throw. */
  readonly onState?: (target: string, state: ClusterState) => void;
  /** Formats an error for readers of the state; default: the error's message. */
  readonly explain?: (error: unknown) => string;
  readonly sleep?: Sleep;
  readonly random?: Random;
  readonly pace?: Partial<SupervisorPace>;
}

interface Kept {
  readonly over: AbortController;
  readonly ended: Promise<void>;
  state: ClusterState;
}

/**
 * Serves any number of clusters through one fleetlet. Clusters are independent: a failure of one does not affect the
 * others. Clusters may be added and removed while it runs.
 */
export class ClusterHost {
  readonly #deps: ClusterHostDeps;
  readonly #agent: KubernetesAgent;
  readonly #over = new AbortController();
  readonly #kept = new Map<string, Kept>();
  /** The target of each installation that is served. */
  readonly #instances = new Map<string, string>();
  /** APIs of the targets that are ours, by target uid. */
  readonly #apis = new Map<string, ApiCluster>();
  readonly #index: ReturnType<typeof openIndexFeed>;
  readonly #server: ReturnType<typeof deliveryChannels>;
  readonly #unserve: () => void;

  constructor(deps: ClusterHostDeps) {
    const { client, log, sleep = realSleep } = deps;
    this.#deps = deps;
    this.#server = deliveryChannels(client, { log, signal: this.#over.signal });
    this.#agent = new KubernetesAgent({
      reports: this.#server.reports,
      sleep,
      clock: monotonicClock,
      ...(deps.random && { random: deps.random }),
      onTrouble: (err) => log.warn({ err }, 'cluster operation failed; retrying'),
      onLeft: ({ target: { name }, deployment, objects }) =>
        log.warn(
          { subject: `targets/${name}`, key: deployment, reason: objects.join('; ') },
          'objects of the deployment not deleted: another deployment or agent holds them',
        ),
    });
    this.#server.serve(this.#agent);
    this.#index = openIndexFeed({ client, log });
    this.#unserve = serveApiProxy({ client, clusterOf: (uid) => this.#apis.get(uid), explain: deps.explain, log });
  }

  states(): ReadonlyMap<string, ClusterState> {
    return new Map([...this.#kept].map(([name, { state }]) => [name, state]));
  }

  /**
   * Serves the cluster from now on, or from when the host runs. An earlier one of the same name must be withdrawn
   * first.
   */
  serve(name: string, source: ClusterSource): void {
    if (this.#kept.has(name)) throw new TypeError(`target ${name} is already served`);
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#over.signal]);
    const kept: Kept = { over, state: { kind: 'Connecting' }, ended: Promise.resolve() };
    const supervisor = this.#supervisor(name, source, (state) => {
      kept.state = state;
      this.#deps.onState?.(name, state);
    });
    this.#kept.set(name, Object.assign(kept, { ended: supervisor.run(signal).finally(() => this.#forget(name)) }));
  }

  /** Resolves once all work for the target has ended. */
  async withdraw(name: string): Promise<void> {
    const kept = this.#kept.get(name);
    kept?.over.abort();
    await kept?.ended;
    this.#kept.delete(name);
  }

  /** Runs until aborted; then deregisters the targets. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const running = this.#agent.run(stop.signal);
    try {
      await aborted(signal);
      await Promise.all([...this.#kept.keys()].map((name) => this.withdraw(name)));
    } finally {
      this.#over.abort();
      await Promise.all([...this.#kept.values()].map(({ ended }) => ended));
      this.#unserve();
      stop.abort();
      await running;
    }
  }

  #supervisor(name: string, source: ClusterSource, onState: (state: ClusterState) => void): ClusterSupervisor {
    const { client, serving, version, connect, log, sleep = realSleep, random = Math.random, pace } = this.#deps;
    return new ClusterSupervisor({
      name,
      source,
      serving,
      version,
      connect,
      agent: this.#agent,
      register: (registration, signal) => registerTarget({ client, server: this.#server, log, signal }, registration),
      serve: (target, cluster) => this.#serve(target, cluster),
      claimInstance: (instance) => this.#claimInstance(name, instance),
      freeInstance: () => this.#forget(name),
      onState,
      ...(this.#deps.explain && { explain: this.#deps.explain }),
      sleep,
      random,
      log,
      ...(pace && { pace }),
    });
  }

  #serve({ id, name }: { readonly id: string; readonly name: string }, cluster: ConnectedCluster) {
    const over = new AbortController();
    const api = openApiCluster({ ...cluster, users: this.#deps.apiUsers });
    this.#apis.set(id, api);
    const indexing = this.#index.serveIndex({ kube: cluster.kube, targetUid: id, targetName: name }, over.signal);
    return async (): Promise<void> => {
      if (this.#apis.get(id) === api) this.#apis.delete(id);
      over.abort();
      await Promise.all([indexing, api.close()]);
    };
  }

  #claimInstance(name: string, instance: string): string | undefined {
    const other = this.#instances.get(instance);
    if (other !== undefined && other !== name) return other;
    for (const [theirs, target] of this.#instances) if (target === name) this.#instances.delete(theirs);
    this.#instances.set(instance, name);
    return undefined;
  }

  #forget(name: string): void {
    for (const [instance, target] of this.#instances) if (target === name) this.#instances.delete(instance);
  }
}
