import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';
import { work, workOnce } from '../activities.ts';

import { ofAnother } from './before.ts';

export { bystander, ofAnother } from './before.ts';

/** The release after the change, with a marker, so that older workflows continue as they began. */
export const skewed = defineWorkflow<{ key: string }, Payload>('skewed', async (ctx, { key }) => {
  const way = ctx.patched('a new way') ? 'new' : 'old';
  const first = await ctx.run(work, { key: `${key}-${way}` });
  await ctx.waitSignal('go');
  return [first, await ctx.run(work, { key: `${key}-${way}-end` })];
});

export const skewedLater = defineWorkflow<{ key: string }, Payload>('skewed-later', async (ctx, { key }) => {
  await ctx.waitSignal('go');
  return await ctx.run(work, { key: ctx.patched('a new way') ? `${key}-new` : `${key}-old` });
});

/** Changes without a marker. */
export const otherInput = defineWorkflow<{ key: string }, Payload>('other-input', async (ctx, { key }) => {
  const first = await ctx.run(work, { key: `${key}-changed` });
  await ctx.waitSignal('go');
  return first;
});

export const otherActivity = defineWorkflow<{ key: string }, Payload>('other-activity', async (ctx, { key }) => {
  const first = await ctx.run(workOnce, { key });
  await ctx.waitSignal('go');
  return first;
});

export const otherKind = defineWorkflow<{ key: string }, Payload>('other-kind', async (ctx) => {
  await ctx.sleep(77);
  await ctx.waitSignal('go');
  return 'slept';
});

export const otherOrder = defineWorkflow<{ key: string }, Payload>('other-order', async (ctx, { key }) => {
  await ctx.run(workOnce, { key });
  const second = await ctx.run(work, { key });
  await ctx.waitSignal('go');
  return second;
});

export const stepRemoved = defineWorkflow<{ key: string }, Payload>('step-removed', async (ctx) => {
  return (await ctx.waitSignal('go')) ?? null;
});

export const sleeping = defineWorkflow<{ key: string }, Payload>('sleeping', async (ctx, { key }) => {
  await ctx.run(work, { key: `${key}-changed` });
  return 'awake';
});

export const otherDuration = defineWorkflow<{ key: string }, Payload>('other-duration', async (ctx, { key }) => {
  await ctx.sleep(75);
  await ctx.waitSignal('go');
  return key;
});

export const otherChild = defineWorkflow<{ key: string }, Payload>('other-child', async (ctx, { key }) => {
  await ctx.child(ofAnother, { id: `${key}-child`, input: { of: `${key}-changed` } });
  await ctx.waitSignal('go');
  return key;
});
