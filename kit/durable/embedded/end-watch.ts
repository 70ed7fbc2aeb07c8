import { Notifier, sleep } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { WORKFLOW_ENDED } from './journal-statements.ts';
import { toRecord, type WorkflowRecord, type WorkflowRow } from './workflow-row.ts';

/** Polling interval, in case an announcement of another process was missed. */
const POLL_MS = 5_000;
const PORTION = 500;

interface Waiter {
  resolve(record: WorkflowRecord): void;
  reject(error: unknown): void;
}

/** Waits for the ends of many workflows with one query for all of them; queries only while there are waiters. */
export class EndWatch {
  readonly #storage: Storage;
  readonly #waiting = new Map<string, Set<Waiter>>();
  #watching = false;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async ended(id: string, signal: AbortSignal): Promise<WorkflowRecord> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<WorkflowRecord>();
    const waiter: Waiter = { resolve, reject };
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const waiters = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiters.add(waiter));
    this.#watch();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiting.delete(id);
    }
  }

  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    const wake = new Notifier(sleep);
    const stopListening = this.#storage.onAnnounced(WORKFLOW_ENDED, () => wake.notify());
    const end = (): void => {
      stopListening();
      this.#watching = false;
    };
    this.#untilNobodyWaits(wake).then(end, (error: unknown) => {
      end();
      for (const waiters of this.#waiting.values()) for (const waiter of waiters) waiter.reject(error);
    });
  }

  async #untilNobodyWaits(wake: Notifier): Promise<void> {
    const never = new AbortController().signal;
    while (this.#waiting.size > 0) {
      const ids = [...this.#waiting.keys()];
      for (let from = 0; from < ids.length; from += PORTION) {
        const wanted = sql.list(ids.slice(from, from + PORTION));
        const rows = await this.#storage.all<WorkflowRow>(
          sql`SELECT * FROM durable_workflows WHERE id IN (${wanted}) AND ended_at IS NOT NULL`,
          never,
        );
        for (const row of rows) this.#tell(toRecord(row));
      }
      if (this.#waiting.size > 0) await wake.wait(POLL_MS, never);
    }
  }

  #tell(record: WorkflowRecord): void {
    for (const waiter of this.#waiting.get(record.id) ?? []) waiter.resolve(record);
    this.#waiting.delete(record.id);
  }
}
