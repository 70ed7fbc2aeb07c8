import type { Registry } from '#kit/durable';

/** The workflows of an engine, and the modules that export them, for an engine that bundles them. */
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
