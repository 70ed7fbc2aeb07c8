import type { Payload } from '#kit/durable';
import { defineWorkflow, type WorkflowContext } from '#kit/durable';
import { work } from './activities.ts';

/** Draws random values, shows them to the world, and draws again after a signal. */
export const chance = defineWorkflow<{ key: string }, Payload>('chance', async (ctx, { key }) => {
  const first = draw(ctx);
  await ctx.run(work, { key, note: first });
  await ctx.waitSignal('go');
  const second = draw(ctx);
  await ctx.run(work, { key: `${key}-second`, note: second });
  return { first, second };
});

function draw(ctx: WorkflowContext): Payload {
  return { now: ctx.now(), random: [ctx.random(), ctx.random()], uuids: [ctx.uuid(), ctx.uuid()] };
}
