import { type BackoffPolicy, backoffDelay, handOver, Notifier, type Random, type Sleep } from '#kit/std';
import type { Presence, PresenceChange, ServedTarget } from './ports.ts';

export interface PresenceBatchesDeps {
  readonly presence: Presence;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly onTrouble: (error: unknown, retryInMs: number) => void;
  /** The change of one target can never be saved; the target stays offline until it registers again. Others are not held up. */
  readonly onRefused: (target: ServedTarget, error: unknown) => void;
}

interface Pending {
  /** At most two: earlier changes no longer matter. */
  readonly changes: readonly PresenceChange[];
  readonly told: PromiseWithResolvers<void>;
}

const MOST_AT_ONCE = 1_000;
const RETRY: BackoffPolicy = { baseMs: 100, capMs: 5_000 };
const IDLE_MS = 60_000;

/**
 * Saves presence changes in batches: changes that arrive during a write go into the next one, so a thousand at once are one
 * write.
 */
export class PresenceBatches {
  readonly #deps: PresenceBatchesDeps;
  readonly #wake: Notifier;
  #pending = new Map<string, Pending>();

  constructor(deps: PresenceBatchesDeps) {
    this.#deps = deps;
    this.#wake = new Notifier(deps.sleep);
  }

  /** Resolves once the change is saved; rejects when it cannot be. */
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

  /** Saves what is left after `run` has ended. */
  async flush(signal: AbortSignal): Promise<void> {
    while (this.#pending.size > 0 && !signal.aborted) await this.#tell(signal);
  }

  #add(change: PresenceChange): Promise<void> {
    const { uid } = change.target;
    const before = this.#pending.get(uid);
    const told = before?.told ?? Promise.withResolvers<void>();
    // No caller awaits the change of a target that went away.
    told.promise.catch(() => {});
    this.#pending.set(uid, { changes: [...(before?.changes ?? []), change].slice(-2), told });
    this.#wake.notify();
    return told.promise;
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const { random, sleep, onTrouble, onRefused } = this.#deps;
    const left = new Set(this.#take());
    await handOver(
      [...left],
      {
        hand: async (some) => {
          await this.#put(some, signal);
          for (const pending of some) left.delete(pending);
        },
        setAside: (pending, error) => {
          left.delete(pending);
          const target = pending.changes.at(-1)?.target;
          if (target !== undefined) onRefused(target, error);
          pending.told.reject(error);
        },
        pause: async (error, attempt) => {
          const retryInMs = backoffDelay(RETRY, attempt, random);
          onTrouble(error, retryInMs);
          await sleep(retryInMs, signal).catch(() => {});
        },
      },
      signal,
    );
    if (left.size > 0) this.#putBack([...left]);
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

  /** Ahead of the changes that have arrived since. */
  #putBack(batch: readonly Pending[]): void {
    const later = this.#pending;
    this.#pending = new Map();
    for (const pending of [...batch, ...later.values()]) {
      for (const change of pending.changes) this.#add(change).then(pending.told.resolve, pending.told.reject);
    }
  }
}
