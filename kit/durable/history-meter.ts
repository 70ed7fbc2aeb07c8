import { DurableError } from './durable-error.ts';
import { LIMITS } from './limits.ts';

/**
 * Measures the history of a run in the same way on every engine: otherwise the same workflow would end at different
 * points. It counts only what a replay repeats, so it gives the same result at the same point.
 */
export class HistoryMeter {
  #events = 0;
  #chars = 0;

  /** Counts one more entry of the history: an ended step, a signal, a cancel, a marker. */
  add(text: string | undefined): void {
    this.#events += LIMITS.eventsPerEntry;
    this.weigh(text);
  }

  /** Adds the size of a text whose entry is counted when its step ends. */
  weigh(text: string | undefined): void {
    this.#chars += text?.length ?? 0;
  }

  get isDue(): boolean {
    return this.#events >= LIMITS.historyDue || this.#chars >= LIMITS.historyCharsDue;
  }

  /** The error that ends the run when its history has become too long. */
  get fault(): DurableError | undefined {
    if (this.#events < LIMITS.historyMax && this.#chars < LIMITS.historyCharsMax) return undefined;
    const size = `${this.#events} events and ${this.#chars} characters`;
    const due = `${LIMITS.historyDue} or ${LIMITS.historyCharsDue}`;
    return new DurableError('HISTORY_TOO_LONG', `a history of ${size}; continueAsNew was due at ${due}`);
  }
}
