import { BoundedQueue, retry, type Sleep } from '#kit/std';
import type { DeliveryReport, Inventory } from '#protocol/delivery';
import type { AgentReports } from '../../application/ports.ts';
import type { ConnectionChange } from '../../domain/connection-change.ts';

export type Outgoing =
  | { readonly kind: 'report'; readonly report: DeliveryReport }
  | { readonly kind: 'inventory'; readonly inventory: Inventory }
  | { readonly kind: 'connection'; readonly change: ConnectionChange };

const CAPACITY = 10_000;
const MOST_AT_ONCE = 1_000;
/** The listener may be away for a while; reports are retried until it takes them over. */
const AGAIN = {
  what: 'send reports of the fleet',
  policy: { baseMs: 200, capMs: 10_000 },
  attempts: Number.POSITIVE_INFINITY,
};

export interface ReportLineDeps {
  readonly reports: AgentReports;
  readonly sleep: Sleep;
  /** Called each time a report was not taken over. */
  readonly onTrouble?: (error: unknown) => void;
}

/**
 * Carries reports from the fleet to the listener, in order and in batches. While the line is full, senders wait: a
 * fleet is never faster than its listener.
 */
export class ReportLine {
  readonly #deps: ReportLineDeps;
  readonly #queue = new BoundedQueue<Outgoing>({ capacity: CAPACITY, whenFull: 'block' });

  constructor(deps: ReportLineDeps) {
    this.#deps = deps;
  }

  async push(item: Outgoing, signal: AbortSignal): Promise<void> {
    await this.#queue.push(item, signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    for await (const first of this.#queue.items(signal)) {
      let together = [first];
      while (this.#queue.size > 0) {
        const item = await this.#queue.take(signal);
        if (item === undefined) break;
        if (item.kind === together[0]?.kind && together.length < MOST_AT_ONCE) together.push(item);
        else {
          await this.#deliver(together, signal);
          together = [item];
        }
      }
      await this.#deliver(together, signal);
    }
  }

  async #deliver(batch: readonly Outgoing[], signal: AbortSignal): Promise<void> {
    const reports = batch.flatMap((item) => (item.kind === 'report' ? [item.report] : []));
    const inventories = batch.flatMap((item) => (item.kind === 'inventory' ? [item.inventory] : []));
    const changes = batch.flatMap((item) => (item.kind === 'connection' ? [item.change] : []));
    const { reports: listener, sleep, onTrouble } = this.#deps;
    const deliver = async (stop: AbortSignal): Promise<void> => {
      if (reports.length > 0) await listener.report(reports, stop);
      if (inventories.length > 0) await listener.inventory(inventories, stop);
      if (changes.length > 0) await listener.connectionChanged(changes, stop);
    };
    const isRetryable = (error: unknown): boolean => {
      onTrouble?.(error);
      return true;
    };
    await retry(deliver, { ...AGAIN, sleep, isRetryable }, signal);
  }
}
