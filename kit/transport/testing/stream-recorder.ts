import type { Stream, StreamHandlers } from '../transport.ts';
import type { TransportError } from '../transport-error.ts';

/** Remembers what a stream said, and lets tests wait for it. */
export class StreamRecorder implements StreamHandlers {
  readonly frames: Uint8Array[] = [];
  rooms = 0;
  closes: (TransportError | undefined)[] = [];
  /** Set by whoever opened or took it. */
  stream: Stream | undefined;
  /** What to do with each frame besides. */
  onFrame: (frame: Uint8Array) => void = () => {};
  #waiters: { readonly holds: () => boolean; readonly resolve: () => void }[] = [];

  frame(frame: Uint8Array): void {
    this.frames.push(frame);
    this.onFrame(frame);
    this.#look();
  }

  room(): void {
    this.rooms += 1;
    this.#look();
  }

  closed(error: TransportError | undefined): void {
    this.closes.push(error);
    this.#look();
  }

  /** Looked at after everything that happens here; the test's own time limit bounds it. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => this.#waiters.push({ holds, resolve }));
  }

  /** The code that it was closed with; `in order` without one. */
  async end(): Promise<string> {
    await this.until(() => this.closes.length > 0);
    return this.closes[0]?.code ?? 'in order';
  }

  texts(): string[] {
    return this.frames.map((frame) => Buffer.from(frame).toString());
  }

  #look(): void {
    const all = this.#waiters;
    this.#waiters = all.filter(({ holds }) => !holds());
    for (const waiter of all) if (!this.#waiters.includes(waiter)) waiter.resolve();
  }
}
