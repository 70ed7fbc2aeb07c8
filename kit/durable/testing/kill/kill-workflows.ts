import type { Payload } from '#kit/durable';
import { defineActivity, defineWorkflow, fanOut } from '#kit/durable';
import { codeOf } from '../workflows/failure-of.ts';

/** `after` is the token of the preceding work, so that a result that changed after it was used shows up in a later input. */
export type KillWork = { readonly item: Payload; readonly after: string; readonly failures?: number };
export type KillResult = { readonly item: Payload; readonly token: string };

// On engines that count them, a killed process costs an attempt, so there are plenty.
export const killWork = defineActivity<KillWork, KillResult>('kill-work', {
  retry: { attempts: 50, backoff: { baseMs: 1, capMs: 20 }, nonRetryable: ['HOPELESS'] },
  timeoutMs: 2_000,
});

export type ChainStep =
  | { readonly do: 'work'; readonly item: number | string; readonly failures: number }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'draw' }
  | { readonly do: 'patch'; readonly change: string };

type Chain = { readonly steps: readonly ChainStep[]; readonly fails: boolean };

/** One step after another, of every kind. */
export const killChain = defineWorkflow<Chain, Payload>('kill-chain', async (ctx, { steps, fails }) => {
  const seen: Payload[] = [];
  let after = 'none';
  for (const step of steps) {
    if (step.do === 'sleep') await ctx.sleep(step.ms);
    else if (step.do === 'patch') seen.push(ctx.patched(step.change));
    else {
      const item = step.do === 'draw' ? `draw:${ctx.uuid()}/${ctx.random()}/${ctx.now()}` : step.item;
      const failures = step.do === 'work' ? step.failures : 0;
      const result = await ctx.run(killWork, { item, after, failures });
      after = result.token;
      seen.push(result);
    }
  }
  if (fails) throw new RangeError('as it was told');
  return seen;
});

/** Negative items fail. */
export const killFan = defineWorkflow<{ items: readonly number[]; concurrency: number }, Payload>(
  'kill-fan',
  async (ctx, { items, concurrency }) => {
    const outcomes = await fanOut(items, { concurrency }, (item) => ctx.run(killWork, { item, after: 'none' }));
    return outcomes.map((outcome) => (outcome.kind === 'done' ? outcome.value : codeOf(outcome.error)));
  },
);

/** Handles this many signals, each with its work, and ends with a wait that times out. */
export const killMail = defineWorkflow<{ count: number }, Payload>('kill-mail', async (ctx, { count }) => {
  const seen: Payload[] = [];
  let after = 'none';
  for (let taken = 0; taken < count; taken += 1) {
    const result = await ctx.run(killWork, { item: (await ctx.waitSignal('item')) ?? null, after });
    after = result.token;
    seen.push(result);
  }
  seen.push((await ctx.waitSignal('never', { timeoutMs: 5 })) ?? 'timed out');
  return seen;
});

type Chapter = { readonly next: number; readonly last: number; readonly read: readonly Payload[] };

/** One run per number. A sender that is unsure whether a number arrived sends it again, maybe into the next run. */
export const killChapters = defineWorkflow<Chapter, Payload>('kill-chapters', async (ctx, { next, last, read }) => {
  if (next > last) return read;
  let number = -1;
  while (number !== next) number = (await ctx.waitSignal<number>('item')) ?? -1;
  const { item } = await ctx.run(killWork, { item: number, after: 'none' });
  return ctx.continueAsNew({ next: next + 1, last, read: [...read, item] });
});

/** Concurrent children, some of which fail. */
export const killFamily = defineWorkflow<{ children: readonly { id: string; chain: Chain }[] }, Payload>(
  'kill-family',
  async (ctx, { children }) => {
    const outcomes = await fanOut(children, { concurrency: 3 }, ({ id, chain }) =>
      ctx.child(killChain, { id, input: chain }),
    );
    return outcomes.map((outcome) => (outcome.kind === 'done' ? outcome.value : codeOf(outcome.error)));
  },
);
