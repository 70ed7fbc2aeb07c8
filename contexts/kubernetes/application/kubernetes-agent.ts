import {
  aborted,
  type BackoffPolicy,
  backoffDelay,
  type Clock,
  CoalescingQueue,
  type Random,
  type Sleep,
  unlessAborted,
} from '#kit/std';
import type {
  AgentAcknowledgement,
  DeliveryOrder,
  DeliveryReport,
  Inventory,
  OrderKey,
  PreviewAnswer,
} from '#protocol/delivery';
import type { TargetRef } from '#protocol/targets';
import { isOutdated, type KubernetesError } from '../domain/kubernetes-error.ts';
import { ClusterSession, type SessionDeps } from './cluster-session.ts';
import type { ClusterPorts, Reports } from './ports.ts';

export interface KubernetesAgentDeps {
  readonly reports: Reports;
  readonly sleep: Sleep;
  /** A monotonic clock: only differences are used. */
  readonly clock: Clock;
  readonly random?: Random;
  /** Called with errors that will be retried. */
  readonly onTrouble: (error: unknown) => void;
  /** Called with objects that a removal leaves in the cluster, because other deployments or agents hold them. */
  readonly onLeft?: (left: LeftObjects) => void;
}

export interface LeftObjects {
  readonly target: TargetRef;
  readonly deployment: string;
  /** Each with its holder. */
  readonly objects: readonly string[];
}

export interface ServedCluster extends ClusterPorts {
  readonly target: TargetRef;
}

interface Served {
  readonly target: TargetRef;
  readonly deps: SessionDeps;
  /** Reports waiting to be sent. */
  readonly pending: CoalescingQueue<DeliveryReport>;
  readonly over: AbortController;
  instance: string;
  session: Promise<ClusterSession> | undefined;
  /** The run of the last session. Nothing is read before it has ended. */
  closing: Promise<unknown>;
  ended: Promise<unknown>;
}

/** "Applied" and "healthy" usually become known together. Sent together, the platform handles them at once. */
const GATHER_MS = 5;
const AGAIN_MS = 1_000;
const TROUBLE: BackoffPolicy = { baseMs: 500, capMs: 30_000 };
const READ_MS = 120_000;

/** Implements the delivery contract for clusters: applies dispatched orders and reports their outcome. */
export class KubernetesAgent {
  readonly #deps: KubernetesAgentDeps;
  readonly #served = new Map<string, Served>();
  #signal: AbortSignal | undefined;

  constructor(deps: KubernetesAgentDeps) {
    this.#deps = deps;
  }

