import { contentHash } from '../../../std/index.ts';
import { defineActivity, defineWorkflow, type Payload } from '../../index.ts';

/** A single attempt, no retries. */
export const once = defineActivity<string, Payload>('once', {
  retry: { attempts: 1, backoff: { baseMs: 1, capMs: 5 } },
  timeoutMs: 60_000,
});

export const task = defineWorkflow<string, Payload>('task', async (ctx, key) => await ctx.run(once, key));

/** Three signals, or the cancel reason. */
export const inbox = defineWorkflow<null, Payload>('inbox', async (ctx) => {
  const taken: Payload[] = [];
  while (taken.length < 3) taken.push((await ctx.waitSignal('item')) ?? null);
  return taken;
});

/** Calls a function of kit/std that depends on Node. */
export const impure = defineWorkflow<null, Payload>('impure', async (ctx) => contentHash(ctx.workflowId));
