import type { ChannelMemory, ChannelWindow, CloseFrame, Frame } from '../domain/frame.ts';

/** A stream of frames to the other end, for as long as a connection lasts. */
export interface FrameLink {
  readonly peer: LinkPeer;
  /** The frame is accepted in any case. `false`: send no more until `room`. */
  send(frame: Frame): boolean;
  pause(): void;
  resume(): void;
  /** Graceful: frames already sent are delivered, then `why`, then the stream ends. */
  close(why: Omit<CloseFrame, 'kind'>): void;
  /** The other end is authenticated: larger frames are accepted from now on. */
  admit?(): void;
  /** Keeps little in flight on the streams of this connection, so that small frames are not behind large ones. */
  keepShort?(): void;
  /** Ends the stream immediately. */
  destroy(): void;
}

/** The calling peer, as proved by its connection. */
export interface LinkPeer {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate: Uint8Array | undefined;
  /** Exempts the peer from the limits for strangers. Authorization is still checked. */
  readonly isTrusted?: boolean;
}

export interface LinkHandlers {
  /** Every frame except `close`. */
  frame(frame: Frame): void;
  room(): void;
  /**
   * Called once, whichever end closed the stream. `why` is the reason the other end gave, `malformed` after a malformed frame,
   * or `undefined` when the connection was lost or this end closed the stream.
   */
  closed(why: Omit<CloseFrame, 'kind'> | undefined): void;
  /** Called before `closed`, when the other end sent a malformed frame. */
  malformed?(message: string): void;
}

/** A connection that carries decoded frames. A malformed frame closes its stream as `malformed`. */
export interface LinkConnection {
  open(handlers: LinkHandlers): FrameLink;
  readonly closed: Promise<unknown>;
  close(): Promise<void>;
}

/** A rejection is retryable. */
export type Connect = (signal: AbortSignal) => Promise<LinkConnection>;

/** Called for each stream that the other end opens. */
export type AcceptLink = (link: FrameLink) => LinkHandlers;

/** The state of a channel that both ends exchange when its stream is opened. */
export interface Handshake {
  readonly memory: ChannelMemory;
  readonly window: ChannelWindow;
}
