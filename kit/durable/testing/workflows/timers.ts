import { defineWorkflow, type Json } from '#kit/durable';
import { work } from './activities.ts';

export const sleeper = defineWorkflow<{ ms: number; key: string }, Json>('sleeper', async (ctx, { ms, key }) => {
  const before = ctx.now();
  await ctx.sleep(ms);
  const after = ctx.now();
  await ctx.run(work, { key });
  return { before, after };
});

/** Several concurrent timers: returns the order in which they fired. */
export const alarms = defineWorkflow<{ times: readonly number[] }, Json>('alarms', async (ctx, { times }) => {
  const passed: Json[] = [];
  await Promise.all(
    times.map(async (ms) => {
      await ctx.sleep(ms);
      passed.push(ms);
    }),
  );
  return passed;
});
