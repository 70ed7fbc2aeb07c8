import type { ChannelMemory, ChannelWindow, CloseFrame, Frame } from '../domain/frame.ts';

/** A stream of frames to the other end, for as long as a connection lasts. */
export interface FrameLink {
  readonly peer: LinkPeer;
  /** It was taken in any case. `false`: nothing more until `room`. */
  send(frame: Frame): boolean;
  pause(): void;
  resume(): void;
  /** In order: what was sent arrives, then this, then it is over. */
  close(why: Omit<CloseFrame, 'kind'>): void;
  /** The other end has shown who it is: larger frames are taken from now on. */
  admit?(): void;
  /** At once. */
  destroy(): void;
}

/** What the connection proves of whoever called. */
export interface LinkPeer {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate: Uint8Array | undefined;
  /** The limits for strangers are not for it. What it may do is asked all the same. */
  readonly isTrusted?: boolean;
}

export interface LinkHandlers {
  /** All but `close`. */
  frame(frame: Frame): void;
  room(): void;
  /**
   * Once, whoever ended it. With what the other end said, with `malformed` when what it said was no frame, or `undefined`
   * when the connection was lost or this end had closed it.
   */
  closed(why: Omit<CloseFrame, 'kind'> | undefined): void;
  /** Before `closed`: what the other end said was no frame. */
  malformed?(message: string): void;
}

/** A connection, with frames that are understood. What is no frame closes its stream as `malformed`. */
export interface LinkConnection {
  open(handlers: LinkHandlers): FrameLink;
  readonly closed: Promise<unknown>;
  close(): Promise<void>;
}

/** A throw is a try that may be repeated. */
export type Connect = (signal: AbortSignal) => Promise<LinkConnection>;

/** Called for each stream that another opens. */
export type AcceptLink = (link: FrameLink) => LinkHandlers;

/** What both ends told each other of a channel, when its stream was opened. */
export interface Handshake {
  readonly memory: ChannelMemory;
  readonly window: ChannelWindow;
}
