import { type Clock, CoalescingQueue, type Random, type Sleep } from '#kit/std';
import type {
  AgentAcknowledgement,
  DeliveryOrder,
  DeliveryReport,
  Inventory,
  OrderKey,
  PreviewAnswer,
} from '#protocol/delivery';
import type { TargetRef } from '#protocol/targets';
import { KubernetesTarget } from './kubernetes-target.ts';
import type { ClusterPorts, Reports } from './ports.ts';

export interface KubernetesAgentDeps {
  readonly reports: Reports;
  readonly sleep: Sleep;
  readonly clock: Clock;
  readonly random?: Random;
  /** Called with errors that will be retried. */
  readonly onTrouble: (error: unknown) => void;
}

export interface ServedCluster extends ClusterPorts {
  readonly target: TargetRef;
}

interface Served {
  readonly target: KubernetesTarget;
  /** Reports waiting to be sent. */
  readonly line: CoalescingQueue<DeliveryReport>;
  readonly over: AbortController;
  ended: Promise<unknown>;
}

/** "Applied" and "healthy" usually become known together. Sent together, the platform handles them at once. */
const GATHER_MS = 5;
const AGAIN_MS = 1_000;

/** Implements the delivery contract for clusters: applies dispatched orders and reports their outcome. */
export class KubernetesAgent {
  readonly #deps: KubernetesAgentDeps;
  readonly #served = new Map<string, Served>();
  #signal: AbortSignal | undefined;

  constructor(deps: KubernetesAgentDeps) {
    this.#deps = deps;
  }

  /** Serves the cluster from now on, or from when the agent runs. A cluster that is already served is left as it is. */
  async add({ target: ref, ...ports }: ServedCluster): Promise<void> {
    if (this.#served.has(ref.id)) return;
    const { reports, sleep, clock, random = Math.random, onTrouble } = this.#deps;
    const line = new CoalescingQueue<DeliveryReport>();
    const target = new KubernetesTarget({
      target: ref,
      ports,
      say: (report) => line.put(`${report.deployment} ${report.kind}`, report),
      rebuilt: async (account, signal) => await reports.inventory([account], signal),
      sleep,
      clock,
      random,
      onTrouble,
    });
    const served: Served = { target, line, over: new AbortController(), ended: Promise.resolve() };
    this.#served.set(ref.id, served);
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
    signal.throwIfAborted();
    const served = this.#served.get(order.target.id);
    return served === undefined ? { kind: 'offline' } : await served.target.dispatch(order, untilOver(served, signal));
  }

  async cancel(order: OrderKey, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const served = this.#served.get(order.target.id);
    if (served !== undefined) await served.target.cancel(order, untilOver(served, signal));
  }

  async preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer | undefined> {
    signal.throwIfAborted();
    const served = this.#served.get(order.target.id);
    return await served?.target.preview(order, untilOver(served, signal));
  }

  async inventory(target: TargetRef, signal: AbortSignal): Promise<Inventory> {
    const served = this.#served.get(target.id);
    if (served === undefined) throw new TypeError(`the target ${target.name} is not served here`);
    return await served.target.account(untilOver(served, signal));
  }

  /** Runs until the signal aborts and all work has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const served of this.#served.values()) this.#start(served, signal);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.all([...this.#served.values()].map(({ ended }) => ended));
  }

  /** If reports of one cluster are not accepted, the other clusters are not delayed. */
  #start(served: Served, signal: AbortSignal): void {
    const { reports, onTrouble, sleep } = this.#deps;
    const stop = untilOver(served, signal);
    const pause = async (error: unknown): Promise<void> => {
      onTrouble(error);
      await sleep(AGAIN_MS, stop).catch(() => {});
    };
    const deliver = async (said: readonly DeliveryReport[], until: AbortSignal): Promise<void> =>
      await reports.report(said, until);
    const gather = { ms: GATHER_MS, sleep, isIncomplete: awaitsHealth };
    served.ended = Promise.all([served.target.run(stop), served.line.run({ deliver, gather, onFailure: pause }, stop)]);
  }
}

function awaitsHealth(words: readonly DeliveryReport[]): boolean {
  return words.some(({ kind }) => kind === 'applied') && words.every(({ kind }) => kind !== 'health');
}

function untilOver({ over }: Served, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, over.signal]);
}
