import { defineWorkflow, type Json } from '#kit/durable';
import { buy } from './buy.ts';

/** One thing after another. */
export const errand = defineWorkflow<{ things: readonly string[] }, Json>('errand', async (ctx, { things }) => {
  const bought: Json[] = [];
  for (const thing of things) bought.push(await ctx.run(buy, { thing }));
  return { bought };
});

/** Waits to be told something, and gives it back. */
export const listener = defineWorkflow<null, Json>('listener', async (ctx) => (await ctx.waitSignal('word')) ?? null);

export const nap = defineWorkflow<{ ms: number }, Json>('nap', async (ctx, { ms }) => {
  await ctx.sleep(ms);
  return 'awake';
});

export const parent = defineWorkflow<null, Json>('parent', (ctx) =>
  ctx.child(listener, { id: `${ctx.workflowId}-child`, input: null }),
);

export const stumble = defineWorkflow<null, Json>('stumble', async (ctx) => {
  await ctx.run(buy, { thing: 'banana' });
  throw new RangeError('slipped on it');
});

/** A run for each day. */
export const diary = defineWorkflow<{ day: number }, Json>('diary', async (ctx, { day }) => {
  await ctx.run(buy, { thing: 'pen' });
  await ctx.run(buy, { thing: 'paper' });
  await ctx.waitSignal('next day');
  return ctx.continueAsNew({ day: day + 1 });
});
