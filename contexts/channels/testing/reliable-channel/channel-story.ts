import type { Settled } from '../../application/channel.ts';
import type { ChannelWindow, MessageLimits } from '../../domain/frame.ts';

/** 0 dials, 1 is called. */
export type Side = 0 | 1;

/** What happens next. Everything else waits: a frame until it is delivered, an acknowledgement until it is given. */
export type Happening =
  | { readonly do: 'send'; readonly side: Side; readonly size: number; readonly lane: number; readonly ttl: number }
  | { readonly do: 'deliver'; readonly side: Side; readonly count: number; readonly oldest: boolean }
  | { readonly do: 'ack'; readonly side: Side; readonly which: number }
  | { readonly do: 'tick'; readonly side: Side }
  /** So many of the frames under way to each side still arrive. */
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
  /** Frames that a stream takes before it says that it has no room. */
  readonly pipe: number;
}

/** Everything that is known of a message, from its beginning to its end. */
export interface Story {
  readonly uid: number;
  readonly from: Side;
  readonly lane: number;
  /** Of the channel that it was sent in. */
  readonly life: number;
  settled: Settled | undefined;
  /** Each time that the application was given it, and when: counts all that were given to anybody. */
  readonly handed: { readonly life: number; readonly redelivered: boolean; readonly at: number }[];
  acked: boolean;
}
