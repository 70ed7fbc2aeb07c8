import type { Registry, WorkflowClient } from '#kit/durable';

/** The registry of a test, with the module that exports its workflows and nothing else: an engine may bundle that file. */
export interface TestRegistry extends Registry {
  readonly module: URL;
}

/** One engine with its own data, so that the same suite runs on each. */
export interface EngineHarness {
  /** Opens a running engine; it finds the data of the engines before it. One at a time. */
  open(registry: TestRegistry): Promise<OpenEngine>;
  /** Stops running engines, and removes the data. */
  dispose(): Promise<void>;
}

export interface OpenEngine {
  readonly client: WorkflowClient;
  /** Like a process that is asked to stop: running activities are aborted. */
  stop(): Promise<void>;
}

/** Where engines differ, and may. */
export interface EngineTraits {
  /** Whether a changed duration of a timer, or input of a child, is noticed at a replay. */
  readonly noticesTimersAndChildren: boolean;
}
