import { WorkflowPageSchema, type WorkflowSummaryResource } from '#protocol/api';
import type { ApiClient, Query } from '../../../client/api-client.ts';
import { readClientCommand } from '../../../client/client-command.ts';
import { EXIT, type ExitCode, type Io } from '../../../command.ts';
import { renderData } from '../../../output/render-data.ts';
import { renderWorkflows } from './render-lists.ts';
import { LIST_SETTINGS } from './workflow-settings.ts';

const PAGE_SIZE = 500;

export async function listWorkflows(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { api, values } = readClientCommand({ settings: LIST_SETTINGS, expects: [] }, args, io);
  const { status, name, limit, output } = values;
  const { items, more } = await readWorkflows(api, { query: { status, name }, limit }, signal);
  if (output !== 'table') io.out(renderData(output, { items }));
  else if (items.length > 0) io.out(renderWorkflows(items));
  else io.err('no workflows\n');
  if (more) io.err(`there are more; --limit ${limit * 10} shows more of them\n`);
  return EXIT.ok;
}

interface Wanted {
  readonly query: Query;
  readonly limit: number;
}

async function readWorkflows(api: ApiClient, { query, limit }: Wanted, signal: AbortSignal) {
  const items: WorkflowSummaryResource[] = [];
  for (let pageToken: string | undefined; ; ) {
    const pageSize = Math.min(PAGE_SIZE, limit - items.length);
    const call = { path: ['workflows'], query: { ...query, pageSize, pageToken } };
    const page = await api.get(WorkflowPageSchema, call, signal);
    items.push(...page.items);
    pageToken = page.nextPageToken;
    if (pageToken === undefined || items.length >= limit) return { items, more: pageToken !== undefined };
  }
}
