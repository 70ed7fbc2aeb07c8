import type { Queued } from './fifo.ts';
import type { MessageFrame } from './frame.ts';
import type { Outbound } from './outbound.ts';

/**
 * `waiting` in its lane, for its turn or for its turn to be sent again; `sending` in chunks, first in its lane;
 * `sent` as a whole, and in no lane any more.
 */
export type KeptState = 'waiting' | 'sending' | 'sent';

/** A message that is not settled yet. */
export interface Kept extends Queued<Kept> {
  readonly message: Outbound;
  readonly size: number;
  readonly lane: string;
  payload: Uint8Array;
  state: KeptState;
  /** 0 until its first frame is sent: what expires or is dropped before that leaves no gap. */
  id: number;
  /** So much of it has been sent in chunks. */
  offset: number;
  sha256: Uint8Array;
  /** All of it was sent to somebody, sometime. */
  wasSent: boolean;
  redelivered: boolean;
  /** The losses that it told the other end of. */
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

/** Its first frame: all of it, or what its chunks will be. */
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

/** One that was sent does not expire any more: the other end may have it, and an id that never comes would be a gap. */
export function mayExpire({ id, wasSent, message }: Kept): boolean {
  return id === 0 && !wasSent && (message.deadline ?? 0) > 0;
}

export function isOver({ deadline = 0 }: Outbound, now: number): boolean {
  return deadline > 0 && deadline <= now;
}

/** What is in one lane arrives in order. */
function laneOf({ target, key }: Outbound): string {
  if (target === undefined || target === '') return key ?? '';
  return `${target}\n${key ?? ''}`;
}
