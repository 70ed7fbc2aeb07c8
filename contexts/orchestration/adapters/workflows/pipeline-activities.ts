import { defineActivity } from '#kit/durable';
import type { PlanAnswer } from '../../application/pipeline/plan-rollout.ts';
import type { TurnAnswer } from '../../application/pipeline/take-turn.ts';

/** A storage outage must not fail a rollout: these activities are retried until they succeed. */
const PATIENT = { attempts: 1_000_000, backoff: { baseMs: 200, capMs: 15_000 } };

/** Resolve, delta, plan; or the rollout that is under way already. */
export const planRollout = defineActivity<{ readonly deployment: string; readonly run: number }, PlanAnswer>(
  'plan-rollout',
  { retry: PATIENT },
);

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
