import type { Stream, StreamHandlers } from '../transport.ts';
import type { TransportError } from '../transport-error.ts';

/** Records the events of a stream, and lets tests wait for them. */
export class StreamRecorder implements StreamHandlers {
  readonly frames: Uint8Array[] = [];
  rooms = 0;
  closes: (TransportError | undefined)[] = [];
  /** Set by the test that opened or accepted it. */
  stream: Stream | undefined;
  /** Called for each frame. */
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

  /** Checked after every event here; bounded by the test's own timeout. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => this.#waiters.push({ holds, resolve }));
  }

  /** The code it was closed with, or `in order`. */
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
