export interface EventRecord {
  /** The position in the total order of all events. Gaps are allowed. */
  readonly position: number;
  readonly type: string;
}

/**
 * A log of events that grows at its end and is purged from its beginning. Once an event can be read, no event appears
 * before it: a reader that has read up to a position has seen everything up to it.
 */
export interface EventSource<Event extends EventRecord> {
  /** Events after the position, in order. Fewer than the limit means that there are currently no more. */
  readEvents(range: { readonly after: number; readonly limit: number }, signal: AbortSignal): Promise<readonly Event[]>;
  /** The position of the oldest event that is still stored; `undefined` if there is none. */
  oldestPosition(signal: AbortSignal): Promise<number | undefined>;
  /** The position of the newest event; 0 if there is none. */
  lastPosition(signal: AbortSignal): Promise<number>;
  /** Called when there may be more to read. Calls may be merged or lost: readers must also poll. */
  onAdvanced(listener: () => void): () => void;
}
