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
  /** So many were lost before this one; only ever in lossy channels. */
  readonly dropped: number;
  /** The responsibility is ours now. Until then it counts against the window, and is kept by the sender. */
  ack(): void;
}

export interface ChannelHandlers {
  /** In order for each key. Must not throw. */
  message(message: Inbound): void;
  /** The stream is there again after a cut (not the first time). */
  resumed?(): void;
  /** For good: the other end has refused or ended it, or it was closed here. */
  closed?(why: Omit<CloseFrame, 'kind'>): void;
}

/** A named bidirectional stream of messages that outlives connections. */
export interface Channel {
  readonly name: string;
  /**
   * Waits while the buffer is full, in the order of asking. Lossy channels never wait: the oldest goes. Rejects with
   * CHANNEL_CLOSED, MESSAGE_TOO_LARGE, or the signal's reason: then nothing was taken.
   */
  send(message: Outbound, signal: AbortSignal): Promise<void>;
  /** The same without a wait: false when there is no room, others wait for it, or it is closed (then nothing was taken). */
  trySend(message: Outbound): boolean;
  /** Resolves once there is room; rejects when it is closed. */
  room(signal: AbortSignal): Promise<void>;
  readonly buffered: { readonly messages: number; readonly bytes: number; readonly dropped: number };
  /** What is buffered is settled as `closed`. */
  close(why?: Omit<CloseFrame, 'kind'>): void;
}

/** The end of a channel that is put onto one stream after the other. */
export interface LinkedChannel extends Channel {
  /**
   * What the other end has to know before it sends or takes anything. It has to stay true: a stream that is attached is
   * destroyed and let go of.
   */
  handshake(): Handshake;
  /**
   * The stream is open, and the other end has said its own: the dialing end has `opened`, the accepting one has sent it.
   * Frames are sent before this returns. A stream that is attached already is destroyed and let go of first.
   */
  attach(link: FrameLink, other: Handshake): void;
  /** The stream is over; the channel is not. With a link: only if that is the one that is attached. */
  detach(link?: FrameLink): void;
  /** `message`, `chunk` and `ack` of the stream that is attached; others are for its owner. */
  frame(frame: Frame): void;
  /** Of the stream that is attached. */
  hasRoom(): void;
}

export interface LinkedChannelOptions {
  readonly name: string;
  readonly mode: Exclude<ChannelMode, 'bytes'>;
  readonly handlers: ChannelHandlers;
  /** What may be under way to us. */
  readonly window: ChannelWindow;
  /** What is kept of ours until it was acknowledged. Beyond that `send` waits, or the oldest goes. */
  readonly buffer: ChannelWindow;
  readonly newIncarnation: () => string;
  readonly now: () => number;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** Those of the protocol unless told; smaller ones are for tests. */
  readonly limits?: MessageLimits;
  /** Runs it soon: what was acknowledged until then goes in one frame. A microtask unless told. */
  readonly defer?: (run: () => void) => void;
}
