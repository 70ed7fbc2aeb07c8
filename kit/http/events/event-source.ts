export interface EventRecord {
  /** Where it stands in the one order of all events. Gaps are fine. */
  readonly position: number;
  readonly type: string;
}

/**
 * A log of events that only grows at its end and is forgotten from its beginning. Once an event can be read, no event
 * before it appears any more: whoever read up to a position has seen all there will ever be up to it.
 */
export interface EventSource<Event extends EventRecord> {
  /** Events after the position, in order. Fewer than the limit means that there are no more right now. */
  readEvents(range: { readonly after: number; readonly limit: number }, signal: AbortSignal): Promise<readonly Event[]>;
  /** The position of the oldest event that is still kept; `undefined` when none is. */
  oldestPosition(signal: AbortSignal): Promise<number | undefined>;
  /** The position of the newest event; 0 when there is none. */
  lastPosition(signal: AbortSignal): Promise<number>;
  /** Calls back when there may be more to read. Calls may be folded or lost: nobody relies on them alone. */
  onAdvanced(listener: () => void): () => void;
}
