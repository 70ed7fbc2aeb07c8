import { HttpError } from '../errors/http-error.ts';
import type { EventRecord, EventSource } from './event-source.ts';

export interface StartWishes {
  /** The `Last-Event-ID` header: a browser that comes back sends it, and then it is newer than the address. */
  readonly header: string | string[] | undefined;
  readonly lastEventId: number | undefined;
  readonly from: 'now' | 'beginning' | undefined;
}

const POSITION = /^(0|[1-9]\d{0,14})$/;

/** The position after which a stream begins. */
export async function startOf(
  source: EventSource<EventRecord>,
  { header, lastEventId, from }: StartWishes,
  signal: AbortSignal,
): Promise<number> {
  const after = header === undefined ? lastEventId : readHeader(header);
  const last = await source.lastPosition(signal);
  if (after === undefined && from !== 'beginning') return last;
  const beforeOldest = ((await source.oldestPosition(signal)) ?? last + 1) - 1;
  if (after === undefined) return beforeOldest;
  if (after < beforeOldest) throw expired('older than what is kept', beforeOldest);
  // A log that was restored from a backup may end before what a client has seen of the one that was lost.
  if (after > last) throw expired('newer than every event there is', beforeOldest);
  return after;
}

function readHeader(header: string | string[]): number {
  if (typeof header === 'string' && POSITION.test(header)) return Number(header);
  const message = 'must be the id of an event of this stream';
  throw new HttpError('VALIDATION_FAILED', `The header Last-Event-ID ${message}.`, {
    faults: [{ path: 'header/last-event-id', message }],
  });
}

function expired(why: string, oldestLastEventId: number): HttpError {
  return new HttpError(
    'EVENTS_EXPIRED',
    `The last event id is ${why}, so events would be missing. Read the current state anew, then follow without a last event id.`,
    { details: { oldestLastEventId } },
  );
}
