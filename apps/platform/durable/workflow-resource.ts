import type { HistoryEntry, WaitingFor, WorkflowDescription, WorkflowFailure, WorkflowSummary } from '#kit/durable';
import type {
  WorkflowHistoryResource,
  WorkflowResource,
  WorkflowSummaryResource,
  WorkflowWaitResource,
} from '#protocol/api';

export function toSummaryResource(summary: WorkflowSummary): WorkflowSummaryResource {
  const { id, name, status, startTime, endTime, run, parent, reason } = summary;
  return {
    id,
    name,
    status,
    startTime: toTime(startTime),
    ...(endTime !== undefined && { endTime: toTime(endTime) }),
    run,
    ...(parent !== undefined && { parent }),
    ...(reason !== undefined && { reason: toFailure(reason) }),
  };
}

export function toWorkflowResource(described: WorkflowDescription): WorkflowResource {
  const { input, result, historyLength, waitingFor } = described;
  return {
    ...toSummaryResource(described),
    input,
    ...(result !== undefined && { result }),
    historyLength,
    waitingFor: waitingFor.map(toWaitResource),
  };
}

export function toHistoryResource({ time, error, ...entry }: HistoryEntry): WorkflowHistoryResource {
  return { ...entry, ...(error !== undefined && { error: toFailure(error) }), time: toTime(time) };
}

function toWaitResource({ since, until, lastError, ...waiting }: WaitingFor): WorkflowWaitResource {
  return {
    ...waiting,
    ...(since !== undefined && { since: toTime(since) }),
    ...(until !== undefined && { until: toTime(until) }),
    ...(lastError !== undefined && { lastError: toFailure(lastError) }),
  };
}

/** An engine may return more fields; the API promises these. */
function toFailure({ code, message }: WorkflowFailure): WorkflowFailure {
  return { code, message };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
