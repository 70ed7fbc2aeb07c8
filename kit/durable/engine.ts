import type { ActivityImplementation, Payload } from './activity.ts';
import type { HistoryEntry } from './history.ts';
import type { AnyWorkflow, Workflow } from './workflow.ts';
import type { WorkflowFailure } from './workflow-failure.ts';

export type { WorkflowFailure } from './workflow-failure.ts';

export const WORKFLOW_STATUSES = ['running', 'paused', 'completed', 'failed', 'cancelled', 'parked'] as const;
/** `parked`: its history cannot be replayed by the code at hand. It waits for code that can, and harms no other. */
export type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];

export interface WorkflowSummary {
  readonly id: string;
  readonly name: string;
  readonly status: WorkflowStatus;
  readonly startTime: number;
  readonly endTime?: number;
  /** Of the run at hand, 1 for the first. */
  readonly run: number;
  readonly parent?: string;
  /** Why it failed, was cancelled or is parked. */
  readonly reason?: WorkflowFailure;
}

export interface WorkflowDescription extends WorkflowSummary {
  readonly input: Payload;
  readonly result?: Payload;
  readonly historyLength: number;
  /** What it waits for right now: steps under way, timers with their time, signals. */
  readonly waitingFor: readonly WaitingFor[];
}

export interface WaitingFor {
  readonly kind: 'activity' | 'timer' | 'signal' | 'child';
  readonly name: string;
  readonly step: number;
  readonly since?: number;
  readonly until?: number;
  readonly attempt?: number;
  readonly lastError?: WorkflowFailure;
}

export interface StartOptions<I> {
  /** Starting the same id again with the same workflow gives the one that is there; with another it is `WORKFLOW_EXISTS`. */
  readonly id: string;
  readonly input: I;
}

export interface SignalOptions {
  /** A second one with the same id is dropped, as long as the run lasts. */
  readonly signalId?: string;
}

export interface WorkflowQuery {
  readonly status?: WorkflowStatus;
  readonly name?: string;
  readonly pageSize: number;
  readonly pageToken?: string;
}

/** Starts and steers workflows, from wherever the engine's database or server can be reached. */
export interface WorkflowClient {
  start<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    options: StartOptions<I>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Its result once it ended; rejects with `WORKFLOW_FAILED` or `WORKFLOW_CANCELLED`. */
  result(id: string, signal: AbortSignal): Promise<Payload | undefined>;
  /** Durable once it resolves. */
  signal(id: string, message: { name: string; payload: Payload } & SignalOptions, signal: AbortSignal): Promise<void>;
  query(id: string, name: string, signal: AbortSignal): Promise<Payload>;
  cancel(id: string, reason: string, signal: AbortSignal): Promise<void>;
  /** What runs is let finish; nothing new is started until `resume`. */
  pause(id: string, signal: AbortSignal): Promise<void>;
  resume(id: string, signal: AbortSignal): Promise<void>;
  describe(id: string, signal: AbortSignal): Promise<WorkflowDescription>;
  /** Newest first. */
  list(query: WorkflowQuery, signal: AbortSignal): Promise<{ items: WorkflowSummary[]; nextPageToken?: string }>;
  /** What happened in the run at hand, step by step, the same on every engine. */
  history(id: string, signal: AbortSignal): Promise<HistoryEntry[]>;
}

/** What an engine runs. Both names are unique. */
export interface Registry {
  readonly workflows: readonly AnyWorkflow[];
  readonly activities: readonly ActivityImplementation[];
}

export interface DurableEngine {
  readonly client: WorkflowClient;
  /** Executes workflows until the signal aborts; then what runs is given up and is done again after the next start. */
  run(signal: AbortSignal): Promise<void>;
}
