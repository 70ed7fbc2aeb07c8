import { TransportError } from '../transport-error.ts';
import { PREFIX_BYTES } from './frame-writer.ts';

/** Chunks smaller than this are merged, this many at a time: a peer may send a large frame byte by byte. */
const SMALL_BYTES = 1_024;
const SMALL_CHUNKS = 1_024;

/** Finds the frames in the bytes of a stream. A frame that arrived in one piece is not copied. */
export class FrameReader {
  /** May be raised while frames are read. */
  maxFrameBytes: number;
  readonly #chunks: Buffer[] = [];
  /** Bytes of the first chunk that are already consumed. */
  #offset = 0;
  #bytes = 0;
  /** Number of small chunks at the end. */
  #small = 0;
  /** Length of the frame whose prefix was already read. */
  #frameBytes: number | undefined;

  constructor(maxFrameBytes: number) {
    this.maxFrameBytes = maxFrameBytes;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#small = chunk.length < SMALL_BYTES ? this.#small + 1 : 0;
    // The first chunk is never merged, because `#offset` refers to it.
    if (this.#small < SMALL_CHUNKS || this.#chunks.length <= SMALL_CHUNKS) return;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-SMALL_CHUNKS)));
    this.#small = 0;
  }

  /** The next complete frame. */
  next(): Uint8Array | undefined {
    if (this.#frameBytes === undefined) {
      if (this.#bytes < PREFIX_BYTES) return undefined;
      this.#frameBytes = this.#readPrefix();
    }
    if (this.#bytes < this.#frameBytes) return undefined;
    const frame = this.#take(this.#frameBytes);
    this.#frameBytes = undefined;
    return frame;
  }

  /** Whether only complete frames arrived, and all were taken. */
  get isEmpty(): boolean {
    return this.#bytes === 0 && this.#frameBytes === undefined;
  }

  /** Forgets what has arrived. */
  drop(): void {
    this.#chunks.length = 0;
    [this.#offset, this.#bytes, this.#small] = [0, 0, 0];
    this.#frameBytes = undefined;
  }

  #readPrefix(): number {
    const prefix = this.#take(PREFIX_BYTES);
    const flag = prefix.readUInt8(0);
    if (flag !== 0) {
      const what = flag === 1 ? 'it is compressed, but no compression was negotiated' : `its flag is ${flag}`;
      throw new TransportError('BAD_FRAME', `read the prefix of a frame: ${what}`);
    }
    const bytes = prefix.readUInt32BE(1);
    if (bytes > this.maxFrameBytes) {
      const message = `read a frame of ${bytes} bytes: the limit is ${this.maxFrameBytes}`;
      throw new TransportError('FRAME_TOO_LARGE', message);
    }
    return bytes;
  }

  /** Requires that this many bytes are available. */
  #take(bytes: number): Buffer {
    const first = this.#chunks[0] ?? Buffer.alloc(0);
    const end = this.#offset + bytes;
    if (end > first.length) return this.#gather(bytes);
    const taken = first.subarray(this.#offset, end);
    this.#moveTo(end);
    this.#bytes -= bytes;
    return taken;
  }

  #gather(bytes: number): Buffer {
    const gathered = Buffer.allocUnsafe(bytes);
    let filled = 0;
    for (let chunk = this.#chunks[0]; chunk !== undefined && filled < bytes; chunk = this.#chunks[0]) {
      const end = Math.min(chunk.length, this.#offset + bytes - filled);
      filled += chunk.copy(gathered, filled, this.#offset, end);
      this.#moveTo(end);
    }
    this.#bytes -= bytes;
    return gathered;
  }

  #moveTo(offset: number): void {
    const isThrough = offset >= (this.#chunks[0]?.length ?? 0);
    if (isThrough) this.#chunks.shift();
    this.#offset = isThrough ? 0 : offset;
  }
}
