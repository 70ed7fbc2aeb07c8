import type { ChunkFrame, MessageFrame } from './frame.ts';

const FIRST_BYTES = 64 * 1024;

/**
 * A message that arrives in chunks. Memory grows as chunks arrive, to at most twice the bytes received, so a peer that
 * announces a large message and sends little costs little. Chunks are copied, because a small one may retain a large buffer.
 */
export class Assembly {
  readonly header: MessageFrame;
  /** The message was received before; its chunks are counted but not stored. */
  readonly unwanted: boolean;
  #bytes = new Uint8Array(0);
  #length = 0;

  constructor(header: MessageFrame, unwanted: boolean) {
    this.header = header;
    this.unwanted = unwanted;
  }

  get isWhole(): boolean {
    return this.#length === this.header.chunkedSize;
  }

  /** Incomplete until `isWhole`. */
  get payload(): Uint8Array {
    return this.#bytes;
  }

  /** False when the chunk does not continue the previous one, is empty, or exceeds the announced size. */
  add({ offset, data }: ChunkFrame): boolean {
    const length = this.#length + data.length;
    if (offset !== this.#length || data.length === 0 || length > this.header.chunkedSize) return false;
    if (!this.unwanted) this.#append(data, length);
    this.#length = length;
    return true;
  }

  #append(data: Uint8Array, length: number): void {
    if (length > this.#bytes.length) {
      const bytes = new Uint8Array(Math.min(this.header.chunkedSize, Math.max(length, 2 * this.#length, FIRST_BYTES)));
      bytes.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = bytes;
    }
    this.#bytes.set(data, this.#length);
  }
}
