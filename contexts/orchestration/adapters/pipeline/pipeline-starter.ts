import { type RunSource, type RunStarterDeps, runStarter } from '../run-starter.ts';
import { PIPELINE_WOKEN } from '../sql-deployment-store.ts';
import { deploymentPipeline, type PipelineInput } from '../workflows/deployment-pipeline.ts';

const PIPELINE_RUNS: RunSource<PipelineInput> = {
  name: 'deployment pipelines',
  topic: PIPELINE_WOKEN,
  table: 'deployments',
  key: 'uid',
  workflow: deploymentPipeline,
  start: (deployment, run) => ({ id: `deployments.${deployment}.${run}`, input: { deployment, run } }),
};

/** Starts the pipelines of deployments, and notifies them of news. */
export function pipelineStarter(deps: RunStarterDeps) {
  return runStarter(PIPELINE_RUNS, deps);
}
