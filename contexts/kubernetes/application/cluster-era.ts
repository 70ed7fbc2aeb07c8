import { Notifier, type Uuid, unlessAborted } from '#kit/std';
import type { Holding } from '#protocol/delivery';
import type { KubeObject } from '../domain/kube-object.ts';
import { KubernetesError } from '../domain/kubernetes-error.ts';
import { Claims } from './claims.ts';
import type { Found } from './deployment-file.ts';
import { DeploymentKeeper, type KeeperDeps } from './deployment-keeper.ts';
import type { ClusterPorts, FollowedKind, WatchListener } from './ports.ts';
import { Turnstile } from './turnstile.ts';

export type EraDeps = Omit<KeeperDeps, 'claims' | 'lanes' | 'kindsChanged' | 'verify'>;

const FIRST_LANE = 16;
const AGAIN_LANE = 4;
const BEAT_MS = 30_000;
const BEAT_TIMEOUT_MS = 20_000;
/** For final inventory writes that save work after a restart. */
const LAST_WRITES_MS = 1_000;

/**
 * State read from a cluster, and the reconcilers of its deployments. It is valid as long as no other agent writes
 * there. Then it ends, and everything is read again.
 */
export class ClusterEra {
  readonly instance: string;
  readonly claims = new Claims();
  readonly #ports: ClusterPorts;
  readonly #deps: KeeperDeps;
  readonly #keepers = new Map<string, DeploymentKeeper>();
  readonly #running = new Set<Promise<void>>();
  readonly #broken = Promise.withResolvers<never>();
  readonly #synced: Notifier;
  #kinds: readonly FollowedKind[] = [];
  #signal: AbortSignal | undefined;
  #missedBeats = 0;

  private constructor(deps: EraDeps, instance: string) {
    this.instance = instance;
    this.#ports = deps.ports;
    this.#synced = new Notifier(deps.sleep);
    const lanes = { first: new Turnstile(FIRST_LANE), again: new Turnstile(AGAIN_LANE) };
    const verify = async (signal: AbortSignal): Promise<void> => await this.verify(signal);
    this.#deps = { ...deps, claims: this.claims, lanes, verify, kindsChanged: () => this.#follow() };
    // `run` awaits this promise. The empty handler avoids an unhandled rejection if it rejects before `run` starts.
    this.#broken.promise.catch(() => {});
  }

  static async read(deps: EraDeps, signal: AbortSignal): Promise<ClusterEra> {
    const { orders, inventories, discovery } = deps.ports;
    const era = new ClusterEra(deps, await discovery.instance(signal));
    const [kept, made] = await Promise.all([orders.all(signal), inventories.all(signal)]);
    const found = new Map<string, Found>();
    const add = (deployment: string, part: Partial<Found>): void => {
      const before = found.get(deployment) ?? { order: undefined, inventory: undefined };
      found.set(deployment, { ...before, ...part });
    };
    for (const order of kept.records) add(order.deployment, { order });
    for (const inventory of made.records) add(inventory.deployment, { inventory });
    for (const { deployment, error } of [...kept.torn, ...made.torn]) add(deployment, { torn: error });
    // Records are stored under the uid of their deployment.
    for (const [deployment, its] of found) era.#keep(deployment as Uuid, its);
    era.#follow();
    return era;
  }

