import type { HistoryEntry, Payload } from '#kit/durable';
import type { Workload, WorkloadSignal } from './workload.ts';

/** How a life of the executor ends. */
export type Death =
  /** Kills itself at the first boundary, after skipping this many, at which no life has ended yet. */
  | { readonly at: 'boundary'; readonly skip: number }
  /** Kills itself before or after this many writes. */
  | { readonly at: 'write'; readonly count: number; readonly after: boolean }
  /** Killed by its parent, this long after it is ready. */
  | { readonly at: 'time'; readonly ms: number }
  /** Ends when everything is done. */
  | { readonly at: 'end' };

/** The program's first argument. */
export interface ExecutorOrders {
  readonly workload: Workload;
  readonly death: Death;
  /** A folder that outlives the process: recorded side effects, and where lives have ended. */
  readonly folder: string;
  /** Where its engine stores its data. */
  readonly place: Payload;
}

/** A line on its standard input. */
export type ExecutorCommand = WorkloadSignal;

/** A line on its standard output. */
export type ExecutorNews =
  | { readonly kind: 'ready' }
  /** This process executes now (`leading`), or no longer does (`interrupted`). */
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
