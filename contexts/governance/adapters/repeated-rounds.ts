import { type BackoffPolicy, backoffDelay, FleetError, Notifier, type Sleep } from '#kit/std';

export interface Rounds {
  readonly sleep: Sleep;
  /** Interval between rounds when it is not raised. */
  readonly everyMs: number;
  /** True: run another round at once. */
  round(signal: AbortSignal): Promise<boolean>;
  /** Receives transient errors; the round is retried automatically. */
  onTrouble(error: unknown, retryInMs: number): void;
}

const TROUBLE: BackoffPolicy = { baseMs: 200, capMs: 10_000 };

/** Runs work in rounds: when raised, and periodically. */
export class RepeatedRounds {
  readonly #rounds: Rounds;
  readonly #wake: Notifier;

  constructor(rounds: Rounds) {
    this.#rounds = rounds;
    this.#wake = new Notifier(rounds.sleep);
  }

  raise(): void {
    this.#wake.notify();
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const rounds = this.#rounds;
    for (let failures = 0; !signal.aborted; ) {
      let waitMs = rounds.everyMs;
      try {
        const again = await rounds.round(signal);
        failures = 0;
        if (again) continue;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof FleetError) || error.entry.retry === 'never') throw error;
        failures += 1;
        waitMs = backoffDelay(TROUBLE, failures, Math.random);
        rounds.onTrouble(error, waitMs);
      }
      await this.#wake.wait(waitMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }
}
