import type { AnyWorkflow, Registry } from '#kit/durable';
import * as workflows from '../workflows.ts';

/** What an engine runs, and the modules that export the workflows of it, for an engine that bundles them. */
export interface WorkflowSet extends Registry {
  readonly modules: readonly URL[];
}

export const PLATFORM_WORKFLOWS: WorkflowSet = {
  workflows: Object.values<AnyWorkflow>(workflows),
  activities: [],
  modules: [new URL('../workflows.ts', import.meta.url)],
};
