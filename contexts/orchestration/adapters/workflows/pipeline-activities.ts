import { defineActivity } from '#kit/durable';

/** A storage outage must not fail a rollout: these activities are retried until they succeed. */
const PATIENT = { attempts: 1_000_000, backoff: { baseMs: 200, capMs: 15_000 } };

/**
 * The next step of the pipeline. `rest`: nothing is left to do, and the run is over. `wait`: something is in doubt; look
 * again at that time, or when there is news.
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
  /** The batch of orders to send, if any. */
  readonly batch: number | null;
  /** When to look again if nothing happens before. */
  readonly wakeAt: number | null;
  /** There is more input to take at once. */
  readonly hasMore: boolean;
};

/** Takes the events since the last turn, and carries out the resulting decisions: gates, pacing, the end. */
export const takeTurn = defineActivity<{ readonly deployment: string; readonly revision: number }, TurnAnswer>(
  'take-turn',
  { retry: PATIENT },
);

/** Generate, diff, deliver: all orders of a batch, each until its agent has persisted it. */
export const deliverBatch = defineActivity<
  { readonly deployment: string; readonly revision: number; readonly batch: number },
  undefined
>('deliver-batch', { retry: PATIENT, timeoutMs: 600_000, heartbeatMs: 30_000 });
