import { systemClock } from '#kit/std';
import { WorkflowHistoryPageSchema, type WorkflowHistoryResource, WorkflowSchema } from '#protocol/api';
import type { ApiClient } from '../../../client/api-client.ts';
import { readClientCommand } from '../../../client/client-command.ts';
import { EXIT, type ExitCode, type Io } from '../../../command.ts';
import { renderData } from '../../../output/render-data.ts';
import { renderHistory } from './render-lists.ts';
import { renderWorkflow } from './render-workflow.ts';
import { SHOW_SETTINGS } from './workflow-settings.ts';

const PAGE_SIZE = 1000;

export async function showWorkflow(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { api, values, positionals } = readClientCommand({ settings: SHOW_SETTINGS, expects: ['ID'] }, args, io);
  const [id = ''] = positionals;
  const workflow = await api.get(WorkflowSchema, { path: ['workflows', id] }, signal);
  const history = values.history ? await readHistory(api, id, signal) : undefined;
  if (values.output !== 'table') {
    io.out(renderData(values.output, history === undefined ? workflow : { ...workflow, history }));
    return EXIT.ok;
  }
  io.out(renderWorkflow(workflow, systemClock.now()));
  if (history !== undefined) io.out(`\n${renderHistory(history)}`);
  return EXIT.ok;
}

/** The whole history: an engine limits it to some thousands of entries. */
async function readHistory(api: ApiClient, id: string, signal: AbortSignal): Promise<WorkflowHistoryResource[]> {
  const entries: WorkflowHistoryResource[] = [];
  let pageToken: string | undefined;
  do {
    const call = { path: ['workflows', id, 'history'], query: { pageSize: PAGE_SIZE, pageToken } };
    const page = await api.get(WorkflowHistoryPageSchema, call, signal);
    entries.push(...page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return entries;
}
