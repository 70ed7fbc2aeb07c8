import type { Payload } from '#kit/durable';
import { defineActivity, defineWorkflow, fanOut } from '#kit/durable';

/** Does nothing: the remaining cost is the engine's. */
export const nothing = defineActivity<number, number>('nothing');

/** The steps count from `from`, 0 by default. */
export const stepByStep = defineWorkflow<{ steps: number; from?: number }, Payload>(
  'step-by-step',
  async (ctx, { steps, from = 0 }) => {
    let sum = 0;
    for (let step = 0; step < steps; step += 1) sum += await ctx.run(nothing, from + step);
    return sum;
  },
);

export const fanned = defineWorkflow<{ keys: number; concurrency: number }, Payload>(
  'fanned',
  async (ctx, { keys, concurrency }) => {
    const all = Array.from({ length: keys }, (_, key) => key);
    const outcomes = await fanOut(all, { concurrency }, (key) => ctx.run(nothing, key));
    return outcomes.filter(({ kind }) => kind === 'done').length;
  },
);

export const asleep = defineWorkflow<null, Payload>('asleep', async (ctx) => {
  await ctx.run(nothing, 1);
  await ctx.sleep(24 * 3_600_000);
  return null;
});
