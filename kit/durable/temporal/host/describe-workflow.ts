import type { WaitingFor, WorkflowDescription, WorkflowFailure } from '../../engine.ts';
import type { AnyWorkflow } from '../../workflow.ts';
import { type RunState, readActivityId, STATE_QUERY, type TryFacts } from '../wire.ts';
import { HistoryFold } from './history-fold.ts';
import { parkedReason } from './parked-reason.ts';
import { failureOf, jsonAt, millisecondsOf } from './payloads.ts';
import type { Described, Execution, TemporalService } from './temporal-service.ts';

export interface DescribeDeps {
  readonly service: TemporalService;
  readonly workflows: ReadonlyMap<string, AnyWorkflow>;
}

/** How long a worker may take to answer: at first, and after the history gave no sign that it cannot. */
const [SOON_MS, AT_LAST_MS] = [500, 2_000];

/** Describes the current run. If it is running, the worker that has it in memory is queried. */
export async function describeWorkflow(
  { service, workflows }: DescribeDeps,
  id: string,
  signal: AbortSignal,
): Promise<WorkflowDescription> {
  const described = await service.describe(id, signal);
  const info = described.workflowExecutionInfo;
  const run: Run = { service, described, execution: { id, runId: info?.execution?.runId ?? undefined } };
  const isOpen = !info?.closeTime;
  // A workflow that no worker could continue is not queried: the query would wait for a worker that can.
  const isAsked = isOpen && (described.pendingWorkflowTask?.attempt ?? 1) <= 1;
  const answer = isAsked ? await ask(run, SOON_MS, signal) : {};
  if (answer.state !== undefined) return await fromState(run, answer.state, signal);
  const fold = new HistoryFold(await service.events(run.execution, signal));
  const workflow = workflows.get(info?.type?.name ?? '');
  const parked = isOpen ? await parkedReason({ id, fold, refusal: answer.refusal, workflow }) : undefined;
  if (isAsked && parked === undefined && fold.status === 'running') {
    const { state } = await ask(run, AT_LAST_MS, signal);
    if (state !== undefined) return await fromState(run, state, signal);
  }
  return fromHistory(run, fold, parked);
}

interface Run {
  readonly service: TemporalService;
  readonly described: Described;
  readonly execution: Execution;
}

interface Answer {
  readonly state?: RunState;
  /** Why there is no state. */
  readonly refusal?: unknown;
}

async function ask({ service, execution }: Run, ms: number, signal: AbortSignal): Promise<Answer> {
  try {
    const answer = await service.query(execution, STATE_QUERY, AbortSignal.any([signal, AbortSignal.timeout(ms)]));
    return { state: answer as unknown as RunState };
  } catch (refusal) {
    signal.throwIfAborted();
    return { refusal };
  }
}

async function fromState(run: Run, state: RunState, signal: AbortSignal): Promise<WorkflowDescription> {
  const fold = new HistoryFold(await run.service.firstEvent(run.execution, signal));
  return {
    ...factsOf(run, fold),
    status: state.paused ? 'paused' : 'running',
    historyLength: state.length,
    waitingFor: withTries(state.waitingFor, run.described),
  };
}

/** Without the signals that the workflow waits for, and the steps that a pause holds back: the history does not have them. */
function fromHistory(run: Run, fold: HistoryFold, parked: WorkflowFailure | undefined): WorkflowDescription {
  const reason = parked ?? fold.reason;
  return {
    ...factsOf(run, fold),
    ...(fold.endTime !== undefined && { endTime: fold.endTime }),
    ...(fold.result !== undefined && { result: fold.result }),
    ...(reason !== undefined && { reason }),
    status: statusOf(fold, parked),
    historyLength: fold.entries.length,
    waitingFor: fold.status === 'running' ? withTries(fold.waitingFor, run.described) : [],
  };
}

function factsOf({ described, execution }: Run, { input, run, parent }: HistoryFold) {
  const { workflowExecutionInfo: info, workflowExtendedInfo: extended } = described;
  return {
    id: execution.id,
    name: info?.type?.name ?? '',
    input,
    run,
    startTime: millisecondsOf(extended?.originalStartTime ?? info?.startTime),
    ...(parent !== undefined && { parent }),
  };
}

function statusOf(fold: HistoryFold, parked: WorkflowFailure | undefined): WorkflowDescription['status'] {
  if (parked !== undefined) return 'parked';
  return fold.status === 'running' && fold.paused ? 'paused' : fold.status;
}

/** Temporal's service knows the number of attempts of a step. */
function withTries(waitingFor: readonly WaitingFor[], { pendingActivities }: Described): WaitingFor[] {
  const tries = new Map(pendingActivities?.map((pending) => [readActivityId(pending.activityId ?? '').step, pending]));
  return waitingFor.map((waiting) => {
    const pending = waiting.kind === 'activity' ? tries.get(waiting.step) : undefined;
    if (pending === undefined) return waiting;
    const facts = jsonAt(pending.heartbeatDetails, 0) as unknown as TryFacts | undefined;
    return {
      ...waiting,
      attempt: (facts?.failed ?? 0) + 1,
      ...(pending.lastFailure && {
        until: millisecondsOf(pending.scheduledTime),
        lastError: failureOf(pending.lastFailure),
      }),
    };
  });
}
