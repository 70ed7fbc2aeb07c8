import { Controller, DONE, type Result, type RetryPolicy, runAll } from '#kit/reconcile';
import { Notifier, type Uuid, unlessAborted } from '#kit/std';
import type { DeliveryOrder, Holding, PreviewAnswer } from '#protocol/delivery';
import type { KubeObject } from '../domain/kube-object.ts';
import { isOutdated, KubernetesError } from '../domain/kubernetes-error.ts';
import { Claims } from './claims.ts';
import { DeploymentReconciler, type ReconcilerDeps } from './deployment-reconciler.ts';
import type { DeploymentRecords } from './deployment-state.ts';
import type { FollowedKind, WatchListener } from './ports.ts';
import { previewOrder } from './preview-order.ts';

export type SessionDeps = Omit<ReconcilerDeps, 'claims' | 'wake' | 'kindsChanged' | 'verify'>;

/** Deployments reconciled at a time, and how many of them may be retries: stuck work delays only other stuck work. */
const WORKERS = 24;
const RETRIES = 4;
const RETRY: RetryPolicy = { backoff: { baseMs: 250, capMs: 30_000 }, perSecond: 10, burst: 100 };
/** Full check, in case a watch missed something. */
const RESYNC_MS = 600_000;
const BEAT_MS = 30_000;
const BEAT_TIMEOUT_MS = 20_000;
const VERIFY_MS = 5_000;
/** Wait this long for the watches to sync, so that the inventory carries known health. */
const SEEN_MS = 3_000;
/** For final inventory writes that save work after a restart. */
const LAST_WRITES_MS = 1_000;

/**
 * State read from a cluster, and the reconcilers of its deployments, which one controller runs. It is valid as long as no
 * other agent writes there. Then it ends, and everything is read again.
 */
export class ClusterSession {
  readonly instance: string;
  readonly #deps: ReconcilerDeps;
  readonly #controller: Controller;
  readonly #reconcilers = new Map<string, DeploymentReconciler>();
  /** Retries under way, and those that wait until one of them ends. */
  #retries = 0;
  readonly #waitingRetries = new Set<string>();
  readonly #outdated = Promise.withResolvers<never>();
  readonly #synced: Notifier;
  #kinds: readonly FollowedKind[] = [];
  #isRunning = false;
  #missedBeats = 0;

