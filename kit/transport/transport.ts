import type { TransportError } from './transport-error.ts';

/**
 * A connection that carries any number of streams of frames, both ways. What a frame means is not known here.
 * `testing/transport-contract.ts` is what every transport has to pass.
 */
export interface Transport {
  /** `grpc`, `websocket`, `memory`: for people. */
  readonly name: string;
  /** A throw says why in one sentence, and whether to come again: `TransportError`. */
  connect(signal: AbortSignal): Promise<Connection>;
}

export interface Connection {
  /**
   * A new stream. What is sent before the other end has taken it waits. When it cannot be had, `closed` says so.
   * `headers` reach the other end before the first frame.
   */
  open(handlers: StreamHandlers, headers?: Headers): Stream;
  /** Resolves when it is over, for whatever reason; all its streams have been closed then. */
  readonly closed: Promise<TransportError | undefined>;
  /** Streams that are open get no orderly end. */
  close(): Promise<void>;
}

export interface Stream {
  /** Who is at the other end; only of use to whoever was called. */
  readonly peer: Peer;
  /**
   * It was taken in any case, and its bytes must not change any more. `false`: send nothing more until `room`, or memory
   * grows. What is sent after the end goes nowhere.
   */
  send(frame: Uint8Array): boolean;
  /** Frames stop arriving, and the other end comes to feel it. */
  pause(): void;
  resume(): void;
  /**
   * Nothing more from this end; what was sent arrives, and what the other end has sent until it hears of it arrives here.
   * `closed` comes when the other end has ended, too, which it does by itself.
   */
  end(): void;
  /** The other end has shown a valid credential: from now on it may send frames of the usual size. */
  admit?(): void;
  /** At once, both ways; what is under way may be lost. `closed` follows, at both ends, with CONNECTION_LOST. */
  destroy(): void;
}

/** None of these is called before the function that they were given to has returned. */
export interface StreamHandlers {
  /** In order. The bytes are the receiver's own. */
  frame(frame: Uint8Array): void;
  /** After a `send` that said `false`. */
  room(): void;
  /** Once, and nothing follows. Without an error the other end has ended in order. */
  closed(error: TransportError | undefined): void;
}

/** Lower case names. */
export type Headers = Readonly<Record<string, string>>;

/** What the connection proves of whoever called. */
export interface Peer {
  readonly address: string;
  readonly headers: Headers;
  /** What its TLS handshake proved, in DER; whether it is trusted, is not expired and is not revoked is for others to say. */
  readonly certificate: Uint8Array | undefined;
  /** The limits for strangers are not for it: the certificate is one of ours, or the connection is within this machine's user. */
  readonly isTrusted?: boolean;
}

/** Takes calls. Whoever makes one says where it listens and how it is secured. */
export interface TransportServer {
  /** New connections are refused, open streams stay. */
  stopListening(): Promise<void>;
  close(): Promise<void>;
}

/** Called for each stream that others open. What it throws closes that stream, and no other. */
export type AcceptStream = (stream: Stream) => StreamHandlers;

export const DEFAULT_MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** The largest frame of a stream that is not admitted yet. */
export const FIRST_FRAME_BYTES = 64 * 1024;
