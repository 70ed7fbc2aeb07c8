import { integer, oneOf, type Settings, text } from '#kit/config';
import { parseDuration, systemClock } from '#kit/std';
import { AUDIT_OUTCOME_NAMES, type AuditEntryResource, AuditPageSchema } from '#protocol/api';
import type { ApiClient, Query } from '../../../client/api-client.ts';
import { readClientCommand } from '../../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { EXIT, type ExitCode, type Io, UsageError } from '../../../command.ts';
import { OUTPUT_FORMATS, renderData } from '../../../output/render-data.ts';
import { renderTable } from '../../../output/render-table.ts';
import { renderTime } from '../../../output/render-time.ts';

const from = ['flag'] as const;
const group = 'list';

export const LIST_SETTINGS = {
  workspace: { kind: text('WORKSPACE'), sentence: 'Only operations in this workspace and below.', group, from },
  principal: {
    kind: text('KIND:ID'),
    sentence: 'Only operations of this principal; the id alone is enough.',
    group,
    from,
  },
  resource: { kind: text('PATH'), sentence: 'Only operations on this path, as /v1/workspaces/web.', group, from },
  outcome: { kind: oneOf(AUDIT_OUTCOME_NAMES), sentence: 'Only operations with this outcome.', group, from },
  from: {
    kind: text('TIME'),
    sentence: 'Only from this time on, as 2026-11-15T20:00:00Z, or as 1h for an hour ago.',
    group,
    from,
  },
  to: { kind: text('TIME'), sentence: 'Only before this time, written as for --from.', group, from },
  filter: { kind: text('CEL'), sentence: 'Only entries that match this condition.', group, from },
  limit: {
    kind: integer({ min: 1, max: 1_000_000 }),
    default: '100',
    sentence: 'The maximum number of entries, newest first.',
    group,
    from,
  },
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short. json and yaml have all fields of the API.',
    group,
    from,
  },
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

const PAGE_SIZE = 500;

export async function listAudit(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { api, values } = readClientCommand({ settings: LIST_SETTINGS, expects: [] }, args, io);
  const { workspace, principal, resource, outcome, from: since, to, filter, limit, output } = values;
  const now = systemClock.now();
  const range = { from: timeArgument('--from', since, now), to: timeArgument('--to', to, now) };
  const query = { workspace, principal, resource, outcome, ...range, filter };
  const { items, more } = await readEntries(api, { query, limit }, signal);
  if (output !== 'table') io.out(renderData(output, { items }));
  else if (items.length > 0) io.out(renderEntries(items));
  else io.err('no audit entries\n');
  if (more) io.err(`there are more; --limit ${limit * 10} shows more of them\n`);
  return EXIT.ok;
}

async function readEntries(api: ApiClient, { query, limit }: { query: Query; limit: number }, signal: AbortSignal) {
  const items: AuditEntryResource[] = [];
  for (let pageToken: string | undefined; ; ) {
    const pageSize = Math.min(PAGE_SIZE, limit - items.length);
    const page = await api.get(AuditPageSchema, { path: ['audit'], query: { ...query, pageSize, pageToken } }, signal);
    items.push(...page.items);
    pageToken = page.nextPageToken;
    if (pageToken === undefined || items.length >= limit) return { items, more: pageToken !== undefined };
  }
}

function renderEntries(items: readonly AuditEntryResource[]): string {
  const rows = items.map(({ time, principal, operation, resource, outcome, count, address }) => [
    renderTime(time),
    principal === undefined ? '-' : `${principal.kind}:${principal.id}`,
    operation,
    resource,
    count === 1 ? outcome : `${outcome} (${count} times)`,
    address,
  ]);
  return renderTable(['TIME', 'WHO', 'WHAT', 'ON', 'OUTCOME', 'FROM'], rows);
}

const DURATION = /^(?:\d+(?:ms|[dhms]))+$/;

/** A point in time: a timestamp, a day, or how long ago, as `1h30m`. Undefined stays undefined. */
export function timeArgument(flag: string, given: string | undefined, now: number): string | undefined {
  if (given === undefined) return undefined;
  if (DURATION.test(given)) return new Date(now - parseDuration(given)).toISOString();
  const time = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new UsageError(
    `${flag} ${given}: give a time as 2026-11-15T20:00:00Z, a day as 2026-11-15, or how long ago as 1h or 7d`,
  );
}
