import type { Payload } from './activity.ts';
import type { WorkflowFailure } from './workflow-failure.ts';

export const HISTORY_KINDS = ['activity', 'timer', 'signal', 'child', 'patch', 'cancel'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

/**
 * Something that happened to a workflow, in the order in which it saw it happen. `step` counts what the workflow asked for,
 * from 1; a signal or a cancel was not asked for and has 0.
 */
export interface HistoryEntry {
  readonly kind: HistoryKind;
  readonly step: number;
  /** Of the activity, signal, child workflow or change. */
  readonly name: string;
  readonly input?: Payload;
  readonly result?: Payload;
  readonly error?: WorkflowFailure;
  readonly time: number;
}
