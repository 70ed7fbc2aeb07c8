import type { Writable } from 'node:stream';

/** A compression flag, then the length of the frame. */
export const PREFIX_BYTES = 5;

/** Above the high mark `send` returns false; below the low mark `room` is called. */
const HIGH_MARK = 256 * 1024;
const LOW_MARK = 64 * 1024;
/**
 * The most that is handed to HTTP/2 at once. Bytes that were handed down cannot be overtaken by other streams of the same
 * connection, so this must stay small.
 */
const BATCH_BYTES = 128 * 1024;
/** Smaller frames are copied into one buffer, because a write for each costs more. */
const COPY_BELOW = 8 * 1024;

/** Writes frames to a stream. Frames that arrive during a write are collected and written together. */
export class FrameWriter {
  readonly #stream: Writable;
  readonly #room: () => void;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #writingBytes = 0;
  #isFull = false;
  #isScheduled = false;
  #isEnding = false;
  // Created once: with little traffic there is one write per frame.
  readonly #flushSoon = (): void => {
    this.#isScheduled = false;
    this.#flush();
  };
  readonly #written = (): void => {
    this.#writingBytes = 0;
    this.#flush();
    if (!this.#isFull || this.#queuedBytes + this.#writingBytes > LOW_MARK) return;
    this.#isFull = false;
    this.#room();
  };

  constructor(stream: Writable, room: () => void) {
    this.#stream = stream;
    this.#room = room;
  }

  send(frame: Uint8Array): boolean {
    if (this.#isEnding || this.#stream.destroyed) return true;
    this.#queue.push(frame);
    this.#queuedBytes += PREFIX_BYTES + frame.length;
    this.#schedule();
    if (this.#queuedBytes + this.#writingBytes >= HIGH_MARK) this.#isFull = true;
    return !this.#isFull;
  }

  /** Ends the stream after everything that was sent. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#schedule();
  }

  /** Drops frames that were sent but not written yet. */
  drop(): void {
    this.#isEnding = true;
    this.#queue = [];
    this.#queuedBytes = 0;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#writingBytes > 0) return;
    this.#isScheduled = true;
    process.nextTick(this.#flushSoon);
  }

  #flush(): void {
    if (this.#stream.destroyed) return;
    if (this.#queue.length === 0) {
      if (this.#isEnding && !this.#stream.writableEnded) this.#stream.end();
      return;
    }
    const chunks = encode(this.#takeBatch());
    const last = chunks.pop();
    if (chunks.length > 0) this.#stream.cork();
    for (const chunk of chunks) this.#stream.write(chunk);
    this.#stream.write(last, this.#written);
    if (chunks.length > 0) this.#stream.uncork();
  }

  #takeBatch(): Uint8Array[] {
    let [count, bytes] = [0, 0];
    while (count < this.#queue.length && bytes < BATCH_BYTES) {
      bytes += PREFIX_BYTES + (this.#queue[count]?.length ?? 0);
      count += 1;
    }
    const batch = count === this.#queue.length ? this.#queue : this.#queue.slice(0, count);
    this.#queue = count === this.#queue.length ? [] : this.#queue.slice(count);
    this.#queuedBytes -= bytes;
    this.#writingBytes = bytes;
    return batch;
  }
}

/** Small frames in one buffer, large ones as they are. */
function encode(frames: readonly Uint8Array[]): Buffer[] {
  let slabBytes = 0;
  for (const { length } of frames) slabBytes += PREFIX_BYTES + (length < COPY_BELOW ? length : 0);
  const slab = Buffer.allocUnsafe(slabBytes);
  const chunks: Buffer[] = [];
  let [begun, end] = [0, 0];
  for (const frame of frames) {
    slab[end] = 0;
    slab.writeUInt32BE(frame.length, end + 1);
    end += PREFIX_BYTES;
    if (frame.length < COPY_BELOW) {
      slab.set(frame, end);
      end += frame.length;
      continue;
    }
    chunks.push(slab.subarray(begun, end), Buffer.from(frame.buffer, frame.byteOffset, frame.length));
    begun = end;
  }
  if (end > begun) chunks.push(slab.subarray(begun, end));
  return chunks;
}
