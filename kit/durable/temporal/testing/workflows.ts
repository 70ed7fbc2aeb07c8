import { contentHash } from '../../../std/index.ts';
import { defineActivity, defineWorkflow, type Payload } from '../../index.ts';

/** One try, and no other after a failure. */
export const once = defineActivity<string, Payload>('once', {
  retry: { attempts: 1, backoff: { baseMs: 1, capMs: 5 } },
  timeoutMs: 60_000,
});

export const task = defineWorkflow<string, Payload>('task', async (ctx, key) => await ctx.run(once, key));

/** Three signals, or why it was cancelled. */
export const inbox = defineWorkflow<null, Payload>('inbox', async (ctx) => {
  const taken: Payload[] = [];
  while (taken.length < 3) taken.push((await ctx.waitSignal('item')) ?? null);
  return taken;
});

/** Reaches for something of kit/std that comes from Node. */
export const impure = defineWorkflow<null, Payload>('impure', async (ctx) => contentHash(ctx.workflowId));
