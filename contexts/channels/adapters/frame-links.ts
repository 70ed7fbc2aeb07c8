import type { AcceptStream, Connection, Headers, Stream, StreamHandlers, Transport } from '#kit/transport';
import type { AcceptLink, Connect, FrameLink, LinkConnection, LinkHandlers, LinkPeer } from '../application/link.ts';
import type { CloseFrame, Frame } from '../domain/frame.ts';
import { decodeFrame, encodeFrame } from './frame-codec.ts';

/** The dialing side of a transport, with decoded frames. `headers` is called for each stream. */
export function frameConnections(transport: Transport, headers?: () => Headers): Connect {
  return async (signal) => new FrameConnection(await transport.connect(signal), headers);
}

/** The accepting side, for the servers of kit/transport. */
export function frameAcceptor(accept: AcceptLink): AcceptStream {
  return (stream) => StreamLink.accepted(stream, accept);
}

class FrameConnection implements LinkConnection {
  readonly #connection: Connection;
  readonly #headers: (() => Headers) | undefined;

  constructor(connection: Connection, headers: (() => Headers) | undefined) {
    this.#connection = connection;
    this.#headers = headers;
  }

  get closed(): Promise<unknown> {
    return this.#connection.closed;
  }

  open(handlers: LinkHandlers): FrameLink {
    return StreamLink.dialled(this.#connection, handlers, this.#headers?.());
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

/** Implements both sides of one stream in a single object, because there are many streams. */
class StreamLink implements FrameLink, StreamHandlers {
  #stream: Stream = NO_STREAM;
  #handlers: LinkHandlers = DEAF;
  /** `closing`: this end has sent `close` and waits for the end of the stream. */
  #phase: 'open' | 'closing' | 'over' = 'open';

  static dialled(connection: Connection, handlers: LinkHandlers, headers: Headers | undefined): StreamLink {
    const link = new StreamLink();
    link.#handlers = handlers;
    link.#stream = connection.open(link, headers);
    return link;
  }

  static accepted(stream: Stream, accept: AcceptLink): StreamLink {
    const link = new StreamLink();
    link.#stream = stream;
    link.#handlers = accept(link);
    return link;
  }

  get peer(): LinkPeer {
    return this.#stream.peer;
  }

  send(frame: Frame): boolean {
    return this.#phase === 'open' ? this.#stream.send(encodeFrame(frame)) : true;
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  close(why: Omit<CloseFrame, 'kind'>): void {
    if (this.#phase !== 'open') return;
    this.#phase = 'closing';
    // The reason may come with a kind of its own.
    this.#stream.send(encodeFrame({ ...why, kind: 'close' }));
    // A paused stream would never see the other end close.
    this.#stream.resume();
    this.#stream.end();
  }

  admit(): void {
    this.#stream.admit?.();
  }

  keepShort(): void {
    this.#stream.keepShort?.();
  }

  destroy(): void {
    this.#stream.destroy();
  }

  frame(bytes: Uint8Array): void {
    if (this.#phase !== 'open') return;
    const frame = this.#understood(bytes);
    if (!frame) return;
    if (frame.kind !== 'close') {
      this.#handlers.frame(frame);
      return;
    }
    const { kind: _, ...why } = frame;
    this.#stream.end();
    this.#finish(why);
  }

  room(): void {
    if (this.#phase === 'open') this.#handlers.room();
  }

  closed(): void {
    this.#finish(undefined);
  }

  #understood(bytes: Uint8Array): Frame | undefined {
    try {
      return decodeFrame(bytes);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#handlers.malformed?.(message);
      this.close({ reason: 'malformed', message, retryAfterMs: 0 });
      this.#finish({ reason: 'malformed', message, retryAfterMs: 0 });
      return undefined;
    }
  }

  #finish(why: Omit<CloseFrame, 'kind'> | undefined): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#handlers.closed(why);
  }
}

/** Placeholders until the real ones are assigned, which is before any event. */
const NO_STREAM: Stream = {
  peer: { address: '', headers: {}, certificate: undefined },
  send: () => true,
  pause: () => {},
  resume: () => {},
  end: () => {},
  destroy: () => {},
};
const DEAF: LinkHandlers = { frame: () => {}, room: () => {}, closed: () => {} };
