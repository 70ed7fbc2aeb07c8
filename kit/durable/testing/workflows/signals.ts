import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';
import { work } from './activities.ts';

/** Takes this many signals in a row, after the work with the key is done; the query `taken` shows them. */
export const collector = defineWorkflow<{ count: number; key?: string }, Payload>(
  'collector',
  async (ctx, { count, key }) => {
    const taken: Payload[] = [];
    ctx.onQuery('taken', () => taken);
    if (key !== undefined) await ctx.run(work, { key });
    while (taken.length < count) taken.push((await ctx.waitSignal('item')) ?? null);
    return taken;
  },
);

/** Two names at once, in the opposite order of sending. */
export const sorter = defineWorkflow<{ key: string }, Payload>('sorter', async (ctx, { key }) => {
  await ctx.run(work, { key });
  const second = await ctx.waitSignal('second');
  return [second ?? null, (await ctx.waitSignal('first')) ?? null];
});

/** Two waiters for the same name: each signal goes to one of them, first come, first served. */
export const rivals = defineWorkflow<null, Payload>('rivals', async (ctx) => {
  const got = await Promise.all([ctx.waitSignal('item'), ctx.waitSignal('item')]);
  return got.map((payload) => payload ?? null);
});

/**
 * A signal or a timeout, whichever comes first, and then work, so that a late signal finds a workflow that is still
 * running.
 */
export const impatient = defineWorkflow<{ timeoutMs: number; key: string }, Payload>(
  'impatient',
  async (ctx, { timeoutMs, key }) => {
    const first = await ctx.waitSignal('item', { timeoutMs });
    await ctx.run(work, { key });
    return { first: first ?? 'none', second: (await ctx.waitSignal('item')) ?? null };
  },
);

type Chapter = { readonly left: number; readonly read: readonly Payload[]; readonly key: string };

/** One run per signal: signals not taken in one run are there in the next. */
export const chapters = defineWorkflow<Chapter, Payload>('chapters', async (ctx, { left, read, key }) => {
  ctx.onQuery('read', () => read);
  await ctx.run(work, { key });
  if (left === 0) return read;
  const item = (await ctx.waitSignal('item')) ?? null;
  return ctx.continueAsNew({ left: left - 1, read: [...read, item], key });
});
