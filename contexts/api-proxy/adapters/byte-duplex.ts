import { Duplex } from 'node:stream';

/** A bidirectional byte stream over any transport; `contexts/channels` provides such streams. */
export interface Bytes {
  /** Always accepts the data. `false`: do not write more until `room`. */
  write(data: Uint8Array): boolean;
  end(): void;
  destroy(why?: string): void;
  pause(): void;
  resume(): void;
}

/** The events of a tunnel. */
export interface BytesHandlers {
  data(data: Uint8Array): void;
  room(): void;
  ended(): void;
  closed(why: string | undefined): void;
}

/** Copying more costs more than a frame of its own. */
const JOINED_BYTES = 16 * 1024;

/** A tunnel as a Node stream, so that Node's HTTP can run over it. */
export class ByteDuplex extends Duplex {
  /** The owner of the tunnel calls these. */
  readonly handlers: BytesHandlers = {
    data: (data) => {
      if (!this.destroyed && !this.push(data)) this.#bytes?.pause();
    },
    room: () => this.#goOn(),
    ended: () => {
      if (!this.destroyed) this.push(null);
    },
    closed: (why) => this.#close(why),
  };
  #bytes: Bytes | undefined;
  #whenRoom: (() => void) | undefined;
  #isOver = false;

  constructor() {
    // One direction may end before the other.
    super({ allowHalfOpen: true });
  }

  /** Attaches the transport. Writes wait until then. */
  over(bytes: Bytes): this {
    this.#bytes = bytes;
    if (this.destroyed) bytes.destroy();
    return this;
  }

  /** An agent of `node:http` calls this on a connection that it reuses. A tunnel keeps no process alive. */
  ref(): this {
    return this;
  }

  override _read(): void {
    this.#bytes?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(chunk, done);
  }

  #send(chunk: Buffer, done: (error?: Error | null) => void): void {
    if (this.#isOver || this.#bytes === undefined || this.#bytes.write(chunk)) done();
    else this.#whenRoom = done;
  }

  /** A head and the first bytes of its body are written together: one frame of the tunnel for both, where they are small. */
  override _writev(written: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    const chunks = written.map(({ chunk }) => chunk);
    const size = chunks.reduce((sum, { length }) => sum + length, 0);
    const frames = size <= JOINED_BYTES ? [Buffer.concat(chunks, size)] : chunks;
    const last = frames.pop();
    for (const frame of frames) this.#bytes?.write(frame);
    if (last === undefined) done();
    else this.#send(last, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#bytes?.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isOver) this.#bytes?.destroy(error?.message);
    this.#isOver = true;
    this.#whenRoom = undefined;
    done(error);
  }

  #goOn(): void {
    const done = this.#whenRoom;
    this.#whenRoom = undefined;
    done?.();
  }

  #close(why: string | undefined): void {
    this.#isOver = true;
    if (why === undefined) this.#goOn();
    else this.destroy(new Error(why));
  }
}
