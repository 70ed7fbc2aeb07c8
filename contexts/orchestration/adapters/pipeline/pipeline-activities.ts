import { type ActivityImplementation, implementActivity } from '#kit/durable';
import { parseUuid } from '#kit/std';
import { DeliverBatch } from '../../application/pipeline/deliver-batch.ts';
import type { PipelineDeps } from '../../application/pipeline/pipeline-deps.ts';
import { PlanRollout } from '../../application/pipeline/plan-rollout.ts';
import { RolloutCache } from '../../application/pipeline/rollout-cache.ts';
import { TakeTurn } from '../../application/pipeline/take-turn.ts';
import type { Observer } from '../../application/ports.ts';
import { createDecide } from '../../domain/rollout/machine/decide.ts';
import type { RunSource } from '../run-starter.ts';
import { PIPELINE_WOKEN } from '../sql/sql-deployment-store.ts';
import { deploymentPipeline, type PipelineInput } from '../workflows/deployment-pipeline.ts';
import { deliverBatch, planRollout, takeTurn } from '../workflows/pipeline-activities.ts';

export const PIPELINE_RUNS: RunSource<PipelineInput> = {
  name: 'deployment pipelines',
  topic: PIPELINE_WOKEN,
  table: 'deployments',
  key: 'uid',
  workflow: deploymentPipeline,
  start: (deployment, run) => ({ id: `deployments.${deployment}.${run}`, input: { deployment, run } }),
};

export interface PipelineActivitiesDeps extends PipelineDeps {
  /** Results of handing deliveries over are written together with the reports of agents. */
  readonly observer: Observer;
  /** Counts an order that an agent accepted, for the usage of the workspace. */
  readonly delivered: (workspace: string) => void;
}

/** The activities of a deployment's workflow. */
export function pipelineActivities(deps: PipelineActivitiesDeps): readonly ActivityImplementation[] {
  const cache = new RolloutCache(createDecide(deps.strategies.gates));
  const plan = new PlanRollout(deps, cache);
  const turn = new TakeTurn(deps, cache);
  const deliver = new DeliverBatch({
    ...deps,
    handOver: (handover, signal) => deps.observer.observe([{ about: 'handover', handover }], signal),
  });
  return [
    implementActivity(planRollout, ({ deployment, run }, { signal }) =>
      plan.run({ deployment: parseUuid(deployment), run }, signal),
    ),
    implementActivity(takeTurn, ({ deployment, revision }, { signal, idempotencyKey }) =>
      turn.run({ deployment: parseUuid(deployment), revision, step: idempotencyKey }, signal),
    ),
    implementActivity(deliverBatch, async ({ deployment, revision, batch }, environment) => {
      const heartbeat = (): void => environment.heartbeat();
      await deliver.run({ deployment: parseUuid(deployment), revision, batch, heartbeat }, environment.signal);
    }),
  ];
}
