import type { Runnable } from '#kit/reconcile';
import { type Clock, sleep as realSleep, type Sleep, systemClock, uuidv7 } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import type { GaugeSource, UsageBatch, UsageMeter, UsageStore } from '../application/usage-meter.ts';
import { type Measured, UsageTally } from '../domain/usage-tally.ts';
import { RepeatedRounds } from './repeated-rounds.ts';
import { SqlUsageStore, type UsagePlaces } from './sql-usage-store.ts';

export interface UsageRecorderDeps extends UsagePlaces {
  readonly storage: Storage;
  readonly log: Logger;
  readonly gauges?: readonly GaugeSource[];
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly store?: UsageStore;
}

const FLUSH_MS = 10_000;
const GAUGES_MS = 10 * 60_000;
const LAST_MS = 2_000;

/**
 * Counts in memory and writes every ten seconds. A process that is killed loses what it counted since. Nothing is counted
 * twice: a batch whose commit has an unknown outcome is sent again under the same number.
 */
export class UsageRecorder implements Runnable {
  readonly name = 'usage';
  readonly meter: UsageMeter;
  readonly #deps: UsageRecorderDeps;
  readonly #clock: Clock;
  readonly #store: UsageStore;
  readonly #tally = new UsageTally();
  readonly #writer = uuidv7();
  #unsent: UsageBatch | undefined;
  #number = 0;
  #gaugesAt = 0;
  #isFull = false;

  constructor(deps: UsageRecorderDeps) {
    const { clock = systemClock, store = new SqlUsageStore(deps.storage, deps) } = deps;
    this.#deps = deps;
    this.#clock = clock;
    this.#store = store;
    this.meter = {
      add: (workspace, meter, amount) => this.#count({ workspace, meter, amount, now: clock.now() }),
      observe: (workspace, meter, amount) => this.#count({ workspace, meter, amount, now: clock.now() }),
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { sleep = realSleep, log } = this.#deps;
    const rounds = new RepeatedRounds({
      sleep,
      everyMs: FLUSH_MS,
      round: async (stop) => {
        await this.#readGauges(stop);
        await this.flush(stop);
        return false;
      },
      onTrouble: (err, retryInMs) => log.warn({ err, retryInMs }, 'usage not written; retrying'),
    });
    await rounds.run(signal);
    await this.flush(AbortSignal.timeout(LAST_MS));
  }

  /** Writes what was counted so far; one flush at a time. */
  async flush(signal: AbortSignal): Promise<void> {
    if (this.#unsent !== undefined) await this.#send(this.#unsent, signal);
    const counts = this.#tally.take();
    this.#isFull = false;
    if (counts.length === 0) return;
    this.#number += 1;
    this.#unsent = { writer: this.#writer, number: this.#number, counts, now: this.#clock.now() };
    await this.#send(this.#unsent, signal);
  }

  async #send(batch: UsageBatch, signal: AbortSignal): Promise<void> {
    await this.#store.add(batch, signal);
    this.#unsent = undefined;
  }

  async #readGauges(signal: AbortSignal): Promise<void> {
    const { gauges = [] } = this.#deps;
    const now = this.#clock.now();
    if (now < this.#gaugesAt) return;
    for (const gauge of gauges) {
      const { meter } = gauge;
      for (const { workspace, amount } of await gauge.read(signal)) this.#count({ workspace, meter, amount, now });
    }
    this.#gaugesAt = now + GAUGES_MS;
  }

  #count(measured: Measured): void {
    if (this.#tally.count(measured) || this.#isFull) return;
    this.#isFull = true;
    this.#deps.log.error({}, 'usage dropped: the database could not be written for too long');
  }
}
