import { defineWorkflow } from '#kit/durable';
import { NEWS } from './deployment-pipeline.ts';
import { controlGroup } from './group-controller-activities.ts';

export type GroupRun = { readonly group: string; readonly run: number };

/**
 * Brings a group to its desired state, and ends when it only waits for its children, which wake it. All state is in the
 * database, so that the workflow's history stays short.
 */
export const groupController = defineWorkflow('group-controller', async (ctx, input: GroupRun) => {
  for (;;) {
    const next = await ctx.run(controlGroup, input);
    if (next.kind === 'rest') return undefined;
    if (next.kind === 'wait') {
      if (next.until === null) await ctx.waitSignal(NEWS);
      else await ctx.waitSignal(NEWS, { timeoutMs: Math.max(0, next.until - ctx.now()) });
    }
    if (ctx.continueAsNewDue) ctx.continueAsNew(input);
  }
});
