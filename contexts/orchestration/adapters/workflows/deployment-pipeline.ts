import { defineWorkflow, type WorkflowContext } from '#kit/durable';
import { deliverBatch, planRollout, takeTurn } from './pipeline-activities.ts';

export type PipelineInput = { readonly deployment: string; readonly run: number };

/** Signals that there is something to look at. The details are in the database. */
export const NEWS = 'news';

/**
 * Brings a deployment to its desired state, rollout by rollout, and ends when nothing is left to do: an idle deployment
 * has no workflow. All state is in the database, so that the workflow's history stays short.
 */
export const deploymentPipeline = defineWorkflow('deployment-pipeline', async (ctx, input: PipelineInput) => {
  for (;;) {
    const next = await ctx.run(planRollout, input);
    if (next.kind === 'rest') return undefined;
    if (next.kind === 'wait') await news(ctx, next.until);
    else await rollOut(ctx, input, next.revision);
    if (ctx.continueAsNewDue) ctx.continueAsNew(input);
  }
});

async function rollOut(ctx: WorkflowContext, input: PipelineInput, revision: number): Promise<void> {
  const rollout = { deployment: input.deployment, revision };
  const deliveries = new Set<Promise<void>>();
  for (;;) {
    const turn = await ctx.run(takeTurn, rollout);
    if (turn.batch !== null) deliver(ctx, { ...rollout, batch: turn.batch }, deliveries);
    if (turn.isFinished || ctx.continueAsNewDue) break;
    if (!turn.hasMore) await news(ctx, turn.wakeAt);
  }
  await Promise.all(deliveries);
}

/** Runs beside the turns: sending to one target never holds up decisions about another. */
function deliver(
  ctx: WorkflowContext,
  batch: { deployment: string; revision: number; batch: number },
  deliveries: Set<Promise<void>>,
): void {
  const done = ctx.run(deliverBatch, batch).then(() => {
    deliveries.delete(done);
  });
  deliveries.add(done);
}

async function news(ctx: WorkflowContext, until: number | null): Promise<void> {
  if (until === null) await ctx.waitSignal(NEWS);
  else await ctx.waitSignal(NEWS, { timeoutMs: Math.max(0, until - ctx.now()) });
}
