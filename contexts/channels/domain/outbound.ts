export interface Outbound {
  readonly payload: Uint8Array;
  /** The uid of a target, where the channel is of several. */
  readonly target?: string;
  /** Down: for this local process only. Up: from it. */
  readonly process?: string;
  /** What has the same key arrives in order; what has none is in order with all else of its target that has none. */
  readonly key?: string;
  /** Unix milliseconds: if none of it was sent by then it is `expired`. What was sent goes on, and says when it ended. */
  readonly deadline?: number;
  /** It may have been with its receiver already: whoever passes on what was marked passes on the mark. */
  readonly redelivered?: boolean;
  /** Called once: the other end has taken the responsibility, or it will never be sent. */
  readonly settled?: (how: Settled) => void;
}

export type Settled = 'acknowledged' | 'expired' | 'dropped' | 'closed';
