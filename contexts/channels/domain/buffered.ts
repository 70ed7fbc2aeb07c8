import type { ChannelWindow } from './frame.ts';

/** How many messages and bytes are buffered, against the limits. */
export class Buffered {
  readonly #most: ChannelWindow;
  #messages = 0;
  #bytes = 0;

  constructor(most: ChannelWindow) {
    this.#most = most;
  }

  get messages(): number {
    return this.#messages;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A message larger than the whole buffer fits when the buffer is empty. */
  fits(size: number): boolean {
    return this.#messages === 0 || (this.#messages < this.#most.messages && this.#bytes + size <= this.#most.bytes);
  }

  take(size: number): void {
    this.#messages += 1;
    this.#bytes += size;
  }

  release(size: number): void {
    this.#messages -= 1;
    this.#bytes -= size;
  }
}
