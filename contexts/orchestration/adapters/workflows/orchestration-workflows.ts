import type { AnyWorkflow } from '#kit/durable';
import { deploymentPipeline } from './deployment-pipeline.ts';
import { groupController } from './group-controller.ts';

/** The durable workflows, and the modules that export them, for an engine that bundles them. */
export const ORCHESTRATION_WORKFLOWS: { readonly workflows: readonly AnyWorkflow[]; readonly modules: readonly URL[] } =
  {
    workflows: [deploymentPipeline, groupController] as readonly AnyWorkflow[],
    modules: ['./deployment-pipeline.ts', './group-controller.ts'].map((file) => new URL(file, import.meta.url)),
  };
