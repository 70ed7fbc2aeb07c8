import type { TransportError } from './transport-error.ts';

/**
 * A connection that carries any number of bidirectional streams of frames. The content of frames is opaque. Every transport has
 * to pass `testing/transport-contract.ts`.
 */
export interface Transport {
  /** `grpc`, `websocket`, `memory`: for people. */
  readonly name: string;
  /** Throws a `TransportError` that says why, and whether to retry. */
  connect(signal: AbortSignal): Promise<Connection>;
}

export interface Connection {
  /**
   * Opens a stream. Frames sent before the other end has accepted it wait. If it cannot be opened, `closed` reports why.
   * `headers` arrive before the first frame.
   */
  open(handlers: StreamHandlers, headers?: Headers): Stream;
  /** Resolves when the connection is over, for any reason, after all its streams were closed. */
  readonly closed: Promise<TransportError | undefined>;
  /** Open streams are not ended gracefully. */
  close(): Promise<void>;
}

export interface Stream {
  /** The other end; meaningful only at the server. */
  readonly peer: Peer;
  /**
   * The frame is accepted in any case, and its bytes must not change afterwards. `false`: send no more until `room`, or memory
   * grows. Frames sent after the end are dropped.
   */
  send(frame: Uint8Array): boolean;
  /** Stops the delivery of frames, and through backpressure the sender. */
  pause(): void;
  resume(): void;
  /**
   * Ends this direction. Frames sent before are delivered, and so are frames of the other end until it learns of this. `closed`
   * is called when the other end has ended too, which it does automatically.
   */
  end(): void;
  /** The other end has presented valid credentials: frames up to the usual size are accepted from now on. */
  admit?(): void;
  /**
   * Keeps little in flight to this end on each stream of the connection, so that a small frame never waits for the network to
   * carry a megabyte of others. Streams become slower over long distances.
   */
  keepShort?(): void;
  /** Ends both directions at once; data in flight may be lost. `closed` follows at both ends, with CONNECTION_LOST. */
  destroy(): void;
}

/** No handler is called before the function that received the handlers has returned. */
export interface StreamHandlers {
  /** In order. The receiver owns the bytes. */
  frame(frame: Uint8Array): void;
  /** After a `send` that returned false. */
  room(): void;
  /** Called once, as the last event. Without an error the other end has ended gracefully. */
  closed(error: TransportError | undefined): void;
}

/** Lower-case names. */
export type Headers = Readonly<Record<string, string>>;

/** The calling peer, as proved by its connection. */
export interface Peer {
  readonly address: string;
  readonly headers: Headers;
  /** The certificate of the TLS handshake, in DER. Whether it is trusted, expired or revoked is checked elsewhere. */
  readonly certificate: Uint8Array | undefined;
  /**
   * Exempt from the limits for strangers: its certificate is recognised, or it is a process of the same user on this machine.
   */
  readonly isTrusted?: boolean;
}

/** Accepts streams. Addresses and TLS are configured by the creator. */
export interface TransportServer {
  /** Refuses new connections; open streams stay. */
  stopListening(): Promise<void>;
  close(): Promise<void>;
}

/** Called for each stream that the other end opens. An error thrown here closes that stream, and no other. */
export type AcceptStream = (stream: Stream) => StreamHandlers;

export const DEFAULT_MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** The largest frame of a stream that is not admitted yet. */
export const FIRST_FRAME_BYTES = 64 * 1024;
