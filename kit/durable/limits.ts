/**
 * The same limits on every engine, checked before an engine sees the value, so that a workflow that runs on one engine
 * runs on all. They are set by the most restrictive engine.
 */
export const LIMITS = {
  /** Bytes of JSON of one input, result, signal or error. */
  payloadBytes: 1024 * 1024,
  /** Activities, timers and children of one workflow that have not ended. */
  pendingSteps: 1_000,
  /**
   * How many events a step, signal, cancel or marker counts for. Temporal writes at most six events for one: scheduled,
   * started and ended, and as many for the workflow task that follows. It terminates a workflow at 51,200.
   */
  eventsPerEntry: 6,
  /** Events of one run after which `ctx.continueAsNewDue` is true. */
  historyDue: 10_000,
  /** Events at which the run fails because it ignored `continueAsNewDue`. */
  historyMax: 48_000,
  /** The same for the characters of its inputs, results, signals and errors. Temporal's limit is 50 MiB. */
  historyCharsDue: 8 * 1024 * 1024,
  historyCharsMax: 16 * 1024 * 1024,
  /** Characters of a workflow's id, a name, a signal's name. */
  nameLength: 200,
} as const;
