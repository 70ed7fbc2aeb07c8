import { KubeError } from '../kube-error.ts';

const NEWLINE = 10;

/**
 * Splits a stream of bytes into lines. The buffer for an incomplete line is bounded: a longer line is
 * `RESPONSE_TOO_LARGE`. Text is decoded only up to line ends, so a character is never split between two chunks.
 */
export class FrameReader {
  readonly #maxFrameBytes: number;
  #parts: Buffer[] = [];
  #held = 0;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Bytes of the incomplete line. */
  get held(): number {
    return this.#held;
  }

  /** The lines that this chunk completes, without empty ones. */
  push(chunk: Buffer): string[] {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#hold(chunk);
      return [];
    }
    const text = this.#held === 0 ? chunk.toString('utf8', 0, last) : this.#complete(chunk, last);
    if (last + 1 < chunk.length) this.#hold(chunk.subarray(last + 1));
    return text.split('\n').filter((line) => this.#isFrame(line));
  }

  #isFrame(line: string): boolean {
    // A text has at least as many bytes as characters.
    if (line.length > this.#maxFrameBytes) throw this.#tooLarge();
    return line !== '';
  }

  #complete(chunk: Buffer, last: number): string {
    this.#parts.push(chunk.subarray(0, last));
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#held = 0;
    return text;
  }

  #hold(bytes: Buffer): void {
    this.#held += bytes.length;
    if (this.#held > this.#maxFrameBytes) throw this.#tooLarge();
    this.#parts.push(bytes);
  }

  #tooLarge(): KubeError {
    const most = this.#maxFrameBytes;
    return new KubeError('RESPONSE_TOO_LARGE', `read an event of more than ${most} bytes`, { details: { most } });
  }
}
