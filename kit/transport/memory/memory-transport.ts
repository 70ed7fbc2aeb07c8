import { connectionLost } from '../connection-lost.ts';
import { deadStream } from '../dead-stream.ts';
import {
  type AcceptStream,
  type Connection,
  DEFAULT_MAX_FRAME_BYTES,
  type Headers,
  type Peer,
  type StreamHandlers,
  type Transport,
  type TransportServer,
} from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { MemoryEnd } from './memory-end.ts';

export interface MemoryTransportOptions {
  readonly accept: AcceptStream;
  /** Receives errors thrown by `accept`. */
  readonly onThrow?: (error: unknown) => void;
  /** Larger frames are refused. Default 4 MiB. */
  readonly maxFrameBytes?: number;
  /** The peer that the server sees. */
  readonly peer?: Omit<Peer, 'headers'>;
}

export interface MemoryTransport {
  readonly transport: Transport;
  readonly server: TransportServer;
  /** Cuts all connections, as a network would. */
  cut(): void;
}

const IN_PROCESS: Omit<Peer, 'headers'> = { address: 'memory', certificate: undefined, isTrusted: true };

/** Both ends in one process. */
export function createMemoryTransport(options: MemoryTransportOptions): MemoryTransport {
  const connections = new Set<MemoryConnection>();
  let isListening = true;
  const connect = async (signal: AbortSignal): Promise<Connection> => {
    signal.throwIfAborted();
    if (!isListening) throw new TransportError('UNREACHABLE', 'connect in memory: the server no longer listens');
    const connection = new MemoryConnection(options);
    connections.add(connection);
    connection.closed.then(
      () => connections.delete(connection),
      () => {},
    );
    return connection;
  };
  const cut = (): void => {
    for (const connection of connections) connection.cut();
  };
  const stopListening = async (): Promise<void> => {
    isListening = false;
  };
  const close = async (): Promise<void> => {
    isListening = false;
    cut();
    await Promise.all(Array.from(connections, ({ closed }) => closed));
  };
  return { transport: { name: 'memory', connect }, server: { stopListening, close }, cut };
}

class MemoryConnection implements Connection {
  readonly closed: Promise<TransportError | undefined>;
  readonly #options: MemoryTransportOptions;
  readonly #over = Promise.withResolvers<TransportError | undefined>();
  readonly #ends = new Set<MemoryEnd>();
  #isGone = false;
  #fault: TransportError | undefined;

  constructor(options: MemoryTransportOptions) {
    this.#options = options;
    this.closed = this.#over.promise;
  }

  open(handlers: StreamHandlers, headers: Headers = {}): MemoryEnd | ReturnType<typeof deadStream> {
    const called = { ...(this.#options.peer ?? IN_PROCESS), headers };
    const calling = { ...IN_PROCESS, headers: {} };
    if (this.#isGone) return deadStream(calling, handlers, connectionLost());
    const maxFrameBytes = this.#options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
    const ours = this.#end(calling, maxFrameBytes);
    const theirs = this.#end(called, maxFrameBytes);
    ours.join(theirs);
    theirs.join(ours);
    ours.handTo(handlers);
    setImmediate(() => this.#accept(theirs));
    return ours;
  }

  async close(): Promise<void> {
    this.#go(undefined);
    await this.closed;
  }

  cut(): void {
    this.#go(connectionLost());
  }

  #end(peer: Peer, maxFrameBytes: number): MemoryEnd {
    const end = new MemoryEnd({
      peer,
      maxFrameBytes,
      over: () => {
        this.#ends.delete(end);
        this.#settle();
      },
    });
    this.#ends.add(end);
    return end;
  }

  #accept(theirs: MemoryEnd): void {
    try {
      theirs.handTo(this.#options.accept(theirs));
    } catch (error) {
      this.#options.onThrow?.(error);
      theirs.fail(error instanceof TransportError ? error : new TransportError('REFUSED', 'the call was not accepted'));
    }
  }

  #go(fault: TransportError | undefined): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#fault = fault;
    for (const end of this.#ends) end.over(connectionLost());
    this.#settle();
  }

  #settle(): void {
    if (this.#isGone && this.#ends.size === 0) this.#over.resolve(this.#fault);
  }
}
