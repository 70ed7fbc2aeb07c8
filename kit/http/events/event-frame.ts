import type { EventRecord } from './event-source.ts';

/** One event as the stream sends it, serialized once for all readers. */
export interface Framed<Event extends EventRecord> {
  readonly event: Event;
  readonly view: object;
  readonly frame: string;
}

/** JSON has no raw line breaks, so `data` is always one line. */
export function frameEvent<Event extends EventRecord>(event: Event, view: object, id: string): Framed<Event> {
  const type = event.type.replace(/[\r\n]+/g, ' ');
  return { event, view, frame: `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(view)}\n\n` };
}

/**
 * A frame without data is not an event, but it moves the id from which a client resumes, and keeps connections and
 * proxies from timing out.
 */
export function frameCursor(id: string): string {
  return `id: ${id}\n\n`;
}

export function frameRetry(ms: number): string {
  return `retry: ${ms}\n\n`;
}
