import { defineWorkflow, type Json } from '#kit/durable';
import { work, workOnce } from '../activities.ts';

export { bystander } from './before.ts';

/** The release after the change, with a marker, so that older workflows continue as they began. */
export const skewed = defineWorkflow<{ key: string }, Json>('skewed', async (ctx, { key }) => {
  const way = ctx.patched('a new way') ? 'new' : 'old';
  const first = await ctx.run(work, { key: `${key}-${way}` });
  await ctx.waitSignal('go');
  return [first, await ctx.run(work, { key: `${key}-${way}-end` })];
});

export const skewedLater = defineWorkflow<{ key: string }, Json>('skewed-later', async (ctx, { key }) => {
  await ctx.waitSignal('go');
  return await ctx.run(work, { key: ctx.patched('a new way') ? `${key}-new` : `${key}-old` });
});

/** Changes without a marker. */
export const otherInput = defineWorkflow<{ key: string }, Json>('other-input', async (ctx, { key }) => {
  const first = await ctx.run(work, { key: `${key}-changed` });
  await ctx.waitSignal('go');
  return first;
});

export const otherActivity = defineWorkflow<{ key: string }, Json>('other-activity', async (ctx, { key }) => {
  const first = await ctx.run(workOnce, { key });
  await ctx.waitSignal('go');
  return first;
});

export const otherKind = defineWorkflow<{ key: string }, Json>('other-kind', async (ctx) => {
  await ctx.sleep(77);
  await ctx.waitSignal('go');
  return 'slept';
});

export const otherOrder = defineWorkflow<{ key: string }, Json>('other-order', async (ctx, { key }) => {
  await ctx.run(workOnce, { key });
  const second = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return second;
});

export const stepRemoved = defineWorkflow<{ key: string }, Json>('step-removed', async (ctx) => {
  return (await ctx.waitSignal('go')) ?? null;
});

export const sleeping = defineWorkflow<{ key: string }, Json>('sleeping', async (ctx, { key }) => {
  await ctx.run(work, { key: `${key}-changed` });
  return 'awake';
});
