import { HttpError } from '../errors/http-error.ts';
import type { EventIds } from './event-ids.ts';
import type { EventRecord, EventSource } from './event-source.ts';

export interface StartWishes {
  /** The `Last-Event-ID` header. A reconnecting browser sends it; it is then newer than the query parameter. */
  readonly header: string | string[] | undefined;
  readonly lastEventId: string | undefined;
  readonly from: 'now' | 'beginning' | undefined;
}

/** The position after which a stream begins. */
export async function startOf(
  { source, ids }: { readonly source: EventSource<EventRecord>; readonly ids: EventIds },
  { header, lastEventId, from }: StartWishes,
  signal: AbortSignal,
): Promise<number> {
  const after = header === undefined ? readParameter(lastEventId, ids) : readId(header, 'header/last-event-id', ids);
  const last = await source.lastPosition(signal);
  if (after === undefined && from !== 'beginning') return last;
  const beforeOldest = ((await source.oldestPosition(signal)) ?? last + 1) - 1;
  if (after === undefined) return beforeOldest;
  if (after < beforeOldest) throw expired('older than the retained events', ids.write(beforeOldest));
  // A log that was restored from a backup may end before a position that a client has seen.
  if (after > last) throw expired('newer than every event', ids.write(beforeOldest));
  return after;
}

function readParameter(text: string | undefined, ids: EventIds): number | undefined {
  return text === undefined ? undefined : readId(text, 'query/lastEventId', ids);
}

function readId(text: string | string[], path: string, ids: EventIds): number {
  const position = typeof text === 'string' ? ids.read(text) : undefined;
  if (position !== undefined) return position;
  const message = 'must be the id of an event of this stream';
  throw new HttpError('VALIDATION_FAILED', `The last event id ${message}.`, { faults: [{ path, message }] });
}

function expired(why: string, oldestLastEventId: string): HttpError {
  return new HttpError(
    'EVENTS_EXPIRED',
    `The last event id is ${why}, so events would be missing. Read the current state again, then follow without a last event id.`,
    { details: { oldestLastEventId } },
  );
}
