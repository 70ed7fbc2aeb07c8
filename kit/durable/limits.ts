/**
 * One set of limits on every engine, checked here before an engine sees the value, so that a workflow that runs on one
 * runs on all. They are what the most demanding engine can take.
 */
export const LIMITS = {
  /** Bytes of JSON of one input, result, signal or error. */
  payloadBytes: 1024 * 1024,
  /** Activities, timers and children of one workflow that have not ended. */
  pendingSteps: 1_000,
  /** `ctx.continueAsNewDue` turns true. */
  historyDue: 10_000,
  /** The workflow is failed: nobody looked at `continueAsNewDue`. */
  historyMax: 20_000,
  /** Characters of a workflow's id, a name, a signal's name. */
  nameLength: 200,
} as const;
