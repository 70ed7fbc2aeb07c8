export interface Outbound {
  readonly payload: Uint8Array;
  /** The uid of a target, on channels that serve several. */
  readonly target?: string;
  /** Downstream: only for this local process. Upstream: sent by this process. */
  readonly process?: string;
  /** Messages with the same key arrive in order. Messages without a key are in order among those of the same target. */
  readonly key?: string;
  /**
   * Unix milliseconds. A message of which nothing was sent by then is `expired`. One that was sent goes on; the receiver sees
   * its deadline.
   */
  readonly deadline?: number;
  /** The receiver may have had this message already. A relay passes the mark on. */
  readonly redelivered?: boolean;
  /** Called once: the other end has taken responsibility, or the message will never be sent. */
  readonly settled?: (how: Settled) => void;
}

export type Settled = 'acknowledged' | 'expired' | 'dropped' | 'closed';
