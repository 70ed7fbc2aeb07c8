import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';
import { work, workOnce } from '../activities.ts';

/** The release before a change. */
export const skewed = defineWorkflow<{ key: string }, Payload>('skewed', async (ctx, { key }) => {
  const first = await ctx.run(work, { key: `${key}-old` });
  await ctx.waitSignal('go');
  return [first, await ctx.run(work, { key: `${key}-old-end` })];
});

/** Waits before the place that the next release changes. */
export const skewedLater = defineWorkflow<{ key: string }, Payload>('skewed-later', async (ctx, { key }) => {
  await ctx.waitSignal('go');
  return await ctx.run(work, { key: `${key}-old` });
});

/** Each is changed in one way that is incompatible with its history. */
export const otherInput = defineWorkflow<{ key: string }, Payload>('other-input', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

export const otherActivity = defineWorkflow<{ key: string }, Payload>('other-activity', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

export const otherKind = defineWorkflow<{ key: string }, Payload>('other-kind', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

export const otherOrder = defineWorkflow<{ key: string }, Payload>('other-order', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.run(workOnce, { key });
  await ctx.waitSignal('go');
  return first;
});

export const stepRemoved = defineWorkflow<{ key: string }, Payload>('step-removed', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

/** Missing in the next release. */
export const removed = defineWorkflow<{ key: string }, Payload>('removed', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return first;
});

/** The same in both releases. */
export const bystander = defineWorkflow<{ key: string }, Payload>('bystander', async (ctx, { key }) => {
  const first = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return [first, await ctx.run(work, { key: `${key}-end` })];
});

/** Sleeps while the next release cannot replay it. */
export const sleeping = defineWorkflow<{ key: string }, Payload>('sleeping', async (ctx, { key }) => {
  await ctx.run(work, { key });
  await ctx.sleep(3_000);
  return 'awake';
});

/** The child of `other-child`, the same in both releases. */
export const ofAnother = defineWorkflow<{ of: string }, Payload>('of-another', async (_, { of }) => of);

export const otherDuration = defineWorkflow<{ key: string }, Payload>('other-duration', async (ctx, { key }) => {
  await ctx.sleep(50);
  await ctx.waitSignal('go');
  return key;
});

export const otherChild = defineWorkflow<{ key: string }, Payload>('other-child', async (ctx, { key }) => {
  await ctx.child(ofAnother, { id: `${key}-child`, input: { of: key } });
  await ctx.waitSignal('go');
  return key;
});
