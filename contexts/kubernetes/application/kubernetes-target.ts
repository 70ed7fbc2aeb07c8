import { type BackoffPolicy, backoffDelay, unlessAborted } from '#kit/std';
import type {
  AgentAcknowledgement,
  DeliveryOrder,
  DeliveryReport,
  Inventory,
  OrderKey,
  PreviewAnswer,
} from '#protocol/delivery';
import type { TargetRef } from '#protocol/targets';
import type { KubernetesError } from '../domain/kubernetes-error.ts';
import { ClusterEra, type EraDeps } from './cluster-era.ts';
import { isOutdated } from './deployment-keeper.ts';
import { previewOrder } from './preview-order.ts';

export interface KubernetesTargetDeps extends Omit<EraDeps, 'say'> {
  readonly target: TargetRef;
  readonly say: (report: DeliveryReport) => void;
  /** Called if the cluster is a different installation than before, with what it holds now. */
  readonly rebuilt: (account: Inventory, signal: AbortSignal) => Promise<void>;
}

const TROUBLE: BackoffPolicy = { baseMs: 500, capMs: 30_000 };
const VERIFY_MS = 5_000;
/** Wait this long for the watches to sync, so that the inventory carries known health. */
const SEEN_MS = 3_000;
const READ_MS = 120_000;

/** One cluster. Its deployments are reconciled independently of each other. */
export class KubernetesTarget {
  readonly #deps: KubernetesTargetDeps;
  readonly #eraDeps: EraDeps;
  #era: Promise<ClusterEra> | undefined;
  /** Nothing is read until the work of the last era has ended. */
  #closing: Promise<unknown> = Promise.resolve();
  #instance: string;

  constructor(deps: KubernetesTargetDeps) {
    this.#deps = deps;
    this.#instance = deps.ports.instance;
    const { target, say } = deps;
    this.#eraDeps = {
      ...deps,
      say: (deployment, revision, said) => say({ target: target.id, deployment, revision, ...said }),
    };
  }

  get ref(): TargetRef {
    return this.#deps.target;
  }

  async dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<AgentAcknowledgement> {
    return await this.#inEra(async (era) => await era.keeperOf(order.deployment).take(order, signal), signal);
  }

  async cancel({ deployment, revision }: OrderKey, signal: AbortSignal): Promise<void> {
    await this.#inEra(async (era) => await era.find(deployment)?.cancel(revision, signal), signal);
  }

  async preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer> {
    const { ports } = this.#deps;
    return await this.#inEra(async (era) => {
      const inventory = era.find(order.deployment)?.file.inventory;
      return await previewOrder({ ports, claims: era.claims }, { order, inventory }, signal);
    }, signal);
  }

  async account(signal: AbortSignal): Promise<Inventory> {
    return await this.#inEra(async (era) => {
      // The platform asks right after connecting. If the cluster does not answer now, report the last known state.
      await era.verify(AbortSignal.any([signal, AbortSignal.timeout(VERIFY_MS)])).catch((error: unknown) => {
        signal.throwIfAborted();
        if (isOutdated(error)) throw error;
      });
      await era.seen(SEEN_MS, signal);
      return this.#accountOf(era);
    }, signal);
  }

  /** Runs until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    let attempts = 0;
    while (!signal.aborted) {
      let mine: Promise<ClusterEra> | undefined;
      try {
        const era = await this.#current(signal);
        mine = this.#era;
        attempts = 0;
        const running = era.run(signal);
        this.#closing = running.catch(() => {});
        await running;
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.onTrouble(error);
        if (this.#era === mine) this.#era = undefined;
        attempts += 1;
        await this.#deps.sleep(backoffDelay(TROUBLE, attempts, this.#deps.random), signal).catch(() => {});
      }
    }
  }

  /**
   * If the cached state is out of date it is read again, once. A second such failure goes to the caller, who retries.
   */
  async #inEra<T>(body: (era: ClusterEra) => Promise<T>, signal: AbortSignal): Promise<T> {
    const era = await this.#current(signal);
    try {
      return await body(era);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      await this.#renew(era, error);
      return await body(await this.#current(signal));
    }
  }

  async #renew(era: ClusterEra, error: KubernetesError): Promise<void> {
    era.end(error);
    await this.#closing;
    const now = await this.#era?.catch(() => undefined);
    if (now === era) this.#era = undefined;
  }

  /** All waiting callers share one read. A caller that gives up does not cancel it for the others. */
  async #current(signal: AbortSignal): Promise<ClusterEra> {
    this.#era ??= this.#read(AbortSignal.timeout(READ_MS)).catch((error: unknown) => {
      this.#era = undefined;
      throw error;
    });
    return await unlessAborted(this.#era, signal);
  }

  async #read(signal: AbortSignal): Promise<ClusterEra> {
    await this.#closing;
    const era = await ClusterEra.read(this.#eraDeps, signal);
    if (era.instance !== this.#instance) await this.#deps.rebuilt(this.#accountOf(era), signal);
    this.#instance = era.instance;
    return era;
  }

  #accountOf(era: ClusterEra): Inventory {
    return { target: this.#deps.target.id, instance: era.instance, holdings: era.holdings };
  }
}