  private constructor(deps: SessionDeps, instance: string) {
    const { clock, sleep, random } = deps;
    this.instance = instance;
    this.#synced = new Notifier(sleep);
    this.#controller = new Controller({
      name: 'reconcilers',
      concurrency: WORKERS,
      retries: RETRY,
      resyncMs: RESYNC_MS,
      // Another agent may already serve the cluster, so reconciles in progress are aborted at once.
      drainWithinMs: 0,
      keys: () => this.#reconcilers.keys(),
      reconcile: async (key, signal) => await this.#reconcile(key, signal),
      clock,
      sleep,
      random,
    });
    const verify = async (signal: AbortSignal): Promise<void> => await this.#verify(signal);
    const kindsChanged = (): void => this.#follow();
    this.#deps = { ...deps, claims: new Claims(), wake: this.#controller.wake, verify, kindsChanged };
    // `run` awaits this promise. The empty handler avoids an unhandled rejection if it rejects before `run` starts.
    this.#outdated.promise.catch(() => {});
  }

  static async read(deps: SessionDeps, signal: AbortSignal): Promise<ClusterSession> {
    const { orders, inventories, discovery } = deps.ports;
    const session = new ClusterSession(deps, await discovery.instance(signal));
    const [kept, made] = await Promise.all([orders.all(signal), inventories.all(signal)]);
    const found = new Map<string, DeploymentRecords>();
    const add = (deployment: string, part: Partial<DeploymentRecords>): void => {
      const before = found.get(deployment) ?? { order: undefined, inventory: undefined };
      found.set(deployment, { ...before, ...part });
    };
    for (const order of kept.records) add(order.deployment, { order });
    for (const inventory of made.records) add(inventory.deployment, { inventory });
    for (const { deployment, error } of [...kept.corrupt, ...made.corrupt]) add(deployment, { corrupt: error });
    // Records are stored under the uid of their deployment.
    for (const [deployment, its] of found) session.#manage(deployment as Uuid, its);
    for (const deployment of found.keys()) session.#controller.wake(deployment);
    session.#follow();
    return session;
  }

  get holdings(): readonly Holding[] {
    return [...this.#reconcilers.values()].map(({ holding }) => holding).filter((holding) => holding !== undefined);
  }

  find(deployment: Uuid): DeploymentReconciler | undefined {
    return this.#reconcilers.get(deployment);
  }

  reconcilerOf(deployment: Uuid): DeploymentReconciler {
    return this.find(deployment) ?? this.#manage(deployment, { order: undefined, inventory: undefined });
  }

  async preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer> {
    const inventory = this.find(order.deployment)?.state.inventory;
    return await previewOrder(this.#deps, { order, inventory }, signal);
  }

  /**
   * Waits until the state is current: the cluster is the same one, and every followed kind has synced once. The platform
   * asks right after connecting, so both waits are short, and then the last known state counts.
   */
  async observed(signal: AbortSignal): Promise<void> {
    await this.#verify(AbortSignal.any([signal, AbortSignal.timeout(VERIFY_MS)])).catch((error: unknown) => {
      signal.throwIfAborted();
      if (isOutdated(error)) throw error;
    });
    const { clock, ports } = this.#deps;
    const waits = (): boolean => this.#isRunning && !this.#kinds.every((kind) => ports.watch.isSynced(kind));
    const over = clock.now() + SEEN_MS;
    for (let left = SEEN_MS; left > 0 && waits(); left = over - clock.now()) {
      await this.#synced.wait(left, signal);
    }
  }

  /** The cached state is out of date: makes `run` stop with this error. */
  end(error: KubernetesError): void {
    this.#outdated.reject(error);
  }

  /** Runs until the signal aborts or the session ends, and all running work has ended. Throws the reason. */
  async run(signal: AbortSignal): Promise<void> {
    const { ports, sleep } = this.#deps;
    this.#isRunning = true;
    try {
      await runAll(
        [
          { name: 'validity', run: async (stop) => await unlessAborted(this.#outdated.promise, stop) },
          { name: 'watch', run: async (stop) => await ports.watch.run(this.#listener(), stop) },
          { name: 'heartbeat', run: async (stop) => await this.#beat(stop) },
          this.#controller,
        ],
        signal,
        { sleep },
      );
    } finally {
      this.#isRunning = false;
      await this.#end({ isOutdated: !signal.aborted });
    }
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const reconciler = this.#reconcilers.get(key);
    if (reconciler === undefined) return DONE;
    const { isRetry } = reconciler;
    if (isRetry && this.#retries >= RETRIES) {
      this.#waitingRetries.add(key);
      return DONE;
    }
    if (isRetry) this.#retries += 1;
    try {
      return await reconciler.reconcile(signal);
    } catch (error) {
      if (isOutdated(error)) this.end(error);
      throw error;
    } finally {
      if (isRetry) this.#retryEnded();
    }
  }

  #retryEnded(): void {
    this.#retries -= 1;
    for (const key of this.#waitingRetries) {
      this.#waitingRetries.delete(key);
      this.#controller.wake(key);
      return;
    }
  }

  /** Out-of-date state is not written. */
  async #end({ isOutdated: isLost }: { readonly isOutdated: boolean }): Promise<void> {
    const stop = AbortSignal.timeout(LAST_WRITES_MS);
    const ending = async (reconciler: DeploymentReconciler): Promise<void> => {
      await reconciler.quiet();
      if (!isLost) await reconciler.settle(stop);
    };
    await Promise.all([...this.#reconcilers.values()].map(ending));
  }

  #manage(deployment: Uuid, found: DeploymentRecords): DeploymentReconciler {
    const reconciler = new DeploymentReconciler(this.#deps, deployment, found);
    this.#reconcilers.set(deployment, reconciler);
    this.#deps.claims.settle(deployment, found.inventory);
    return reconciler;
  }

  #follow(): void {
    const kinds = new Map<string, FollowedKind>();
    for (const kind of [...this.#reconcilers.values()].flatMap(({ state }) => state.kinds)) {
      const name = `${kind.apiVersion}/${kind.kind}`;
      kinds.set(name, { ...kind, isWhole: kind.isWhole || (kinds.get(name)?.isWhole ?? false) });
    }
    this.#kinds = [...kinds.values()];
    this.#deps.ports.watch.follow(this.#kinds);
  }

  #listener(): WatchListener {
    return {
      changed: (deployment) => this.#reconcilers.get(deployment)?.changed(),
      synced: () => {
        this.#synced.notify();
        for (const reconciler of this.#reconcilers.values()) reconciler.synced();
      },
      patternsFor: (deployment: string, object: KubeObject) =>
        this.#reconcilers.get(deployment)?.state.patternsFor(object) ?? [],
    };
  }

  /** Throws if the cluster has been rebuilt. */
  async #verify(signal: AbortSignal): Promise<void> {
    const instance = await this.#deps.ports.discovery.instance(signal);
    if (instance === this.instance) return;
    throw new KubernetesError('CLUSTER_REBUILT', `serve cluster ${this.instance}: it was rebuilt as ${instance}`);
  }

  /** A watch stays silent while its server is down, and a rebuilt cluster may answer at the same address. */
  async #beat(signal: AbortSignal): Promise<void> {
    const { sleep, onTrouble } = this.#deps;
    for (;;) {
      await sleep(BEAT_MS, signal);
      try {
        await this.#verify(AbortSignal.any([signal, AbortSignal.timeout(BEAT_TIMEOUT_MS)]));
        if (this.#missedBeats > 1) for (const reconciler of this.#reconcilers.values()) reconciler.changed();
        this.#missedBeats = 0;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof KubernetesError) throw error;
        this.#missedBeats += 1;
        onTrouble(error);
        if (this.#missedBeats === 2)
          for (const reconciler of this.#reconcilers.values()) reconciler.lost('the cluster does not answer');
      }
    }
  }
}
