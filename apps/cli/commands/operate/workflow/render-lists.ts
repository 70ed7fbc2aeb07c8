import type { WorkflowHistoryResource, WorkflowSummaryResource } from '#protocol/api';
import { renderTable } from '../../../output/render-table.ts';
import { renderTime } from '../../../output/render-time.ts';
import { shorten } from '../../../output/shorten.ts';

const PAYLOAD_LENGTH = 48;
const REASON_LENGTH = 60;

export function renderWorkflows(workflows: readonly WorkflowSummaryResource[]): string {
  const rows = workflows.map(({ id, name, status, startTime, endTime, reason }) => [
    id,
    name,
    status,
    renderTime(startTime),
    endTime === undefined ? '-' : renderTime(endTime),
    reason === undefined ? '' : shorten(`${reason.code}: ${reason.message}`, REASON_LENGTH),
  ]);
  return renderTable(['ID', 'WORKFLOW', 'STATUS', 'STARTED', 'ENDED', 'REASON'], rows);
}

/** A line for each event, in the order in which the workflow saw them. */
export function renderHistory(entries: readonly WorkflowHistoryResource[]): string {
  if (entries.length === 0) return 'No events yet in this run.\n';
  const rows = entries.map((entry) => [
    entry.step === 0 ? '-' : String(entry.step),
    entry.kind,
    entry.name || '-',
    payload(entry.input),
    outcome(entry),
    renderTime(entry.time),
  ]);
  return renderTable(['STEP', 'KIND', 'NAME', 'INPUT', 'RESULT', 'TIME'], rows);
}

function outcome({ error, result }: WorkflowHistoryResource): string {
  return error === undefined ? payload(result) : shorten(`failed: ${error.code}: ${error.message}`, PAYLOAD_LENGTH);
}

function payload(value: unknown): string {
  return value === undefined ? '-' : shorten(JSON.stringify(value), PAYLOAD_LENGTH);
}
