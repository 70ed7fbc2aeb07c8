import type { Queued } from './fifo.ts';
import type { MessageFrame } from './frame.ts';
import type { Outbound } from './outbound.ts';

/**
 * `waiting`: in its lane, to be sent or resent. `sending`: first in its lane, partly sent in chunks. `sent`: sent completely
 * and in no lane.
 */
export type KeptState = 'waiting' | 'sending' | 'sent';

/** A message that is not settled yet. */
export interface Kept extends Queued<Kept> {
  readonly message: Outbound;
  readonly size: number;
  readonly lane: string;
  payload: Uint8Array;
  state: KeptState;
  /** 0 until the first frame is sent, so that a message that expires or is dropped before leaves no gap. */
  id: number;
  /** How many bytes have been sent in chunks. */
  offset: number;
  sha256: Uint8Array;
  /** All of it was sent at least once, to the current or to an earlier incarnation of the other end. */
  wasSent: boolean;
  redelivered: boolean;
  /** The number of losses reported to the other end with this message. */
  reported: number;
}

export const NO_BYTES = new Uint8Array(0);

export function keep(message: Outbound): Kept {
  return {
    message,
    size: message.payload.length,
    lane: laneOf(message),
    payload: message.payload,
    state: 'waiting',
    id: 0,
    offset: 0,
    sha256: NO_BYTES,
    wasSent: false,
    redelivered: message.redelivered ?? false,
    reported: 0,
    next: undefined,
  };
}

/** The first frame of a message: the whole message, or the header of its chunks. */
export function firstFrame(kept: Kept, isLarge: boolean): MessageFrame {
  const { message } = kept;
  return {
    kind: 'message',
    id: kept.id,
    target: message.target ?? '',
    process: message.process ?? '',
    key: message.key ?? '',
    deadline: message.deadline ?? 0,
    redelivered: kept.redelivered,
    dropped: kept.reported,
    payload: isLarge ? NO_BYTES : kept.payload,
    chunkedSize: isLarge ? kept.size : 0,
    sha256: kept.sha256,
  };
}

/** A message that was sent no longer expires: the other end may have it, and an id that never arrives would leave a gap. */
export function mayExpire({ id, wasSent, message }: Kept): boolean {
  return id === 0 && !wasSent && (message.deadline ?? 0) > 0;
}

export function isOver({ deadline = 0 }: Outbound, now: number): boolean {
  return deadline > 0 && deadline <= now;
}

/** Messages of one lane arrive in order. */
function laneOf({ target, key }: Outbound): string {
  if (target === undefined || target === '') return key ?? '';
  return `${target}\n${key ?? ''}`;
}
