import type { DeliveryReport, Inventory } from '#protocol/delivery';
import type { AgentReports } from '../application/ports.ts';
import type { ConnectionChange } from '../domain/connection-change.ts';

type Reported = Awaited<ReturnType<RecordingReports['all']>>[number];

/** Records all reports of agents, in order, and lets a test wait for them. */
export class RecordingReports implements AgentReports {
  readonly #all: (
    | DeliveryReport
    | ({ kind: 'inventory' } & Inventory)
    | ({ kind: 'connection' } & ConnectionChange)
  )[] = [];
  readonly #waiting = new Set<() => void>();
  /** Each call waits for this first, to simulate a slow listener. */
  gate: Promise<void> = Promise.resolve();
  calls = 0;

  all() {
    return this.#all;
  }

  ofKind<K extends Reported['kind']>(kind: K): Extract<Reported, { kind: K }>[] {
    return this.#all.filter((each): each is Extract<Reported, { kind: K }> => each.kind === kind);
  }

  /** Forgets the reports so far. */
  clear(): void {
    this.#all.length = 0;
  }

  /** The first matching report, once it has arrived. */
  async until(isLikeThis: (reported: Reported) => boolean, signal: AbortSignal): Promise<Reported> {
    for (let found = this.#all.find(isLikeThis); ; found = this.#all.find(isLikeThis)) {
      if (found !== undefined) return found;
      await this.#untilMore(signal);
    }
  }

  async untilThereAre(count: number, kind: Reported['kind'], signal: AbortSignal): Promise<void> {
    while (this.ofKind(kind).length < count) await this.#untilMore(signal);
  }

  async report(reports: readonly DeliveryReport[]): Promise<void> {
    await this.#take(reports);
  }

  async inventory(inventories: readonly Inventory[]): Promise<void> {
    await this.#take(inventories.map((inventory) => ({ kind: 'inventory' as const, ...inventory })));
  }

  async connectionChanged(changes: readonly ConnectionChange[]): Promise<void> {
    await this.#take(changes.map((change) => ({ kind: 'connection' as const, ...change })));
  }

  async #untilMore(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    signal.throwIfAborted();
  }

  async #take(reported: readonly Reported[]): Promise<void> {
    this.calls += 1;
    await this.gate;
    this.#all.push(...reported);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
