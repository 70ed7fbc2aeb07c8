import type { ActivityImplementation, Payload } from './activity.ts';
import type { HistoryEntry } from './history.ts';
import type { AnyWorkflow, Workflow } from './workflow.ts';
import type { WorkflowFailure } from './workflow-failure.ts';

export type { WorkflowFailure } from './workflow-failure.ts';

export const WORKFLOW_STATUSES = ['running', 'paused', 'completed', 'failed', 'cancelled', 'parked'] as const;
/** `parked`: the current code cannot replay the history. The workflow waits for code that can, and does not affect others. */
export type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];

export interface WorkflowSummary {
  readonly id: string;
  readonly name: string;
  readonly status: WorkflowStatus;
  readonly startTime: number;
  readonly endTime?: number;
  /** The number of the current run, from 1. */
  readonly run: number;
  readonly parent?: string;
  /** Why it failed, was cancelled or is parked. */
  readonly reason?: WorkflowFailure;
}

export interface WorkflowDescription extends WorkflowSummary {
  readonly input: Payload;
  readonly result?: Payload;
  readonly historyLength: number;
  /** Everything the workflow waits for now: running steps, timers with their times, signals. */
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
  /**
   * Starting the same workflow with the same id again has no effect; another workflow with that id gives
   * `WORKFLOW_EXISTS`.
   */
  readonly id: string;
  readonly input: I;
}

export interface SignalOptions {
  /** A second signal with the same id is dropped, as long as the run lasts. */
  readonly signalId?: string;
}

export interface SignalWithStartOptions<I> {
  /** No other workflow may have this id: engines need not check it. */
  readonly id: string;
  /** For a workflow that is started; one that runs keeps its own. */
  readonly input: I;
  readonly message: Message & SignalOptions;
}

export interface Message {
  readonly name: string;
  readonly payload: Payload;
}

export interface WorkflowQuery {
  readonly status?: WorkflowStatus;
  readonly name?: string;
  readonly pageSize: number;
  readonly pageToken?: string;
}

/** Starts and controls workflows, from any process that can reach the engine's database or server. */
export interface WorkflowClient {
  start<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    options: StartOptions<I>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Resolves with the result when the workflow ends; rejects with `WORKFLOW_FAILED` or `WORKFLOW_CANCELLED`. */
  result(id: string, signal: AbortSignal): Promise<Payload | undefined>;
  /** The signal is durable when this resolves. */
  signal(id: string, message: Message & SignalOptions, signal: AbortSignal): Promise<void>;
  /**
   * Signals the workflow with this id, and starts it first if there is none, in one step: a crash leaves both or neither.
   * `ended` if the workflow has ended; then nothing was done.
   */
  signalWithStart<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    options: SignalWithStartOptions<I>,
    signal: AbortSignal,
  ): Promise<'sent' | 'ended'>;
  query(id: string, name: string, signal: AbortSignal): Promise<Payload>;
  cancel(id: string, reason: string, signal: AbortSignal): Promise<void>;
  /** Running steps finish; no new ones start until `resume`. */
  pause(id: string, signal: AbortSignal): Promise<void>;
  resume(id: string, signal: AbortSignal): Promise<void>;
  describe(id: string, signal: AbortSignal): Promise<WorkflowDescription>;
  /** Newest first. */
  list(query: WorkflowQuery, signal: AbortSignal): Promise<{ items: WorkflowSummary[]; nextPageToken?: string }>;
  /** The history of the current run, step by step, in the same form on every engine. */
  history(id: string, signal: AbortSignal): Promise<HistoryEntry[]>;
}

/** The workflows and activities that an engine runs. Names are unique within each. */
export interface Registry {
  readonly workflows: readonly AnyWorkflow[];
  readonly activities: readonly ActivityImplementation[];
}

export interface DurableEngine {
  readonly client: WorkflowClient;
  /** Executes workflows until the signal aborts. Running activities are then aborted, and repeated after the next start. */
  run(signal: AbortSignal): Promise<void>;
}