  /** Serves the cluster from now on, or from when the agent runs. A cluster that is already served is left as it is. */
  async add({ target, ...ports }: ServedCluster): Promise<void> {
    if (this.#served.has(target.id)) return;
    const { sleep, clock, random = Math.random, onTrouble, onLeft } = this.#deps;
    const pending = new CoalescingQueue<DeliveryReport>();
    const report: SessionDeps['report'] = (deployment, revision, content) =>
      pending.put(`${deployment} ${content.kind}`, { target: target.id, deployment, revision, ...content });
    const served: Served = {
      target,
      deps: {
        ports,
        report,
        sleep,
        clock,
        random,
        onTrouble,
        onLeft: (deployment, objects) => onLeft?.({ target, deployment, objects }),
      },
      pending,
      over: new AbortController(),
      instance: ports.instance,
      session: undefined,
      closing: Promise.resolve(),
      ended: Promise.resolve(),
    };
    this.#served.set(target.id, served);
    if (this.#signal !== undefined) this.#start(served, this.#signal);
  }

  /** Stops all work for the target at once, even if unfinished, and sends no more reports: another agent takes over. */
  async drop(targetId: string): Promise<void> {
    const served = this.#served.get(targetId);
    this.#served.delete(targetId);
    served?.over.abort();
    await served?.ended;
  }

  async dispatch(
    order: DeliveryOrder,
    signal: AbortSignal,
  ): Promise<AgentAcknowledgement | { readonly kind: 'offline' }> {
    const { target, deployment } = order;
    const accept = async (session: ClusterSession, stop: AbortSignal): Promise<AgentAcknowledgement> =>
      await session.reconcilerOf(deployment).accept(order, stop);
    return (await this.#ask(target.id, accept, signal)) ?? { kind: 'offline' };
  }

  async cancel({ target, deployment, revision }: OrderKey, signal: AbortSignal): Promise<void> {
    await this.#ask(target.id, async (session, stop) => await session.find(deployment)?.cancel(revision, stop), signal);
  }

  async preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer | undefined> {
    return await this.#ask(order.target.id, async (session, stop) => await session.preview(order, stop), signal);
  }

  async inventory(target: TargetRef, signal: AbortSignal): Promise<Inventory> {
    const account = async (session: ClusterSession, stop: AbortSignal): Promise<Inventory> => {
      await session.observed(stop);
      return accountOf(target, session);
    };
    const inventory = await this.#ask(target.id, account, signal);
    if (inventory === undefined) throw new TypeError(`the target ${target.name} is not served here`);
    return inventory;
  }

  /** Runs until the signal aborts and all work has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const served of this.#served.values()) this.#start(served, signal);
    await aborted(signal);
    await Promise.all([...this.#served.values()].map(({ ended }) => ended));
  }

  /**
   * `undefined` if the target is not served here. If the cached state is out of date it is read again, once. A second
   * such failure goes to the caller, who retries.
   */
  async #ask<T>(
    targetId: string,
    body: (session: ClusterSession, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    signal.throwIfAborted();
    const served = this.#served.get(targetId);
    if (served === undefined) return undefined;
    const stop = untilOver(served, signal);
    const session = await this.#current(served, stop);
    try {
      return await body(session, stop);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      await renew(served, session, error);
      return await body(await this.#current(served, stop), stop);
    }
  }

  /** All waiting callers share one read. A caller that gives up does not cancel it for the others. */
  async #current(served: Served, signal: AbortSignal): Promise<ClusterSession> {
    served.session ??= this.#read(served, AbortSignal.timeout(READ_MS)).catch((error: unknown) => {
      served.session = undefined;
      throw error;
    });
    return await unlessAborted(served.session, signal);
  }

  async #read(served: Served, signal: AbortSignal): Promise<ClusterSession> {
    await served.closing;
    const session = await ClusterSession.read(served.deps, signal);
    if (session.instance !== served.instance) {
      await this.#deps.reports.inventory([accountOf(served.target, session)], signal);
    }
    served.instance = session.instance;
    return session;
  }

  /** If reports of one cluster are not accepted, the other clusters are not delayed. */
  #start(served: Served, signal: AbortSignal): void {
    const { reports, onTrouble, sleep } = this.#deps;
    const stop = untilOver(served, signal);
    const pause = async (error: unknown): Promise<void> => {
      onTrouble(error);
      await sleep(AGAIN_MS, stop).catch(() => {});
    };
    const deliver = async (reported: readonly DeliveryReport[], until: AbortSignal): Promise<void> =>
      await reports.report(reported, until);
    const gather = { ms: GATHER_MS, sleep, isIncomplete: awaitsHealth };
    served.ended = Promise.all([
      this.#serve(served, stop),
      served.pending.run({ deliver, gather, onFailure: pause }, stop),
    ]);
  }

  /** Runs one session after another until the signal aborts; never throws. */
  async #serve(served: Served, signal: AbortSignal): Promise<void> {
    const { onTrouble, sleep, random = Math.random } = this.#deps;
    let attempts = 0;
    while (!signal.aborted) {
      let mine: Promise<ClusterSession> | undefined;
      try {
        const session = await this.#current(served, signal);
        mine = served.session;
        attempts = 0;
        const running = session.run(signal);
        served.closing = running.catch(() => {});
        await running;
      } catch (error) {
        if (signal.aborted) return;
        onTrouble(error);
        if (served.session === mine) served.session = undefined;
        attempts += 1;
        await sleep(backoffDelay(TROUBLE, attempts, random), signal).catch(() => {});
      }
    }
  }
}

async function renew(served: Served, session: ClusterSession, error: KubernetesError): Promise<void> {
  session.end(error);
  await served.closing;
  const now = await served.session?.catch(() => undefined);
  if (now === session) served.session = undefined;
}

function accountOf({ id }: TargetRef, { instance, holdings }: ClusterSession): Inventory {
  return { target: id, instance, holdings };
}

function awaitsHealth(reported: readonly DeliveryReport[]): boolean {
  return reported.some(({ kind }) => kind === 'applied') && reported.every(({ kind }) => kind !== 'health');
}

function untilOver({ over }: Served, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, over.signal]);
}
