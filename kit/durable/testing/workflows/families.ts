import type { Payload } from '#kit/durable';
import { defineWorkflow, fanOut } from '#kit/durable';
import { work, workOnce } from './activities.ts';
import { codeOf, failureOf } from './failure-of.ts';
import { ending, steps } from './steps.ts';

export const fan = defineWorkflow<{ keys: readonly string[]; concurrency: number }, Payload>(
  'fan',
  async (ctx, { keys, concurrency }) => {
    const outcomes = await fanOut(keys, { concurrency }, (key) => ctx.run(workOnce, { key }));
    return outcomes.map((outcome) =>
      outcome.kind === 'done'
        ? { key: outcome.key, value: outcome.value }
        : { key: outcome.key, code: codeOf(outcome.error) },
    );
  },
);

export const parent = defineWorkflow<{ child: string; keys: readonly string[]; after?: string }, Payload>(
  'parent',
  async (ctx, { child, keys, after }) => {
    if (after !== undefined) await ctx.run(work, { key: after });
    try {
      return { result: await ctx.child(steps, { id: child, input: { keys } }) };
    } catch (error) {
      return failureOf(error);
    }
  },
);

export const parentOfFailing = defineWorkflow<{ child: string }, Payload>(
  'parent-of-failing',
  async (ctx, { child }) => {
    try {
      return (await ctx.child(ending, { id: child, input: { key: child, as: 'plain error' } })) ?? null;
    } catch (error) {
      return failureOf(error);
    }
  },
);

/** Many concurrent children. */
export const dynasty = defineWorkflow<{ children: readonly string[] }, Payload>(
  'dynasty',
  async (ctx, { children }) => {
    return await Promise.all(children.map((id) => ctx.child(steps, { id, input: { keys: [id] } })));
  },
);
