import type { HistoryEntry, Payload } from '#kit/durable';
import type { Workload, WorkloadSignal } from './workload.ts';

/** How a life of the executor ends. */
export type Death =
  /** By its own hand, at the first boundary after so many at which no life has ended yet. */
  | { readonly at: 'boundary'; readonly skip: number }
  /** By its own hand, before or after so many writes. */
  | { readonly at: 'write'; readonly count: number; readonly after: boolean }
  /** By its parent's, so long after it is ready. */
  | { readonly at: 'time'; readonly ms: number }
  /** Not before everything is done. */
  | { readonly at: 'end' };

/** What the program is told by its first argument. */
export interface ExecutorOrders {
  readonly workload: Workload;
  readonly death: Death;
  /** A folder that outlives it: what was really done, and where lives have ended. */
  readonly folder: string;
  /** Where its engine keeps its data. */
  readonly place: Payload;
}

/** A line on its standard input. */
export type ExecutorCommand = WorkloadSignal;

/** A line on its standard output. */
export type ExecutorNews =
  | { readonly kind: 'ready' }
  /** Of those that could, it is the one that executes; and no longer. */
  | { readonly kind: 'leading' }
  | { readonly kind: 'interrupted' }
  /** The signal with this id is durable. */
  | { readonly kind: 'sent'; readonly signalId: string }
  | { readonly kind: 'done'; readonly outcomes: readonly WorkflowOutcome[] };

export interface WorkflowOutcome {
  readonly id: string;
  readonly status: string;
  readonly result: Payload;
  readonly history: readonly HistoryEntry[];
}
