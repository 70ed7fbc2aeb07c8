import { defineActivity } from '#kit/durable';

/** Storage that is away for a while must not fail a rollout: these are tried until they work. */
const PATIENT = { attempts: 1_000_000, backoff: { baseMs: 200, capMs: 15_000 } };

/**
 * What the pipeline does next. `rest`: nothing is left to do, and the run is over. `wait`: something is in doubt, or
 * asked for by nobody yet; it is looked at again at that time, or when there is news.
 */
export type PlanAnswer =
  | { readonly kind: 'rest' }
  | { readonly kind: 'wait'; readonly until: number | null }
  | { readonly kind: 'rollout'; readonly revision: number };

/** Resolve, delta, plan; or the rollout that is under way already. */
export const planRollout = defineActivity<{ readonly deployment: string; readonly run: number }, PlanAnswer>(
  'plan-rollout',
  { retry: PATIENT },
);

export type TurnAnswer = {
  readonly isFinished: boolean;
  /** What was decided to be sent, if anything. */
  readonly batch: number | null;
  /** When it has to be looked at again, if nothing happens before. */
  readonly wakeAt: number | null;
  /** There is more to hear at once. */
  readonly hasMore: boolean;
};

/** What happened since the last turn, and what follows from it: gates, pacing, the end. */
export const takeTurn = defineActivity<{ readonly deployment: string; readonly revision: number }, TurnAnswer>(
  'take-turn',
  { retry: PATIENT },
);

/** Generate, diff, deliver: all that was decided together, each until its agent has it safely. */
export const deliverBatch = defineActivity<
  { readonly deployment: string; readonly revision: number; readonly batch: number },
  undefined
>('deliver-batch', { retry: PATIENT, timeoutMs: 600_000, heartbeatMs: 30_000 });
