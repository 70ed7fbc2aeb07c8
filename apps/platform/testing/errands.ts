import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';
import { buy } from './buy.ts';

/** Buys one thing after another. */
export const errand = defineWorkflow<{ things: readonly string[] }, Payload>('errand', async (ctx, { things }) => {
  const bought: Payload[] = [];
  for (const thing of things) bought.push(await ctx.run(buy, { thing }));
  return { bought };
});

/** Waits for a signal, and returns its payload. */
export const listener = defineWorkflow<null, Payload>(
  'listener',
  async (ctx) => (await ctx.waitSignal('word')) ?? null,
);

export const nap = defineWorkflow<{ ms: number }, Payload>('nap', async (ctx, { ms }) => {
  await ctx.sleep(ms);
  return 'awake';
});

export const parent = defineWorkflow<null, Payload>('parent', (ctx) =>
  ctx.child(listener, { id: `${ctx.workflowId}-child`, input: null }),
);

export const stumble = defineWorkflow<null, Payload>('stumble', async (ctx) => {
  await ctx.run(buy, { thing: 'banana' });
  throw new RangeError('slipped on it');
});

/** A run for each day. */
export const diary = defineWorkflow<{ day: number }, Payload>('diary', async (ctx, { day }) => {
  await ctx.run(buy, { thing: 'pen' });
  await ctx.run(buy, { thing: 'paper' });
  await ctx.waitSignal('next day');
  return ctx.continueAsNew({ day: day + 1 });
});
