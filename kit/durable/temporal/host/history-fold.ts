import type { temporal } from '@temporalio/proto';
import type { Payload } from '../../activity.ts';
import type { WaitingFor, WorkflowFailure, WorkflowStatus } from '../../engine.ts';
import type { HistoryEntry } from '../../history.ts';
import type { CarriedSignal } from '../../signal-box.ts';
import {
  type Continuation,
  PAUSE_SIGNAL,
  RESUME_SIGNAL,
  readActivityId,
  readStepSummary,
  type StepMark,
} from '../wire.ts';
import { failureOf, jsonAt, jsonOf, millisecondsOf } from './payloads.ts';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** A handler for each kind of Temporal event, which translates it. */
type Handlers = { readonly [K in keyof HistoryEvent]?: (about: NonNullable<HistoryEvent[K]>, event: Seen) => void };

interface Seen {
  readonly id: string;
  readonly time: number;
  /** The mark that the sandbox left on a timer or a child. */
  readonly mark: StepMark;
}

interface PendingStep extends StepMark {
  readonly kind: 'activity' | 'timer' | 'child';
  readonly name: string;
  readonly input: Payload | undefined;
  readonly since: number;
  readonly until?: number;
}

interface Outcome {
  readonly result?: Payload | undefined;
  readonly error?: WorkflowFailure;
}

const TIMED_OUT: WorkflowFailure = { code: 'TIMED_OUT', message: 'Temporal ended it: its time was up' };

/**
 * A run as Temporal's events describe it, in the terms of the port. It mirrors how the sandbox reacted to the same
 * events.
 */
export class HistoryFold {
  readonly entries: HistoryEntry[] = [];
  input: Payload = null;
  run = 1;
  startTime = 0;
  endTime: number | undefined;
  parent: string | undefined;
  /** Signals that the previous run left untaken. */
  carried: readonly CarriedSignal[] = [];
  status: Exclude<WorkflowStatus, 'paused' | 'parked'> = 'running';
  paused = false;
  result: Payload | undefined;
  /** Why it failed or was cancelled. */
  reason: WorkflowFailure | undefined;
  cancelReason: string | undefined;
  /** The error of the last workflow task, if it failed. */
  stuck: string | undefined;
  /** Keyed by the id of the event that started the step. */
  readonly #pending = new Map<string, PendingStep>();
  readonly #signalIds = new Set<string>();

  constructor(events: readonly HistoryEvent[]) {
    for (const event of events) this.#add(event);
  }

