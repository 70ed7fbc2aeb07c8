import { DurableError, type WorkflowClient } from '#kit/durable';
import { answer, defineRoute, ok, PageTokens, type Route, type RouteRequest } from '#kit/http';
import {
  CancelWorkflowSchema,
  WorkflowHistoryPageSchema,
  WorkflowHistoryQuerySchema,
  WorkflowListQuerySchema,
  WorkflowPageSchema,
  WorkflowParamsSchema,
  WorkflowRequestSchema,
  WorkflowSchema,
} from '#protocol/api';
import { HISTORY_KEY, historyPage } from './history-page.ts';
import { toHistoryResource, toSummaryResource, toWorkflowResource } from './workflow-resource.ts';

const COLLECTION = '/v1/workflows';
const ITEM = `${COLLECTION}/{workflow}`;
const DEFAULT_PAGE_SIZE = 100;
const tags = ['workflows'];

/** `/v1/workflows`: the durable workflows, for operators. Workflows are started by code only. */
export function workflowRoutes(client: WorkflowClient): Route[] {
  return [
    listRoute(client),
    getRoute(client),
    historyRoute(client),
    cancelRoute(client),
    steerRoute(client, 'pause', 'Running activities finish; nothing new is started until the workflow is resumed.'),
    steerRoute(client, 'resume', 'Continues where it was paused.'),
  ];
}

function listRoute(client: WorkflowClient): Route {
  return defineRoute({
    method: 'GET',
    path: COLLECTION,
    operationId: 'listWorkflows',
    summary: 'List workflows',
    description: 'Newest first. Ended workflows are listed for as long as they are retained.',
    tags,
    permission: 'workflows.read',
    schema: { query: WorkflowListQuerySchema, responses: { 200: WorkflowPageSchema } },
    handler: async ({ query, operationId, signal }) => {
      const { pageSize = DEFAULT_PAGE_SIZE, pageToken, ...identity } = query;
      // The engine's token is wrapped, so that a token of another list is detected here for any engine.
      const tokens = new PageTokens({ operationId, identity }, ['string']);
      const from = pageToken === undefined ? {} : { pageToken: String(tokens.decode(pageToken)[0]) };
      const page = await client.list({ ...identity, pageSize, ...from }, signal);
      const next = page.nextPageToken === undefined ? {} : { nextPageToken: tokens.encode([page.nextPageToken]) };
      return ok({ items: page.items.map(toSummaryResource), ...next });
    },
  });
}

function getRoute(client: WorkflowClient): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getWorkflow',
    summary: 'Get a workflow',
    description: 'Includes what it is waiting for.',
    tags,
    permission: 'workflows.read',
    schema: { params: WorkflowParamsSchema, responses: { 200: WorkflowSchema } },
    handler: async ({ params, signal }) => ok(toWorkflowResource(await client.describe(params.workflow, signal))),
  });
}

function historyRoute(client: WorkflowClient): Route {
  return defineRoute({
    method: 'GET',
    path: `${ITEM}/history`,
    operationId: 'getWorkflowHistory',
    summary: 'Get the history of a workflow',
    description: 'The current run, in the order in which the workflow saw the events.',
    tags,
    permission: 'workflows.read',
    schema: {
      params: WorkflowParamsSchema,
      query: WorkflowHistoryQuerySchema,
      responses: { 200: WorkflowHistoryPageSchema },
    },
    handler: async ({ params, query, operationId, signal }) => {
      const { pageSize = DEFAULT_PAGE_SIZE, pageToken } = query;
      const tokens = new PageTokens({ operationId, params }, HISTORY_KEY);
      const after = pageToken === undefined ? undefined : tokens.decode(pageToken);
      const { items, next } = historyPage(await client.history(params.workflow, signal), { after, pageSize });
      return ok({
        items: items.map(toHistoryResource),
        ...(next === undefined ? {} : { nextPageToken: tokens.encode(next) }),
      });
    },
  });
}

function cancelRoute(client: WorkflowClient): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:cancel`,
    operationId: 'cancelWorkflow',
    summary: 'Cancel a workflow',
    description: 'It stops waiting, its children are cancelled too, and it may still clean up.',
    tags,
    permission: 'workflows.steer',
    schema: { params: WorkflowParamsSchema, body: CancelWorkflowSchema, responses: { 202: WorkflowRequestSchema } },
    handler: async (request) => {
      const { workflow } = request.params;
      await doOrCheck(client, request, (signal) => client.cancel(workflow, request.body.reason, signal));
      return answer(202, { workflow, request: 'cancel' });
    },
  });
}

function steerRoute(client: WorkflowClient, verb: 'pause' | 'resume', description: string): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:${verb}`,
    operationId: `${verb}Workflow`,
    summary: verb === 'pause' ? 'Pause a workflow' : 'Resume a workflow',
    description,
    tags,
    permission: 'workflows.steer',
    schema: { params: WorkflowParamsSchema, responses: { 202: WorkflowRequestSchema } },
    handler: async (request) => {
      const { workflow } = request.params;
      await doOrCheck(client, request, (signal) => client[verb](workflow, signal));
      return answer(202, { workflow, request: verb });
    },
  });
}

type SteeringRequest = Pick<
  RouteRequest<{ readonly workflow: string }, unknown, unknown, unknown>,
  'params' | 'dryRun' | 'signal' | 'recordAttempt' | 'recordNothing'
>;

/** A dry run performs the checks of the engine, and nothing else. */
async function doOrCheck(
  client: WorkflowClient,
  request: SteeringRequest,
  act: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { params, dryRun, signal } = request;
  if (!dryRun) {
    await request.recordAttempt();
    return await act(signal);
  }
  request.recordNothing();
  const id = params.workflow;
  if (await hasEnded(client, id, signal)) throw new DurableError('WORKFLOW_ENDED', `workflow ${id} has ended`);
}

async function hasEnded(client: WorkflowClient, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await client.describe(id, signal)).endTime !== undefined;
  } catch (error) {
    // The workflow exists and is open; only what it waits for is unknown to the present code.
    if (error instanceof DurableError && error.code === 'WORKFLOW_PARKED') return false;
    throw error;
  }
}
