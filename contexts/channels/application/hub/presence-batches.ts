import { type BackoffPolicy, backoffDelay, type Random, type Sleep, Wake } from '#kit/std';
import type { Presence, PresenceChange, ServedTarget } from './ports.ts';

export interface PresenceBatchesDeps {
  readonly presence: Presence;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly onTrouble: (error: unknown, retryInMs: number) => void;
}

interface Pending {
  /** At most two: what came before the last but one does not matter any more. */
  readonly changes: readonly PresenceChange[];
  readonly told: PromiseWithResolvers<void>;
}

const MOST_AT_ONCE = 1_000;
const RETRY: BackoffPolicy = { baseMs: 100, capMs: 5_000 };
const IDLE_MS = 60_000;

/** Tells who came and went: what happens while it tells is told together next, so that a thousand at once are one write. */
export class PresenceBatches {
  readonly #deps: PresenceBatchesDeps;
  readonly #wake: Wake;
  #pending = new Map<string, Pending>();

  constructor(deps: PresenceBatchesDeps) {
    this.#deps = deps;
    this.#wake = new Wake(deps.sleep);
  }

  /** Resolves once it was put down. */
  came(target: ServedTarget, time: number): Promise<void> {
    return this.#add({ target, isOnline: true, time });
  }

  went(target: ServedTarget, time: number): void {
    this.#deps.presence.reachable(target, false);
    this.#add({ target, isOnline: false, time }).catch(() => {});
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#wake.wait(IDLE_MS, signal).catch(() => {});
      while (this.#pending.size > 0 && !signal.aborted) await this.#tell(signal);
    }
  }

  /** What is left, once nobody runs it any longer. */
  async flush(signal: AbortSignal): Promise<void> {
    while (this.#pending.size > 0) await this.#put(this.#take(), signal);
  }

  #add(change: PresenceChange): Promise<void> {
    const { uid } = change.target;
    const before = this.#pending.get(uid);
    const told = before?.told ?? Promise.withResolvers<void>();
    this.#pending.set(uid, { changes: [...(before?.changes ?? []), change].slice(-2), told });
    this.#wake.raise();
    return told.promise;
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const batch = this.#take();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#put(batch, signal);
      } catch (error) {
        if (signal.aborted) return this.#putBack(batch);
        const retryInMs = backoffDelay(RETRY, attempt, this.#deps.random);
        this.#deps.onTrouble(error, retryInMs);
        await this.#deps.sleep(retryInMs, signal).catch(() => {});
      }
    }
  }

  async #put(batch: readonly Pending[], signal: AbortSignal): Promise<void> {
    await this.#deps.presence.changed(
      batch.flatMap(({ changes }) => changes),
      signal,
    );
    for (const { told } of batch) told.resolve();
  }

  #take(): Pending[] {
    const batch = [...this.#pending.entries()].slice(0, MOST_AT_ONCE);
    for (const [uid] of batch) this.#pending.delete(uid);
    return batch.map(([, pending]) => pending);
  }

  /** Before what has come since. */
  #putBack(batch: readonly Pending[]): void {
    const later = this.#pending;
    this.#pending = new Map();
    for (const pending of [...batch, ...later.values()]) {
      for (const change of pending.changes) this.#add(change).then(pending.told.resolve, pending.told.reject);
    }
  }
}