  get waitingFor(): WaitingFor[] {
    return Array.from(this.#pending.values(), ({ kind, name, step, since, until }) => ({
      kind,
      name,
      step,
      since,
      ...(until !== undefined && { until }),
    }));
  }

  /** Steps that were started and have not ended, as if they had just ended. */
  get unended(): HistoryEntry[] {
    return Array.from(this.#pending.values(), (pending) => toEntry(pending, {}, pending.since));
  }

  readonly #handlers: Handlers = {
    workflowExecutionStartedEventAttributes: ({ input, parentWorkflowExecution }, { time }) => {
      const continuation = jsonAt(input, 1) as unknown as Continuation | undefined;
      this.input = jsonAt(input, 0) ?? null;
      this.run = continuation?.run ?? 1;
      this.paused = continuation?.paused ?? false;
      this.carried = continuation?.carried ?? [];
      this.startTime = time;
      this.parent = parentWorkflowExecution?.workflowId ?? undefined;
      for (const { signalId } of this.carried) this.#isNew(signalId);
    },
    workflowTaskFailedEventAttributes: ({ failure }) => {
      this.stuck = failure?.message ?? '';
    },
    workflowTaskCompletedEventAttributes: () => {
      this.stuck = undefined;
    },

    activityTaskScheduledEventAttributes: ({ activityId, activityType, input }, { id, time }) => {
      const mark = readActivityId(activityId ?? '');
      const name = activityType?.name ?? '';
      this.#pending.set(id, { kind: 'activity', ...mark, name, input: jsonAt(input, 0), since: time });
    },
    activityTaskCompletedEventAttributes: ({ scheduledEventId, result }, { time }) =>
      this.#end(scheduledEventId, { result: jsonAt(result, 0) }, time),
    activityTaskFailedEventAttributes: ({ scheduledEventId, failure }, { time }) =>
      this.#end(scheduledEventId, { error: failureOf(failure) }, time),
    activityTaskTimedOutEventAttributes: ({ scheduledEventId, failure }, { time }) =>
      this.#end(scheduledEventId, { error: failureOf(failure) }, time),
    activityTaskCancelRequestedEventAttributes: ({ scheduledEventId }) => this.#drop(scheduledEventId),

    timerStartedEventAttributes: ({ startToFireTimeout }, { id, time, mark }) => {
      const ms = millisecondsOf(startToFireTimeout);
      this.#pending.set(id, { kind: 'timer', ...mark, name: '', input: ms, since: time, until: time + ms });
    },
    timerFiredEventAttributes: ({ startedEventId }, { time }) => this.#end(startedEventId, {}, time),
    timerCanceledEventAttributes: ({ startedEventId }) => this.#drop(startedEventId),

    startChildWorkflowExecutionInitiatedEventAttributes: ({ workflowType, input }, { id, time, mark }) => {
      const name = workflowType?.name ?? '';
      this.#pending.set(id, { kind: 'child', ...mark, name, input: jsonAt(input, 0), since: time });
    },
    startChildWorkflowExecutionFailedEventAttributes: ({ initiatedEventId, workflowId }, { time }) => {
      const error = { code: 'WORKFLOW_EXISTS', message: `there is a workflow ${workflowId} already` };
      this.#end(initiatedEventId, { error }, time);
    },
    childWorkflowExecutionCompletedEventAttributes: ({ initiatedEventId, result }, { time }) =>
      this.#end(initiatedEventId, { result: jsonAt(result, 0) }, time),
    childWorkflowExecutionFailedEventAttributes: ({ initiatedEventId, failure }, { time }) =>
      this.#end(initiatedEventId, { error: failureOf(failure) }, time),
    childWorkflowExecutionCanceledEventAttributes: ({ initiatedEventId }, { time }) =>
      this.#end(initiatedEventId, { error: { code: 'WORKFLOW_CANCELLED', message: '' } }, time),
    childWorkflowExecutionTerminatedEventAttributes: ({ initiatedEventId }, { time }) =>
      this.#end(initiatedEventId, { error: { code: 'TERMINATED', message: 'it was ended by force' } }, time),
    childWorkflowExecutionTimedOutEventAttributes: ({ initiatedEventId }, { time }) =>
      this.#end(initiatedEventId, { error: TIMED_OUT }, time),

    workflowExecutionSignaledEventAttributes: ({ signalName, input }, { time }) => {
      const [name, signalId] = [signalName ?? '', jsonAt(input, 1)];
      if (name === PAUSE_SIGNAL || name === RESUME_SIGNAL) this.paused = name === PAUSE_SIGNAL;
      else if (this.#isNew(signalId))
        this.entries.push({ kind: 'signal', step: 0, name, result: jsonAt(input, 0) ?? null, time });
    },
    markerRecordedEventAttributes: ({ markerName, details }, { time }) => {
      if (markerName !== 'core_patch') return;
      const { id } = jsonAt(details?.['patch-data'], 0) as { readonly id: string };
      this.entries.push({ kind: 'patch', step: 0, name: id, time });
    },
    workflowExecutionCancelRequestedEventAttributes: ({ cause }, { time }) => {
      if (this.cancelReason !== undefined) return;
      this.cancelReason = cause ?? '';
      this.entries.push({ kind: 'cancel', step: 0, name: this.cancelReason, time });
      for (const [id, { shielded }] of this.#pending) if (!shielded) this.#pending.delete(id);
    },

    workflowExecutionCompletedEventAttributes: ({ result }, { time }) => {
      this.result = jsonAt(result, 0);
      this.#close('completed', undefined, time);
    },
    workflowExecutionFailedEventAttributes: ({ failure }, { time }) => this.#close('failed', failureOf(failure), time),
    workflowExecutionCanceledEventAttributes: (_, { time }) =>
      this.#close('cancelled', { code: 'WORKFLOW_CANCELLED', message: this.cancelReason ?? '' }, time),
    workflowExecutionTerminatedEventAttributes: ({ reason }, { time }) =>
      this.#close('failed', { code: 'TERMINATED', message: reason ?? '' }, time),
    workflowExecutionTimedOutEventAttributes: (_, { time }) => this.#close('failed', TIMED_OUT, time),
  };

  readonly #kinds = Object.keys(this.#handlers) as (keyof Handlers)[];

  #add(event: HistoryEvent): void {
    const summary = jsonOf(event.userMetadata?.summary);
    const mark = readStepSummary(typeof summary === 'string' ? summary : '');
    const seen = { id: String(event.eventId), time: millisecondsOf(event.eventTime), mark };
    for (const kind of this.#kinds) this.#tell(kind, event[kind], seen);
  }

  #tell<K extends keyof Handlers>(kind: K, about: HistoryEvent[K], event: Seen): void {
    if (about != null) (this.#handlers[kind] as (about: HistoryEvent[K], event: Seen) => void)(about, event);
  }

  #end(begunBy: unknown, outcome: Outcome, time: number): void {
    const pending = this.#pending.get(String(begunBy));
    // The workflow had dropped the step: the result did not reach it.
    if (pending === undefined) return;
    this.#drop(begunBy);
    this.entries.push(toEntry(pending, outcome, time));
  }

  #drop(begunBy: unknown): void {
    this.#pending.delete(String(begunBy));
  }

  #isNew(signalId: Payload | undefined): boolean {
    if (typeof signalId !== 'string') return true;
    const isNew = !this.#signalIds.has(signalId);
    this.#signalIds.add(signalId);
    return isNew;
  }

  #close(status: HistoryFold['status'], reason: WorkflowFailure | undefined, time: number): void {
    this.status = status;
    this.reason = reason;
    this.endTime = time;
  }
}

function toEntry({ kind, step, name, input }: PendingStep, { result, error }: Outcome, time: number): HistoryEntry {
  return {
    kind,
    step,
    name,
    ...(input !== undefined && { input }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
    time,
  };
}
