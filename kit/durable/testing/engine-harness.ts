import type { Registry, WorkflowClient } from '#kit/durable';

/** What a test runs, with the module that exports its workflows and nothing else: an engine may bundle that file. */
export interface TestRegistry extends Registry {
  readonly module: URL;
}

/** One engine on data of its own, so that the same suite runs on each. */
export interface EngineHarness {
  /** An engine that runs; a later one finds the data of those before. One at a time. */
  open(registry: TestRegistry): Promise<OpenEngine>;
  /** Stops what still runs, and removes the data. */
  dispose(): Promise<void>;
}

export interface OpenEngine {
  readonly client: WorkflowClient;
  /** As a process that is told to end: what runs is given up. */
  stop(): Promise<void>;
}
