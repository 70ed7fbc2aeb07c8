import type { Payload } from '#kit/durable';
import { DurableError, defineWorkflow, type WorkflowContext } from '#kit/durable';
import { work } from './activities.ts';
import { codeOf } from './failure-of.ts';
import { steps } from './steps.ts';

type On = 'activity' | 'timer' | 'signal' | 'signal with timeout' | 'child';

const WAITS: Record<On, (ctx: WorkflowContext, key: string) => Promise<Payload | undefined | void>> = {
  activity: (ctx, key) => ctx.run(work, { key }),
  timer: (ctx) => ctx.sleep(3_600_000),
  signal: (ctx) => ctx.waitSignal('never'),
  'signal with timeout': (ctx) => ctx.waitSignal('never', { timeoutMs: 3_600_000 }),
  child: (ctx, key) => ctx.child(steps, { id: `${key}-child`, input: { keys: [key] } }),
};

/**
 * Waits for something that does not come. When cancelled, it undoes its work, and then rethrows the cancel or swallows
 * it.
 */
export const cancellable = defineWorkflow<{ on: On; key: string; keeps: boolean }, Payload>(
  'cancellable',
  async (ctx, { on, key, keeps }) => {
    try {
      await WAITS[on](ctx, key);
      return 'came';
    } catch (error) {
      if (!(error instanceof DurableError && error.code === 'WORKFLOW_CANCELLED')) throw error;
      const later = await ctx.run(work, { key: `${key}-later` }).catch(codeOf);
      const undone = await ctx.cleanUp((shielded) => shielded.run(work, { key: `${key}-undo` }));
      if (!keeps) throw error;
      return { later, undone, cancelled: ctx.cancelled };
    }
  },
);

/** A clean-up that is running when the cancel comes runs to its end. */
export const shielded = defineWorkflow<{ key: string }, Payload>('shielded', async (ctx, { key }) => {
  const kept = await ctx.cleanUp((shield) => shield.run(work, { key }));
  return { kept, next: await ctx.run(work, { key: `${key}-next` }).catch(codeOf) };
});

/** Catches nothing. */
export const careless = defineWorkflow<{ key: string }, Payload>('careless', async (ctx, { key }) => {
  return await ctx.run(work, { key });
});
