import type { ChannelMode, ChannelWindow, CloseFrame, Frame, MessageLimits } from '../domain/frame.ts';
import type { Outbound, Settled } from '../domain/outbound.ts';
import type { FrameLink, Handshake } from './link.ts';

export type { Outbound, Settled };

export interface Inbound {
  readonly payload: Uint8Array;
  readonly target: string;
  readonly process: string;
  readonly key: string;
  readonly deadline: number;
  readonly redelivered: boolean;
  /** How many messages were lost before this one. Always 0 on reliable channels. */
  readonly dropped: number;
  /** Takes responsibility for the message. Until then it counts against the window, and the sender keeps it. */
  ack(): void;
}

export interface ChannelHandlers {
  /** In order for each key. Must not throw. */
  message(message: Inbound): void;
  /** The stream is back after a cut. Not called for the first stream. */
  resumed?(): void;
  /** Closed permanently: the other end refused or ended the channel, or it was closed here. */
  closed?(why: Omit<CloseFrame, 'kind'>): void;
}

/** A named bidirectional stream of messages that outlives connections. */
export interface Channel {
  readonly name: string;
  /**
   * Waits while the buffer is full; waiters are served in order. A lossy channel never waits: it drops the oldest message.
   * Rejects with CHANNEL_CLOSED, MESSAGE_TOO_LARGE, or the signal's reason; then the message was not accepted.
   */
  send(message: Outbound, signal: AbortSignal): Promise<void>;
  /**
   * Like `send`, but never waits: false when there is no room, others are waiting for it, or the channel is closed. Then the
   * message was not accepted.
   */
  trySend(message: Outbound): boolean;
  /** Resolves once there is room; rejects when the channel is closed. */
  room(signal: AbortSignal): Promise<void>;
  readonly buffered: { readonly messages: number; readonly bytes: number; readonly dropped: number };
  /** Buffered messages are settled as `closed`. */
  close(why?: Omit<CloseFrame, 'kind'>): void;
}

/** The end of a channel that is attached to one stream after the other. */
export interface LinkedChannel extends Channel {
  /**
   * The state that the other end needs before it sends or accepts anything. The state must not change afterwards, so a stream
   * that is still attached is destroyed and detached.
   */
  handshake(): Handshake;
  /**
   * Attaches an open stream, with the handshake of the other end: the dialing end has received `opened`, the accepting end has
   * sent it. Frames are sent before this returns. A stream that is still attached is destroyed and detached first.
   */
  attach(link: FrameLink, other: Handshake): void;
  /** The stream has ended; the channel has not. With a link: only if that link is attached. */
  detach(link?: FrameLink): void;
  /** Handles `message`, `chunk` and `ack` frames of the attached stream. Its owner handles all others. */
  frame(frame: Frame): void;
  /** The attached stream has room. */
  hasRoom(): void;
}

export interface LinkedChannelOptions {
  readonly name: string;
  readonly mode: Exclude<ChannelMode, 'bytes'>;
  readonly handlers: ChannelHandlers;
  /** How much may be in flight to this end. */
  readonly window: ChannelWindow;
  /**
   * How much this end keeps until it is acknowledged. Beyond that `send` waits, or a lossy channel drops the oldest message.
   */
  readonly buffer: ChannelWindow;
  readonly newIncarnation: () => string;
  readonly now: () => number;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** Default: the limits of the protocol. Tests use smaller ones. */
  readonly limits?: MessageLimits;
  /** Runs the function soon, so that several acknowledgements share one frame. Default: a microtask. */
  readonly defer?: (run: () => void) => void;
}