  get holdings(): readonly Holding[] {
    return [...this.#keepers.values()].map(({ holding }) => holding).filter((holding) => holding !== undefined);
  }

  find(deployment: Uuid): DeploymentKeeper | undefined {
    return this.#keepers.get(deployment);
  }

  keeperOf(deployment: Uuid): DeploymentKeeper {
    return this.find(deployment) ?? this.#keep(deployment, { order: undefined, inventory: undefined });
  }

  /** Waits until every followed kind has synced once, for at most `ms`. */
  async seen(ms: number, signal: AbortSignal): Promise<void> {
    const { watch } = this.#ports;
    const isSeen = (): boolean => this.#kinds.every((kind) => watch.isSynced(kind));
    const over = this.#deps.clock.now() + ms;
    for (let left = ms; left > 0 && !isSeen() && this.#signal !== undefined; left = over - this.#deps.clock.now()) {
      await this.#synced.wait(left, signal);
    }
  }

  /** Throws if the cluster has been rebuilt. */
  async verify(signal: AbortSignal): Promise<void> {
    const instance = await this.#ports.discovery.instance(signal);
    if (instance === this.instance) return;
    throw new KubernetesError('CLUSTER_REBUILT', `serve cluster ${this.instance}: it was rebuilt as ${instance}`);
  }

  /** The cached state is out of date: makes `run` stop with this error. */
  end(error: KubernetesError): void {
    this.#broken.reject(error);
  }

  /** Runs until the signal aborts or the era ends, and all running work has ended. Throws the reason. */
  async run(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    this.#signal = AbortSignal.any([signal, over.signal]);
    try {
      this.#start(async (stop) => await this.#ports.watch.run(this.#listener(), stop));
      this.#start(async (stop) => await this.#beat(stop));
      for (const keeper of this.#keepers.values()) this.#start(async (stop) => await keeper.run(stop));
      await unlessAborted(this.#broken.promise, signal);
    } finally {
      over.abort();
      await Promise.all(this.#running);
      await this.#end({ isOutdated: !signal.aborted });
    }
  }

  /** Out-of-date state is not written. */
  async #end({ isOutdated }: { readonly isOutdated: boolean }): Promise<void> {
    const stop = AbortSignal.timeout(LAST_WRITES_MS);
    const ending = async (keeper: DeploymentKeeper): Promise<void> => {
      await keeper.quiet();
      if (!isOutdated) await keeper.settle(stop);
    };
    await Promise.all([...this.#keepers.values()].map(ending));
  }

  #keep(deployment: Uuid, found: Found): DeploymentKeeper {
    const keeper = new DeploymentKeeper(this.#deps, deployment, found);
    this.#keepers.set(deployment, keeper);
    this.claims.settle(deployment, found.inventory);
    this.#start(async (stop) => await keeper.run(stop));
    return keeper;
  }

  #start(work: (signal: AbortSignal) => Promise<void>): void {
    const signal = this.#signal;
    if (signal === undefined) return;
    const running = work(signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#broken.reject(error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #follow(): void {
    const kinds = new Map<string, FollowedKind>();
    for (const kind of [...this.#keepers.values()].flatMap(({ file }) => file.kinds)) {
      const name = `${kind.apiVersion}/${kind.kind}`;
      kinds.set(name, { ...kind, isWhole: kind.isWhole || (kinds.get(name)?.isWhole ?? false) });
    }
    this.#kinds = [...kinds.values()];
    this.#ports.watch.follow(this.#kinds);
  }

  #listener(): WatchListener {
    return {
      changed: (deployment) => this.#keepers.get(deployment)?.changed(),
      synced: () => {
        this.#synced.notify();
        for (const keeper of this.#keepers.values()) keeper.synced();
      },
      patternsFor: (deployment: string, object: KubeObject) =>
        this.#keepers.get(deployment)?.file.patternsFor(object) ?? [],
    };
  }

  /** A watch stays silent while its server is down, and a rebuilt cluster may answer at the same address. */
  async #beat(signal: AbortSignal): Promise<void> {
    const { sleep, onTrouble } = this.#deps;
    for (;;) {
      await sleep(BEAT_MS, signal);
      try {
        await this.verify(AbortSignal.any([signal, AbortSignal.timeout(BEAT_TIMEOUT_MS)]));
        if (this.#missedBeats > 1) for (const keeper of this.#keepers.values()) keeper.changed();
        this.#missedBeats = 0;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof KubernetesError) throw error;
        this.#missedBeats += 1;
        onTrouble(error);
        if (this.#missedBeats === 2)
          for (const keeper of this.#keepers.values()) keeper.lost('the cluster does not answer');
      }
    }
  }
}
