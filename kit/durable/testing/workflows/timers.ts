import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';
import { work } from './activities.ts';

export const sleeper = defineWorkflow<{ ms: number; key: string }, Payload>('sleeper', async (ctx, { ms, key }) => {
  const before = ctx.now();
  await ctx.sleep(ms);
  const after = ctx.now();
  await ctx.run(work, { key });
  return { before, after };
});

/** Several concurrent timers: returns the order in which they fired. */
export const alarms = defineWorkflow<{ times: readonly number[] }, Payload>('alarms', async (ctx, { times }) => {
  const passed: Payload[] = [];
  await Promise.all(
    times.map(async (ms) => {
      await ctx.sleep(ms);
      passed.push(ms);
    }),
  );
  return passed;
});
