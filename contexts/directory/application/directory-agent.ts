import { CoalescingQueue, Notifier, type Sleep } from '#kit/std';
import type {
  AgentAcknowledgement,
  DeliveryOrder,
  DeliveryReport,
  Inventory,
  OrderKey,
  PreviewAnswer,
} from '#protocol/delivery';
import type { TargetRef } from '#protocol/targets';
import { DirectoryTarget, type DirectoryTargetDeps } from './directory-target.ts';
import type { Reports } from './ports.ts';

export interface DirectoryAgentDeps {
  readonly reports: Reports;
  readonly sleep: Sleep;
  /** The operation is retried. */
  readonly onTrouble: (error: unknown) => void;
  /** How often a folder is checked, even without a change notification. */
  readonly lookEveryMs: number;
}

export type FolderDeps = Omit<DirectoryTargetDeps, 'report'>;

interface Served {
  readonly target: DirectoryTarget;
  readonly folder: FolderDeps['folder'];
  readonly over: AbortController;
  /** An order was accepted, or a file changed. */
  readonly news: Notifier;
  ended: Promise<void>;
}

const AGAIN_MS = 1_000;

/** Implements the delivery contract for folders: `dispatch` writes files, and their state is reported. */
export class DirectoryAgent {
  readonly #deps: DirectoryAgentDeps;
  readonly #reports = new CoalescingQueue<DeliveryReport>();
  readonly #served = new Map<string, Served>();
  readonly #serving = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(deps: DirectoryAgentDeps) {
    this.#deps = deps;
  }

  /**
   * Serves a folder from now on, or from the start of `run`. A folder is identified by its target's name and serves one target.
   */
  async add(folder: FolderDeps): Promise<void> {
    const { id, name } = folder.target;
    if (this.#served.has(id)) return;
    for (const [other, served] of this.#served) if (served.target.ref.name === name) await this.#drop(other, served);
    const report = (report: DeliveryReport): void =>
      this.#reports.put(`${report.target} ${report.deployment} ${report.kind}`, report);
    const target = new DirectoryTarget({ ...folder, report });
    const over = new AbortController();
    const news = new Notifier(this.#deps.sleep);
    const served: Served = { target, folder: folder.folder, over, news, ended: Promise.resolve() };
    this.#served.set(id, served);
    if (this.#signal !== undefined) this.#start(served, this.#signal);
  }

  async dispatch(
    order: DeliveryOrder,
    signal: AbortSignal,
  ): Promise<AgentAcknowledgement | { readonly kind: 'offline' }> {
    signal.throwIfAborted();
    const served = this.#served.get(order.target.id);
    if (served === undefined) return { kind: 'offline' };
    const acknowledgement = await served.target.dispatch(order, signal);
    served.news.notify();
    return acknowledgement;
  }

  async cancel(order: OrderKey, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#served.get(order.target.id)?.target.cancel(order, signal);
  }

  async preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer | undefined> {
    signal.throwIfAborted();
    return await this.#served.get(order.target.id)?.target.preview(order, signal);
  }

  async inventory(target: TargetRef, signal: AbortSignal): Promise<Inventory> {
    const served = this.#served.get(target.id);
    if (served === undefined) throw new TypeError(`the target ${target.name} is not served here`);
    return await served.target.inventory(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    const onFailure = async (error: unknown): Promise<void> => await this.#pause(error, signal);
    this.#signal = signal;
    for (const served of this.#served.values()) this.#start(served, signal);
    const deliver = async (reports: readonly DeliveryReport[], stop: AbortSignal): Promise<void> =>
      await this.#deps.reports.report(reports, stop);
    await this.#reports.run({ deliver, onFailure }, signal);
    await Promise.all(this.#serving);
  }

  #start(served: Served, signal: AbortSignal): void {
    const serving = this.#serve(served, AbortSignal.any([signal, served.over.signal])).finally(() => {
      this.#serving.delete(serving);
    });
    served.ended = serving;
    this.#serving.add(serving);
  }

  async #drop(id: string, served: Served): Promise<void> {
    this.#served.delete(id);
    served.over.abort();
    await served.ended;
  }

  async #serve(served: Served, signal: AbortSignal): Promise<void> {
    const watch = served.folder.watch(() => served.news.notify());
    try {
      while (!signal.aborted) {
        try {
          while (await served.target.work(signal));
          await served.target.look(signal);
          await served.news.wait(this.#deps.lookEveryMs, signal);
        } catch (error) {
          if (!signal.aborted) await this.#pause(error, signal);
        }
      }
    } finally {
      watch.close();
    }
  }

  async #pause(error: unknown, signal: AbortSignal): Promise<void> {
    this.#deps.onTrouble(error);
    await this.#deps.sleep(AGAIN_MS, signal).catch(() => {});
  }
}
