import proto from '@temporalio/proto';
import type { WorkflowFailure, WorkflowStatus, WorkflowSummary } from '../../engine.ts';
import { FACTS_MEMO, type RunFacts } from '../wire.ts';
import { HistoryFold } from './history-fold.ts';
import { jsonOf, millisecondsOf } from './payloads.ts';
import type { ExecutionInfo, TemporalService } from './temporal-service.ts';

const { WorkflowExecutionStatus: Status } = proto.temporal.api.enums.v1;

/** Set by the server when a workflow task failed several times in a row. */
const PROBLEMS = 'TemporalReportedProblems';

const ENDED: ReadonlyMap<unknown, WorkflowStatus> = new Map([
  [Status.WORKFLOW_EXECUTION_STATUS_COMPLETED, 'completed'],
  [Status.WORKFLOW_EXECUTION_STATUS_CANCELED, 'cancelled'],
  [Status.WORKFLOW_EXECUTION_STATUS_FAILED, 'failed'],
  [Status.WORKFLOW_EXECUTION_STATUS_TERMINATED, 'failed'],
  [Status.WORKFLOW_EXECUTION_STATUS_TIMED_OUT, 'failed'],
]);

/** From Temporal's index, which may lag slightly. */
export function listedStatus(info: ExecutionInfo): WorkflowStatus {
  const ended = ENDED.get(info.status);
  if (ended !== undefined) return ended;
  if (info.searchAttributes?.indexedFields?.[PROBLEMS]) return 'parked';
  return factsOf(info)?.paused ? 'paused' : 'running';
}

export async function summaryOf(
  service: Pick<TemporalService, 'closeEvent' | 'events'>,
  info: ExecutionInfo,
  signal: AbortSignal,
): Promise<WorkflowSummary> {
  const facts = factsOf(info);
  const id = info.execution?.workflowId ?? '';
  const parent = info.parentExecution?.workflowId;
  const reason = await reasonOf(service, info, signal);
  return {
    id,
    name: info.type?.name ?? '',
    status: listedStatus(info),
    startTime: facts?.startTime ?? millisecondsOf(info.startTime),
    ...(info.closeTime && { endTime: millisecondsOf(info.closeTime) }),
    run: facts?.run ?? 1,
    ...(parent && { parent }),
    ...(reason && { reason }),
  };
}

/**
 * The index does not have the reason. Why a workflow failed is in its last event, why it was cancelled or is parked in
 * an earlier one.
 */
async function reasonOf(
  service: Pick<TemporalService, 'closeEvent' | 'events'>,
  info: ExecutionInfo,
  signal: AbortSignal,
): Promise<WorkflowFailure | undefined> {
  const execution = { id: info.execution?.workflowId ?? '', runId: info.execution?.runId ?? undefined };
  switch (listedStatus(info)) {
    case 'failed': {
      const event = await service.closeEvent(execution, signal);
      return new HistoryFold(event === undefined ? [] : [event]).reason;
    }
    case 'cancelled':
      return new HistoryFold(await service.events(execution, signal)).reason;
    case 'running':
    case 'paused':
    case 'parked':
    case 'completed':
      return undefined;
  }
}

function factsOf({ memo }: ExecutionInfo): RunFacts | undefined {
  return jsonOf(memo?.fields?.[FACTS_MEMO]) as unknown as RunFacts | undefined;
}
