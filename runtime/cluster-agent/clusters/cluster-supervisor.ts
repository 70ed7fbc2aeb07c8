import type { Serving, TargetClaim } from '#contexts/channels';
import type { KubernetesAgent } from '#contexts/kubernetes';
import { backoffDelay, Notifier, type Random, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { TargetRef } from '#protocol/targets';
import type {
  RegistrationHandlers,
  RegistrationLost,
  TargetRegistration,
} from '#runtime/agent-process/target-registration';
import type { ClusterSource } from './cluster-source.ts';
import { configFingerprint } from './cluster-source.ts';
import { type ClusterState, explained, type SeenCluster } from './cluster-state.ts';
import type { ConnectCluster, ConnectedCluster } from './connect-cluster.ts';

export interface ClusterSupervisorDeps {
  /** Name of the target. */
  readonly name: string;
  readonly source: ClusterSource;
  readonly serving: Serving;
  readonly version: string;
  readonly connect: ConnectCluster;
  readonly agent: Pick<KubernetesAgent, 'add' | 'drop'>;
  readonly register: (registration: RegistrationHandlers, signal: AbortSignal) => TargetRegistration;
  /**
   * Starts the other services for a target that is ours. The returned function stops them, and resolves once all have
   * ended.
   */
  readonly serve: (target: TargetRef, cluster: ConnectedCluster) => () => Promise<void>;
  /** Claims an installation that is about to be served, or returns the target of this process that serves it. */
  readonly claimInstance: (instance: string) => string | undefined;
  /** It is no longer served under this target. */
  readonly freeInstance: () => void;
  readonly onState: (state: ClusterState) => void;
  /** Formats an error for a state, which may be read by others than the operator of this process. */
  readonly explain?: (error: unknown) => string;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: Logger;
  readonly pace?: Partial<SupervisorPace>;
}

export interface SupervisorPace {
  /** How often to check that a cluster is reachable, and still the same installation. */
  readonly lookMs: number;
  /** Timeout of a check. */
  readonly answerMs: number;
  /** Number of consecutive failed checks after which the cluster counts as unreachable. */
  readonly misses: number;
  /** Backoff of connection attempts. */
  readonly retry: { readonly baseMs: number; readonly capMs: number };
  /** How long deregistration may take. */
  readonly farewellMs: number;
}

const PACE: SupervisorPace = {
  lookMs: 5_000,
  answerMs: 10_000,
  misses: 3,
  retry: { baseMs: 1_000, capMs: 30_000 },
  farewellMs: 2_000,
};
const CONNECT_MS = 60_000;
/** Facts change slowly: number of checks between two refreshes. */
const LOOKS_PER_FACTS = 60;
const TYPE = 'kubernetes';

class SameCluster extends Error {}
/** The log names the other target. The reader of a state may not be allowed to know about it. */
const SAME_CLUSTER = 'another target that is served here is the same cluster';

/**
 * Serves one cluster as long as it is reachable: connects, registers, checks. An unreachable cluster is deregistered,
 * so that the platform shows it as disconnected, and retried. Each supervisor is independent of the others.
 */
export class ClusterSupervisor {
  readonly #deps: ClusterSupervisorDeps;
  readonly #pace: SupervisorPace;
  readonly #wake: Notifier;
  #attached: ConnectedCluster | undefined;
  #seen: SeenCluster | undefined;
  #registration: TargetRegistration | undefined;
  #taken: { readonly id: string; readonly stop: () => Promise<void> } | undefined;

  constructor(deps: ClusterSupervisorDeps) {
    this.#deps = deps;
    this.#pace = { ...PACE, ...deps.pace };
    this.#wake = new Notifier(deps.sleep);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { source, onState } = this.#deps;
    const stopListening = source.onChanged(() => this.#wake.notify());
    onState({ kind: 'Connecting' });
    try {
      for (let attempt = 1; !signal.aborted; attempt += 1) {
        try {
          await this.#attach(signal);
          attempt = 0;
          await this.#keep(signal);
        } catch (error) {
          if (signal.aborted) break;
          await this.#lost(error, attempt, signal);
        }
      }
    } finally {
      stopListening();
      await this.#detach();
    }
  }

  /** Connects with the current kubeconfig. The previous connection is released once the new one answers. */
  async #attach(signal: AbortSignal): Promise<void> {
    const { source, connect, register } = this.#deps;
    const within = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    const next = await connect(await source.read(within), within);
    try {
      await this.#look(next, within);
      const before = this.#attached;
      this.#attached = next;
      if (before !== undefined) await this.#release();
      await before?.close();
    } catch (error) {
      await next.close();
      throw error;
    }
    const claim = this.#claim();
    if (this.#registration === undefined) {
      this.#tell('Registering');
      this.#registration = register(
        {
          claim,
          take: (ref) => this.#take(ref),
          drop: () => this.#release(),
          lost: (why) => this.#registrationLost(why),
        },
        signal,
      );
    } else {
      this.#registration.update(claim);
      await this.#registration.account();
    }
  }

  async #look(cluster: ConnectedCluster, signal: AbortSignal): Promise<void> {
    const { instance } = cluster.ports;
    this.#seen = { server: cluster.config.server, instance, ...(await cluster.facts(signal)) };
  }

  /** Resolves if the cluster has to be attached again, and throws if it is no longer reachable. */
  async #keep(signal: AbortSignal): Promise<void> {
    const { lookMs } = this.#pace;
    for (let looks = 1, missed = 0; ; looks += 1) {
      const before = this.#attached;
      if (before === undefined) return;
      // After a failed check the next one comes sooner.
      await this.#wake.wait(missed === 0 ? lookMs : lookMs / 2, signal);
      if (await this.#isReplaced(before, signal)) return;
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(this.#pace.answerMs)]);
        const { instance } = await before.look(within);
        if (instance !== before.ports.instance) return this.#rebuilt();
        missed = 0;
        if (looks % LOOKS_PER_FACTS === 0) await this.#refresh(before, within);
      } catch (error) {
        signal.throwIfAborted();
        missed += 1;
        if (missed >= this.#pace.misses) throw error;
      }
    }
  }

  async #isReplaced({ config }: ConnectedCluster, signal: AbortSignal): Promise<boolean> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    const now = await this.#deps.source.read(within);
    return now !== config && configFingerprint(now) !== configFingerprint(config);
  }

  #rebuilt(): void {
    this.#deps.log.warn({ subject: this.#subject }, 'cluster was rebuilt; everything is delivered again');
  }

  async #refresh(cluster: ConnectedCluster, signal: AbortSignal): Promise<void> {
    const before = JSON.stringify(this.#claim());
    await this.#look(cluster, signal);
    const claim = this.#claim();
    if (JSON.stringify(claim) !== before) this.#registration?.update(claim);
  }

  async #take(ref: TargetRef): Promise<void> {
    const { agent, serve } = this.#deps;
    const cluster = this.#attached;
    if (cluster === undefined || this.#taken?.id === ref.id) return;
    await this.#release();
    if (cluster !== this.#attached || this.#registration?.ref !== ref) return;
    this.#claimCluster(cluster);
    const stop = serve(ref, cluster);
    this.#taken = {
      id: ref.id,
      stop: async () => {
        await Promise.all([agent.drop(ref.id), stop()]);
        this.#deps.freeInstance();
      },
    };
    await agent.add({ ...cluster.ports, target: ref });
    if (this.#taken?.id === ref.id) this.#tell('Serving');
  }

  /**
   * DECISION: a cluster is claimed when it is served, not when it is found. The platform decides which of its targets has
   * it: a refused target that was found first would keep out the one that is accepted. (ADR-0056)
   */
  #claimCluster({ ports: { instance } }: ConnectedCluster): void {
    const { claimInstance, onState } = this.#deps;
    const twin = claimInstance(instance);
    if (twin === undefined) return;
    onState({ kind: 'Refused', message: SAME_CLUSTER });
    throw new SameCluster(`it is the same cluster as the target ${twin}`);
  }

  /** Stops all work for the target. */
  async #release(): Promise<void> {
    const taken = this.#taken;
    this.#taken = undefined;
    await taken?.stop();
  }

  #registrationLost({ reason, message, identity }: RegistrationLost): void {
    if (identity !== undefined) this.#issue(identity);
    if (reason === 'served' || reason === 'superseded') this.#tell('StandingBy', message);
    else this.#deps.onState({ kind: 'Refused', message });
  }

  /** The next check finds another identity, and the target is registered with it. */
  #issue(identity: string): void {
    const { log } = this.#deps;
    const stored = this.#attached?.issue(identity, AbortSignal.timeout(this.#pace.answerMs));
    stored?.then(
      () => {
        log.info({ subject: this.#subject }, 'id stored in the cluster, which tells it from a copy; registering again');
        this.#wake.notify();
      },
      (error: unknown) =>
        log.warn({ subject: this.#subject, reason: explained(error) }, 'id of the cluster not stored; retrying'),
    );
  }

  async #lost(error: unknown, attempt: number, signal: AbortSignal): Promise<void> {
    const { onState, explain = explained, random, log } = this.#deps;
    const reason = explained(error);
    if (error instanceof SameCluster) onState({ kind: 'Refused', message: SAME_CLUSTER });
    else onState({ kind: 'Unreachable', message: explain(error) });
    await this.#detach();
    const { retry } = this.#pace;
    // At least half the base delay, so that a cluster that refuses at once is not retried in a tight loop.
    const retryInMs = Math.ceil((backoffDelay(retry, Math.max(attempt, 1), random) + retry.baseMs) / 2);
    log.warn({ subject: this.#subject, reason, attempt, retryInMs }, 'cluster unreachable or refused; retrying');
    await this.#wake.wait(retryInMs, signal).catch(() => {});
  }

  /** Deregisters the target, so that the platform neither waits for it nor sends orders that cannot be carried out. */
  async #detach(): Promise<void> {
    const [registration, attached] = [this.#registration, this.#attached];
    this.#registration = undefined;
    this.#attached = undefined;
    this.#seen = undefined;
    await registration?.deregister(AbortSignal.timeout(this.#pace.farewellMs)).catch(() => {});
    await this.#release();
    await attached?.close();
  }

  #tell(kind: 'Registering' | 'Serving' | 'StandingBy', message = ''): void {
    const cluster = this.#seen;
    if (cluster === undefined) return;
    if (kind === 'StandingBy') this.#deps.onState({ kind, cluster, message });
    else this.#deps.onState({ kind, cluster });
  }

  #claim(): TargetClaim {
    const { name, serving, version: agentVersion } = this.#deps;
    const { instance = '', version = '', labels = {} } = this.#seen ?? {};
    return {
      name,
      type: TYPE,
      serving,
      labels,
      properties: JSON.stringify({ kubernetes: { version, clusterUid: instance } }),
      manifestTypes: [],
      instance,
      agentVersion,
    };
  }

  get #subject(): string {
    return `targets/${this.#deps.name}`;
  }
}
