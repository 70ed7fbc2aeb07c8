import type { Clock, Sleep } from '#kit/std';
import type { Storage } from '../port.ts';
import { StorageError } from '../storage-error.ts';
import { type Beat, beat } from './lease-store.ts';

export interface HeartbeatDeps {
  readonly storage: Storage;
  readonly own: Pick<Beat, 'id' | 'seat' | 'since'>;
  /** Groups of roles that the process would lead. */
  readonly standsFor: () => readonly string[];
  /** JSON that the process says of itself. */
  readonly about: () => string;
  readonly leaseMs: number;
  /** No other process looks: one heartbeat lists this one. */
  readonly isAlone: boolean;
  readonly clock: Clock;
  readonly monotonic: () => number;
  readonly sleep: Sleep;
}

/** The database can be read, and no process can write. */
const NO_WRITES: ReadonlySet<string> = new Set(['DISK_FULL', 'DATABASE_READ_ONLY']);

/**
 * Shows the other processes that this one is alive, at its own pace and on a connection of the pool: it waits neither for a
 * claim nor for the batches of this process, which may wait for the lock of a row.
 */
export class Heartbeat {
  readonly #deps: HeartbeatDeps;
  /** A process that did not beat for this long stops leading, before another may begin. */
  readonly #silentMs: number;
  #last = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #standsFor = '';
  #beating: Promise<StorageError | undefined> | undefined;
  #pauses = 0;

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
    this.#silentMs = (2 / 3) * deps.leaseMs;
  }

  /** Grows whenever this process could not beat for so long that it has not seen the others beat either. */
  get pauses(): number {
    return this.#pauses;
  }

  /**
   * Writes a heartbeat if one is due, or if the process stands for other roles. Returns the error if the database takes no
   * writes: then no other process can claim a lease either.
   */
  async keep(signal: AbortSignal): Promise<StorageError | undefined> {
    this.#beating ??= this.#beat(signal).finally(() => {
      this.#beating = undefined;
    });
    return await this.#beating;
  }

  /** The database was read at this time, and takes no writes. */
  confirmed(at: number): void {
    this.#confirmedAt = at;
  }

  /** Beats until aborted, whatever else the process waits for. `onSilent`: no heartbeat could be written. */
  async run(onSilent: () => void, signal: AbortSignal): Promise<void> {
    await Promise.all([this.#beatUntil(signal), this.#watchSilence(onSilent, signal)]);
  }

  /** What fails here is reported by the turn of the process, which beats first. */
  async #beatUntil(signal: AbortSignal): Promise<void> {
    const { leaseMs, sleep } = this.#deps;
    while (!signal.aborted) {
      await sleep(leaseMs / 6, signal).catch(() => {});
      if (!signal.aborted) await this.keep(signal).catch(() => {});
    }
  }

  async #beat(signal: AbortSignal): Promise<StorageError | undefined> {
    const { storage, own, clock, monotonic, leaseMs, about, isAlone } = this.#deps;
    const begun = monotonic();
    const standsFor = this.#deps.standsFor();
    const isDue = begun - this.#last >= (isAlone ? Number.POSITIVE_INFINITY : leaseMs / 3);
    const isChanged = !isAlone && standsFor.join() !== this.#standsFor;
    if (!isDue && !isChanged) return undefined;
    const next = beat({ ...own, now: clock.now(), standsFor, about: about() });
    try {
      await storage.write((tx) => tx.run(next), signal);
    } catch (error) {
      if (error instanceof StorageError && NO_WRITES.has(error.code)) return error;
      throw error;
    }
    if (begun - this.#last > this.#silentMs) this.#pauses += 1;
    [this.#last, this.#confirmedAt] = [begun, begun];
    this.#standsFor = standsFor.join();
    return undefined;
  }

  async #watchSilence(onSilent: () => void, signal: AbortSignal): Promise<void> {
    const { monotonic, leaseMs, sleep } = this.#deps;
    for (let isSecond = false; !signal.aborted; ) {
      const silentMs = monotonic() - this.#confirmedAt;
      const isSilent = silentMs >= this.#silentMs;
      if (isSilent && isSecond) onSilent();
      // A process that did not run for a while looks twice: a heartbeat may have been answered meanwhile.
      isSecond = isSilent;
      await sleep(isSilent ? leaseMs / 6 : this.#silentMs - silentMs, signal).catch(() => {});
    }
  }
}
