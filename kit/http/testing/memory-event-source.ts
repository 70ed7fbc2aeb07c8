import type { EventRecord, EventSource } from '../index.ts';

export interface TestEvent extends EventRecord {
  readonly text: string;
}

/** An event log in memory that counts reads, and can be told to fail or to forget. */
export class MemoryEventSource implements EventSource<TestEvent> {
  reads = 0;
  /** Thrown by the next reads, one each. */
  readonly failures: Error[] = [];
  /** Appended by the next read, too late to be part of it. */
  whileReading: string | undefined;
  /** Thrown instead of the last position. */
  unknownEnd: Error | undefined;
  #events: TestEvent[] = [];
  #last = 0;
  readonly #listeners = new Set<() => void>();

  get listeners(): number {
    return this.#listeners.size;
  }

  append(...texts: string[]): void {
    this.appendQuietly(...texts);
    for (const listener of this.#listeners) listener();
  }

  /** Simulates a lost announcement. */
  appendQuietly(...texts: string[]): void {
    for (const text of texts) {
      this.#last += 1;
      this.#events.push({ position: this.#last, type: text.startsWith('!') ? 'loud' : 'plain', text });
    }
  }

  /** Leaves a gap in the positions. */
  skip(): void {
    this.#last += 1;
  }

  forgetUpTo(position: number): void {
    this.#events = this.#events.filter((event) => event.position > position);
  }

  async readEvents({ after, limit }: { after: number; limit: number }): Promise<readonly TestEvent[]> {
    this.reads += 1;
    const failure = this.failures.shift();
    if (failure) throw failure;
    const found = this.#events.filter(({ position }) => position > after).slice(0, limit);
    const late = this.whileReading;
    this.whileReading = undefined;
    if (late !== undefined) this.append(late);
    return found;
  }

  async oldestPosition(): Promise<number | undefined> {
    return this.#events[0]?.position;
  }

  async lastPosition(): Promise<number> {
    if (this.unknownEnd) throw this.unknownEnd;
    return this.#last;
  }

  onAdvanced(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
