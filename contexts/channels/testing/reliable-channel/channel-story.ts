import type { Settled } from '../../application/channel.ts';
import type { ChannelWindow, MessageLimits } from '../../domain/frame.ts';

/** 0 dials, 1 accepts. */
export type Side = 0 | 1;

/** The next event. Everything else waits: a frame until it is delivered, an acknowledgement until it is given. */
export type StoryEvent =
  | { readonly do: 'send'; readonly side: Side; readonly size: number; readonly lane: number; readonly ttl: number }
  | { readonly do: 'deliver'; readonly side: Side; readonly count: number; readonly oldest: boolean }
  | { readonly do: 'ack'; readonly side: Side; readonly which: number }
  | { readonly do: 'tick'; readonly side: Side }
  /** How many of the frames in flight to each side still arrive. */
  | { readonly do: 'cut'; readonly arrive: readonly [number, number] }
  | { readonly do: 'notice'; readonly side: Side }
  | { readonly do: 'connect' }
  | { readonly do: 'restart'; readonly side: Side }
  | { readonly do: 'pass'; readonly ms: number };

export interface WorldOptions {
  readonly mode: 'reliable' | 'lossy';
  readonly window: ChannelWindow;
  readonly buffer: ChannelWindow;
  readonly limits: MessageLimits;
  /** How many frames a stream takes before it reports that it has no room. */
  readonly pipe: number;
}

/** The history of a message, from beginning to end. */
export interface Story {
  readonly uid: number;
  readonly from: Side;
  readonly lane: number;
  /** The incarnation of the channel it was sent in. */
  readonly life: number;
  settled: Settled | undefined;
  /** Each delivery to an application, and its position among all deliveries. */
  readonly handed: { readonly life: number; readonly redelivered: boolean; readonly at: number }[];
  acked: boolean;
}
