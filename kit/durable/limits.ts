/**
 * One set of limits on every engine, checked here before an engine sees the value, so that a workflow that runs on one
 * runs on all. They are what the most demanding engine can take.
 */
export const LIMITS = {
  /** Bytes of JSON of one input, result, signal or error. */
  payloadBytes: 1024 * 1024,
  /** Activities, timers and children of one workflow that have not ended. */
  pendingSteps: 1_000,
  /**
   * What a step, a signal, a cancel or a marker counts for. Temporal writes at most six events for one: asked, begun and
   * ended, and as many for the turn that it leads to. It ends a workflow by force at 51,200.
   */
  eventsPerEntry: 6,
  /** Events of one run after which `ctx.continueAsNewDue` is true. */
  historyDue: 10_000,
  /** Events at which the run is failed: nobody looked at `continueAsNewDue`. */
  historyMax: 48_000,
  /** The same for the characters of its inputs, results, signals and errors. Temporal's end is 50 MiB. */
  historyCharsDue: 8 * 1024 * 1024,
  historyCharsMax: 16 * 1024 * 1024,
  /** Characters of a workflow's id, a name, a signal's name. */
  nameLength: 200,
} as const;
