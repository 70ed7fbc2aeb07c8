import type { Registry } from '#kit/durable';

/** What an engine runs, and the modules that export the workflows of it, for an engine that bundles them. */
export interface WorkflowSet extends Registry {
  readonly modules: readonly URL[];
}

export function joinedSets(sets: readonly WorkflowSet[]): WorkflowSet {
  return {
    workflows: sets.flatMap(({ workflows }) => workflows),
    activities: sets.flatMap(({ activities }) => activities),
    modules: sets.flatMap(({ modules }) => modules),
  };
}
