import type { Payload } from './activity.ts';
import type { WorkflowFailure } from './workflow-failure.ts';

export const HISTORY_KINDS = ['activity', 'timer', 'signal', 'child', 'patch', 'cancel'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

/**
 * An event of a workflow, in the order in which the workflow saw it. `step` counts the steps that the workflow asked
 * for, from 1; it is 0 for a signal or a cancel.
 */
export interface HistoryEntry {
  readonly kind: HistoryKind;
  readonly step: number;
  /** The name of the activity, signal, child workflow or change. */
  readonly name: string;
  readonly input?: Payload;
  readonly result?: Payload;
  readonly error?: WorkflowFailure;
  readonly time: number;
}
