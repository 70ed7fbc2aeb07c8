import type { ChannelWindow } from './frame.ts';

/**
 * Unacknowledged messages and bytes, against the window. Both ends count alike; the receiver never counts more than the sender.
 */
export class Credit {
  window: ChannelWindow;
  readonly #largeAtOnce: number;
  #messages = 0;
  #bytes = 0;
  #large = 0;

  constructor(window: ChannelWindow, largeAtOnce: number) {
    this.window = window;
    this.#largeAtOnce = largeAtOnce;
  }

  get messages(): number {
    return this.#messages;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get large(): number {
    return this.#large;
  }

  get hasPlace(): boolean {
    return this.#messages < this.window.messages;
  }

  /** A message larger than the whole window may be sent when nothing else is in flight. */
  hasBytes(size: number): boolean {
    return this.#bytes === 0 || this.#bytes + size <= this.window.bytes;
  }

  get hasPlaceForLarge(): boolean {
    return this.#large < this.#largeAtOnce;
  }

  /** Messages sent in chunks do not count as bytes. */
  take(size: number, large: boolean): void {
    this.#messages += 1;
    if (large) this.#large += 1;
    else this.#bytes += size;
  }

  giveBack(size: number, large: boolean): void {
    this.#messages -= 1;
    if (large) this.#large -= 1;
    else this.#bytes -= size;
  }

  reset(window: ChannelWindow): void {
    this.window = window;
    this.#messages = 0;
    this.#bytes = 0;
    this.#large = 0;
  }
}
