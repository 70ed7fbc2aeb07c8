import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';
import { work, workOnce } from './activities.ts';
import { codeOf } from './failure-of.ts';
import { steps } from './steps.ts';

/** One of each kind of step, in a known order, and then a wait for a cancel. */
export const everything = defineWorkflow<{ key: string }, Payload>('everything', async (ctx, { key }) => {
  await ctx.run(work, { key, note: [1, null, 'two'] });
  await ctx.run(workOnce, { key: `${key}-bad` }).catch(codeOf);
  await ctx.sleep(5);
  ctx.patched('a change');
  await ctx.waitSignal('go');
  await ctx.child(steps, { id: `${key}-child`, input: { keys: [`${key}-child`] } });
  await ctx.waitSignal('late', { timeoutMs: 6 });
  await ctx.waitSignal('never');
  return 'never';
});
