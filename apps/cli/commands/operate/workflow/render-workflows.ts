import type { WorkflowSummaryResource } from '#protocol/api';
import { renderTable } from '../../../output/render-table.ts';
import { renderTime } from '../../../output/render-time.ts';
import { shorten } from '../../../output/shorten.ts';

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
