import type { ActivityOptions } from '../activity.ts';
import type { WorkflowFailure } from '../engine.ts';
import type { CarriedSignal } from '../signal-box.ts';

/**
 * One row of a workflow's history. Inputs and results stay in their stored text form until the value is needed. Events
 * of the same turn reached the workflow together, and do so again at every replay.
 */
export interface JournalEvent {
  readonly turn: number;
  readonly kind: 'activity' | 'timer' | 'signal' | 'child' | 'patch' | 'cancel';
  /** The number of the step, counted from 1; 0 for events that the workflow did not ask for. */
  readonly step: number;
  readonly name: string;
  readonly input: string | undefined;
  readonly result: string | undefined;
  readonly error: StepFailure | undefined;
  readonly signalId: string | undefined;
  readonly time: number;
}

export interface StepFailure extends WorkflowFailure {
  readonly attempts?: number;
}

/** A command of the workflow, carried out by the executor when the turn is on disk. */
export type Command =
  | { readonly kind: 'start'; readonly step: AskedStep }
  /** The workflow no longer waits for the step. */
  | { readonly kind: 'drop'; readonly step: AskedStep }
  | { readonly kind: 'patch'; readonly change: string }
  | { readonly kind: 'end'; readonly end: End };

export type AskedStep = { readonly number: number; readonly name: string; readonly input: string | undefined } & (
  | { readonly kind: 'activity'; readonly options: ActivityOptions }
  | { readonly kind: 'timer'; readonly ms: number }
  | { readonly kind: 'child'; readonly childId: string }
);

export type End =
  | { readonly kind: 'completed'; readonly result: string | undefined }
  | { readonly kind: 'failed'; readonly failure: WorkflowFailure }
  | { readonly kind: 'cancelled'; readonly failure: WorkflowFailure }
  | { readonly kind: 'continued'; readonly input: string; readonly carried: readonly CarriedSignal[] };
