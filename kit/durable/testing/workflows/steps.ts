import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';
import {
  work,
  workByDefault,
  workImpatient,
  workOfNobody,
  workOnce,
  workPatient,
  workPicky,
  workWatched,
} from './activities.ts';
import { failureOf } from './failure-of.ts';

/** One activity after another. */
export const steps = defineWorkflow<{ keys: readonly string[] }, Payload>('steps', async (ctx, { keys }) => {
  const results: Payload[] = [];
  for (const key of keys) results.push(await ctx.run(work, { key }));
  return results;
});

const KINDS = {
  plain: work,
  once: workOnce,
  picky: workPicky,
  impatient: workImpatient,
  watched: workWatched,
  byDefault: workByDefault,
  patient: workPatient,
  ofNobody: workOfNobody,
};

/** One activity of a kind; returns its failure, if any. */
export const tryWork = defineWorkflow<{ kind: keyof typeof KINDS; key: string }, Payload>(
  'try-work',
  async (ctx, { kind, key }) => {
    try {
      return { result: await ctx.run(KINDS[kind], { key }) };
    } catch (error) {
      return failureOf(error);
    }
  },
);

/** Ends as specified, after an activity whose outcome does not matter. */
export const ending = defineWorkflow<{ key: string; as: 'nothing' | 'null' | 'plain error' }, Payload | undefined>(
  'ending',
  async (ctx, { key, as }) => {
    await ctx.run(work, { key });
    if (as === 'plain error') throw new TypeError('this is no number');
    return as === 'null' ? null : undefined;
  },
);

/** Returns its input, passed through an activity. */
export const echo = defineWorkflow<{ key: string; value: Payload }, Payload>('echo', async (ctx, { key, value }) => {
  return { own: value, fromWork: await ctx.run(work, { key, note: value }) };
});
