import { DurableError } from '../../durable-error.ts';
import type { WorkflowQuery, WorkflowStatus, WorkflowSummary } from '../../engine.ts';
import { listedStatus, summaryOf } from './listed-workflow.ts';
import { millisecondsOf } from './payloads.ts';
import type { ExecutionInfo, TemporalService } from './temporal-service.ts';

export interface ListDeps {
  readonly service: Pick<TemporalService, 'list' | 'count' | 'closeEvent' | 'events'>;
  readonly taskQueue: string;
}

/** Where a page ended: the start time of its last workflow's run, and its id. */
type Place = readonly [startTime: number, id: string];

interface Listed {
  readonly place: Place;
  readonly info: ExecutionInfo;
}

const FIRST_SPAN_MS = 60 * 60 * 1_000;
const SMALLEST_SPAN_MS = 1_000;
/** How many workflows may be fetched for each one wanted. */
const EXCESS = 5;

/**
 * Newest first.
 *
 * DECISION: Temporal lists running workflows before ended ones, and its SQL stores support no other order. The list
 * therefore queries time spans, from now backwards, each sized to hold about one page, and sorts the results.
 */
export async function listWorkflows(
  { service, taskQueue }: ListDeps,
  query: WorkflowQuery,
  signal: AbortSignal,
): Promise<{ items: WorkflowSummary[]; nextPageToken?: string }> {
  const { pageSize, pageToken } = query;
  const after = pageToken === undefined ? undefined : parsePageToken(pageToken);
  const found: Listed[] = [];
  const wanted = wantedBy(query, taskQueue);
  let until = after === undefined ? Date.now() + SMALLEST_SPAN_MS : after[0] + 1;
  for (let spanMs = FIRST_SPAN_MS; found.length <= pageSize; ) {
    const span = `${wanted} AND ${before(until)} AND ${since(until - spanMs)}`;
    const most = spanMs > SMALLEST_SPAN_MS ? EXCESS * pageSize : Number.POSITIVE_INFINITY;
    const infos = await service.list(span, most, signal);
    if (infos === undefined) {
      spanMs = Math.max(SMALLEST_SPAN_MS, spanMs / 4);
      continue;
    }
    found.push(...select(infos, query.status, after));
    until -= spanMs;
    spanMs *= 4;
    if (found.length <= pageSize && (await service.count(`${wanted} AND ${before(until)}`, signal)) === 0) break;
  }
  const page = found.slice(0, pageSize);
  const items = await Promise.all(page.map(({ info }) => summaryOf(service, info, signal)));
  const last = page.at(-1);
  if (found.length <= pageSize || last === undefined) return { items };
  return { items, nextPageToken: Buffer.from(JSON.stringify(last.place)).toString('base64url') };
}

const IN_TEMPORALS_WORDS: Readonly<Record<WorkflowStatus, string>> = {
  running: `ExecutionStatus = 'Running'`,
  paused: `ExecutionStatus = 'Running'`,
  parked: `ExecutionStatus = 'Running'`,
  completed: `ExecutionStatus = 'Completed'`,
  failed: `ExecutionStatus IN ('Failed', 'Terminated', 'TimedOut')`,
  cancelled: `ExecutionStatus = 'Canceled'`,
};

function wantedBy({ status, name }: WorkflowQuery, taskQueue: string): string {
  const ofStatus = status === undefined ? `ExecutionStatus != 'ContinuedAsNew'` : IN_TEMPORALS_WORDS[status];
  const ofName = name === undefined ? '' : ` AND WorkflowType = ${quoted(name)}`;
  return `TaskQueue = ${quoted(taskQueue)} AND ${ofStatus}${ofName}`;
}

function before(time: number): string {
  return `StartTime < ${quoted(new Date(time).toISOString())}`;
}

function since(time: number): string {
  return `StartTime >= ${quoted(new Date(Math.max(0, time)).toISOString())}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function select(
  infos: readonly ExecutionInfo[],
  status: WorkflowStatus | undefined,
  after: Place | undefined,
): Listed[] {
  return infos
    .filter((info) => status === undefined || listedStatus(info) === status)
    .map((info) => ({ info, place: placeOf(info) }))
    .filter(({ place }) => after === undefined || compare(place, after) < 0)
    .toSorted((a, b) => compare(b.place, a.place));
}

function placeOf({ startTime, execution }: ExecutionInfo): Place {
  return [millisecondsOf(startTime), execution?.workflowId ?? ''];
}

function compare(a: Place, b: Place): number {
  return a[0] - b[0] || (a[1] < b[1] ? -1 : Number(a[1] > b[1]));
}

function parsePageToken(token: string): Place {
  try {
    const place: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(place) && typeof place[0] === 'number' && typeof place[1] === 'string')
      return [place[0], place[1]];
  } catch {
    // Falls through to the same error below.
  }
  throw new DurableError('PAYLOAD_NOT_JSON', 'the page token was not issued by this list');
}
