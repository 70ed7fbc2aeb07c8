import { ORCHESTRATION_WORKFLOWS } from '#contexts/orchestration/adapters';
import type { Registry } from '#kit/durable';

/** The workflows of an engine, and the modules that export them, for an engine that bundles them. */
export interface WorkflowSet extends Registry {
  readonly modules: readonly URL[];
}

/** The workflows that the published engine for Temporal has in its bundle: all that the platform starts. */
export const PUBLISHED_WORKFLOWS: Omit<WorkflowSet, 'activities'> = ORCHESTRATION_WORKFLOWS;

export function joinedSets(sets: readonly WorkflowSet[]): WorkflowSet {
  return {
    workflows: sets.flatMap(({ workflows }) => workflows),
    activities: sets.flatMap(({ activities }) => activities),
    modules: sets.flatMap(({ modules }) => modules),
  };
}
