import { DurableError } from './durable-error.ts';
import { LIMITS } from './limits.ts';

/**
 * Measures the history of a run, alike on every engine: an engine that counted its own would end the same workflow sooner or
 * later than another. It is fed with what a replay brings again, so that it always says the same at the same point.
 */
export class HistoryMeter {
  #events = 0;
  #chars = 0;

  /** One more thing in the history: a step that ended, a signal, a cancel, a marker. */
  add(text: string | undefined): void {
    this.#events += LIMITS.eventsPerEntry;
    this.weigh(text);
  }

  /** What belongs to something that is counted when it ends. */
  weigh(text: string | undefined): void {
    this.#chars += text?.length ?? 0;
  }

  get isDue(): boolean {
    return this.#events >= LIMITS.historyDue || this.#chars >= LIMITS.historyCharsDue;
  }

  /** Why the run cannot go on, once that is so. */
  get fault(): DurableError | undefined {
    if (this.#events < LIMITS.historyMax && this.#chars < LIMITS.historyCharsMax) return undefined;
    const size = `${this.#events} events and ${this.#chars} characters`;
    const due = `${LIMITS.historyDue} or ${LIMITS.historyCharsDue}`;
    return new DurableError('HISTORY_TOO_LONG', `a history of ${size}; continueAsNew was due at ${due}`);
  }
}
