import { defineWorkflow, type Json } from '#kit/durable';
import { work, workOnce } from '../activities.ts';

/** The release before a change. */
export const skewed = defineWorkflow<{ key: string }, Json>('skewed', async (ctx, { key }) => {
  const first = await ctx.run(work, { key: `${key}-old` });
  await ctx.waitSignal('go');
  return [first, await ctx.run(work, { key: `${key}-old-end` })];
});

/** Waits before the place that the next release changes. */
export const skewedLater = defineWorkflow<{ key: string }, Json>('skewed-later', async (ctx, { key }) => {
  await ctx.waitSignal('go');
  return await ctx.run(work, { key: `${key}-old` });
});

/** Each is changed in one way that is incompatible with its history. */
export const otherInput = defineWorkflow<{ key: string }, Json>('other-input', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

export const otherActivity = defineWorkflow<{ key: string }, Json>('other-activity', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

export const otherKind = defineWorkflow<{ key: string }, Json>('other-kind', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

export const otherOrder = defineWorkflow<{ key: string }, Json>('other-order', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.run(workOnce, { key });
  await ctx.waitSignal('go');
  return first;
});

export const stepRemoved = defineWorkflow<{ key: string }, Json>('step-removed', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

/** Missing in the next release. */
export const removed = defineWorkflow<{ key: string }, Json>('removed', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

/** The same in both releases. */
export const bystander = defineWorkflow<{ key: string }, Json>('bystander', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return [first, await ctx.run(work, { key: `${key}-end` })];
});

/** Sleeps while the next release cannot replay it. */
export const sleeping = defineWorkflow<{ key: string }, Json>('sleeping', async (ctx, { key }) => {
  await ctx.run(work, { key });
  await ctx.sleep(3_000);
  return 'awake';
});
