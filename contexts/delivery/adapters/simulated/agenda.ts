import { type Clock, Notifier, type Sleep } from '#kit/std';

type Task = (signal: AbortSignal) => void | Promise<void>;

interface Entry {
  readonly due: number;
  /** Entries due at the same time run in the order of insertion. */
  readonly order: number;
  readonly run: Task;
}

/** How often an empty agenda is checked; any long time will do. */
const IDLE_MS = 3_600_000;

/**
 * Schedules tasks by time, with a single timer for all of them. Tasks due at the same time run in the order of
 * insertion, so that a fleet behaves the same in every run.
 */
export class Agenda {
  readonly #clock: Clock;
  readonly #wake: Notifier;
  /** A binary heap, earliest first. */
  readonly #entries: Entry[] = [];
  #order = 0;

  constructor({ clock, sleep }: { readonly clock: Clock; readonly sleep: Sleep }) {
    this.#clock = clock;
    this.#wake = new Notifier(sleep);
  }

  get now(): number {
    return this.#clock.now();
  }

  /** If it returns a promise, later tasks wait until that resolves. */
  after(ms: number, run: Task): void {
    const entry = { due: this.now + ms, order: this.#order++, run };
    this.#insert(entry);
    if (this.#entries[0] === entry) this.#wake.notify();
  }

  /** Resolves after this time, or rejects with the signal's reason. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const over = Promise.withResolvers<void>();
    const onAbort = (): void => over.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.after(ms, () => over.resolve());
    try {
      await over.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = this.#entries[0];
      if (next === undefined || next.due > this.now) {
        await this.#wake.wait(next === undefined ? IDLE_MS : next.due - this.now, signal);
        continue;
      }
      this.#removeFirst();
      await next.run(signal);
    }
  }

  #insert(entry: Entry): void {
    const entries = this.#entries;
    let place = entries.push(entry) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.#swapIfEarlier(place, above)) return;
      place = above;
    }
  }

  #removeFirst(): void {
    const entries = this.#entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return;
    entries[0] = last;
    for (let place = 0; ; ) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const earlier = isBefore(entries[right], entries[left]) ? right : left;
      if (!this.#swapIfEarlier(earlier, place)) return;
      place = earlier;
    }
  }

  #swapIfEarlier(below: number, above: number): boolean {
    const [lower, upper] = [this.#entries[below], this.#entries[above]];
    if (lower === undefined || upper === undefined || !isBefore(lower, upper)) return false;
    this.#entries[below] = upper;
    this.#entries[above] = lower;
    return true;
  }
}

function isBefore(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined) return false;
  return b === undefined || a.due < b.due || (a.due === b.due && a.order < b.order);
}
