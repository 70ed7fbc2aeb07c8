/** Records events for their consumers, in order for each resource. They are stored if the unit of work commits. */
export interface EventSink<Event> {
  append(events: readonly Event[], now: number, signal: AbortSignal): Promise<void>;
}
