import { contentHash } from '../../../std/index.ts';
import { defineActivity, defineWorkflow, type Json } from '../../index.ts';

/** A single attempt, no retries. */
export const once = defineActivity<string, Json>('once', {
  retry: { attempts: 1, backoff: { baseMs: 1, capMs: 5 } },
  timeoutMs: 60_000,
});

export const task = defineWorkflow<string, Json>('task', async (ctx, key) => await ctx.run(once, key));

/** Three signals, or the cancel reason. */
export const inbox = defineWorkflow<null, Json>('inbox', async (ctx) => {
  const taken: Json[] = [];
  while (taken.length < 3) taken.push((await ctx.waitSignal('item')) ?? null);
  return taken;
});

/** Calls a function of kit/std that depends on Node. */
export const impure = defineWorkflow<null, Json>('impure', async (ctx) => contentHash(ctx.workflowId));
