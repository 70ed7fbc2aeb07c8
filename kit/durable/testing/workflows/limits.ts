import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';
import { work } from './activities.ts';
import { codeOf } from './failure-of.ts';

/** Passes a payload of this many bytes, in one of the places where a workflow passes one. */
export const hauler = defineWorkflow<{ key: string; bytes: number; as: 'input' | 'result' | 'next input' }, Payload>(
  'hauler',
  async (ctx, { key, bytes, as }) => {
    const load = 'x'.repeat(bytes);
    if (as === 'next input') return ctx.continueAsNew({ key, bytes, as, load });
    if (as === 'result') return load;
    return await ctx.run(work, { key, note: load }).catch(codeOf);
  },
);

/** Passes a value that JSON cannot represent. */
export const mumbler = defineWorkflow<{ key: string }, Payload>('mumbler', async (ctx, { key }) => {
  const circle: { [key: string]: Payload } = {};
  circle['round'] = circle;
  return await ctx.run(work, { key, note: circle }).catch(codeOf);
});

/** Starts this many timers at once: returns the first refusal, or the payload of the signal. */
export const greedy = defineWorkflow<{ timers: number }, Payload>('greedy', async (ctx, { timers }) => {
  const refusals = Array.from({ length: timers }, () => ctx.sleep(3_600_000).then(() => 'passed', codeOf));
  return (await Promise.race([...refusals, ctx.waitSignal('enough')])) ?? null;
});

const AT_ONCE = 500;

/** Timers without end. It reports after how many it was told that its history is long, and ignores that. */
export const talkative = defineWorkflow<{ key: string; most: number }, Payload>(
  'talkative',
  async (ctx, { key, most }) => {
    let wasDue = false;
    for (let said = 0; said < most; said += AT_ONCE) {
      if (ctx.continueAsNewDue && !wasDue) await ctx.run(work, { key, note: said });
      wasDue ||= ctx.continueAsNewDue;
      await Promise.all(Array.from({ length: AT_ONCE }, () => ctx.sleep(0)));
    }
    return 'said it all';
  },
);
