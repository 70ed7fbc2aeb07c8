import type { WorkflowFailure } from '../engine.ts';

/** Events of the executor, for logs and metrics. */
export type ExecutorFact =
  | { readonly kind: 'leading'; readonly epoch: number }
  | { readonly kind: 'recovered'; readonly open: number }
  | { readonly kind: 'ended'; readonly workflow: string; readonly status: 'completed' | 'failed' | 'cancelled' }
  | { readonly kind: 'parked'; readonly workflow: string; readonly reason: WorkflowFailure }
  /** Another process executes, or may execute, after this one did. */
  | { readonly kind: 'standing-by' }
  | { readonly kind: 'interrupted'; readonly error: unknown; readonly retryInMs: number };
