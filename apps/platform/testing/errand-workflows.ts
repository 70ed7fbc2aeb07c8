import type { Payload } from '#kit/durable';
import { type AnyWorkflow, defineWorkflow, implementActivity } from '#kit/durable';
import type { WorkflowSet } from '../durable/workflow-set.ts';
import { buy } from './buy.ts';
import * as errands from './errands.ts';

class SoldOut extends Error {
  override readonly name = 'SoldOut';
}

/** Workflows that wait for each kind of event. `moonlight` is never available. */
export const ERRAND_WORKFLOWS: WorkflowSet = {
  workflows: Object.values<AnyWorkflow>(errands),
  activities: [
    implementActivity(buy, async ({ thing }) => {
      if (thing === 'moonlight') throw new SoldOut('moonlight is sold out');
      return `one ${thing}`;
    }),
  ],
  modules: [new URL('./errands.ts', import.meta.url)],
};

/** In no set, as if a release had lost it. */
export const forgotten = defineWorkflow<null, Payload>('forgotten', async () => null);
