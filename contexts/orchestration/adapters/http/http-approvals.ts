import {
  auditedPrecondition,
  defineListRoute,
  defineRoute,
  mutate,
  ok,
  type Principal,
  type Route,
  type Visibility,
} from '#kit/http';
import { parseResourceName } from '#kit/std';
import type { Reader, Storage, Transaction } from '#kit/storage';
import {
  ApprovalParamsSchema,
  ApprovalSchema,
  ApprovalsParamsSchema,
  ApproveSchema,
  DeploymentParamsSchema,
  DeploymentSchema,
  RejectSchema,
} from '#protocol/api';
import {
  type ApprovalAnswer,
  answerApproval,
  answerDeployment,
  getApproval,
} from '../../application/approvals/answer-approval.ts';
import type { Approvers, UnitOfWork, Units, WorkspaceDirectory } from '../../application/ports.ts';
import { SqlApprovalReader } from '../sql/sql-approval-reader.ts';
import type { VisibleSet } from '../sql/sql-deployment-reader.ts';
import { toApprovalResource, withApprovers } from './approval-resource.ts';
import { acting, DEPLOYMENT_PATH, keyIn } from './deployment-requests.ts';
import { toResource } from './deployment-resource.ts';

export interface ApprovalRoutesDeps {
  readonly storage: Storage;
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly units: Pick<Units, 'read'>;
  readonly visibility: Visibility<VisibleSet>;
  readonly approvers: Approvers;
  readonly workspaces: (reader: Reader) => WorkspaceDirectory;
}

const ACROSS = '/v1/approvals';
const COLLECTION = '/v1/workspaces/{workspace}/approvals';
const ITEM = `${COLLECTION}/{approval}`;
const tags = ['approvals'];

const FILTER = {
  deployment: 'string',
  workspace: 'string',
  revision: 'int',
  step: 'string',
  state: 'string',
  requestedBy: 'string',
  createTime: 'timestamp',
} as const;

/** The routes for approvals that rollouts wait for. */
export function approvalRoutes(deps: ApprovalRoutesDeps): Route[] {
  const reader = new SqlApprovalReader(deps);
  return [
    acrossRoute(reader, deps),
    listRoute(reader, deps),
    getRoute(deps),
    answerRoute(deps, APPROVE),
    answerRoute(deps, REJECT),
    answerDeploymentRoute(deps, APPROVE),
    answerDeploymentRoute(deps, REJECT),
  ];
}

function acrossRoute(reader: SqlApprovalReader, { visibility, approvers }: ApprovalRoutesDeps): Route {
  return defineListRoute({
    path: ACROSS,
    operationId: 'listAllApprovals',
    summary: 'List approvals across workspaces',
    description: 'The approvals that the caller may see, oldest first.',
    tags,
    permission: 'approvals.read',
    reach: 'filtered',
    schema: { item: ApprovalSchema },
    filter: FILTER,
    keyOf: ({ uid }) => [uid],
    read: async ({ principal, signal }, { after, limit }) => {
      const visible = await visibility.of(principal, 'approvals.read', signal);
      const range = { workspace: undefined, visible, after: after && String(after[0]), limit };
      return await Promise.all(
        (await reader.list(range, signal)).map((approval) => withApprovers(approval, approvers, signal)),
      );
    },
  });
}

function listRoute(reader: SqlApprovalReader, { approvers }: ApprovalRoutesDeps): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listApprovals',
    summary: 'List the approvals of a workspace',
    description: 'The approvals of deployments directly in the workspace, oldest first.',
    tags,
    permission: 'approvals.read',
    schema: { params: ApprovalsParamsSchema, item: ApprovalSchema },
    filter: FILTER,
    keyOf: ({ uid }) => [uid],
    read: async ({ params, signal }, { after, limit }) => {
      const workspace = parseResourceName(params.workspace);
      const range = { workspace, visible: { kind: 'everything' } as const, after: after && String(after[0]), limit };
      return await Promise.all(
        (await reader.list(range, signal)).map((approval) => withApprovers(approval, approvers, signal)),
      );
    },
  });
}

function getRoute({ units, approvers }: ApprovalRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getApproval',
    summary: 'Get an approval',
    tags,
    permission: 'approvals.read',
    etag: true,
    schema: { params: ApprovalParamsSchema, responses: { 200: ApprovalSchema } },
    handler: async ({ params, signal }) => {
      const key = { workspace: parseResourceName(params.workspace), approval: params.approval };
      const approval = await units.read((unit) => getApproval(unit, key, signal), signal);
      return ok(await withApprovers(approval, approvers, signal));
    },
  });
}

interface Verb {
  readonly verb: 'approve' | 'reject';
  readonly summary: string;
  readonly body: typeof ApproveSchema | typeof RejectSchema;
}

const APPROVE: Verb = { verb: 'approve', summary: 'Approve a rollout', body: ApproveSchema };
const REJECT: Verb = { verb: 'reject', summary: 'Reject a rollout, which pauses it', body: RejectSchema };

function answerRoute({ storage, unit }: ApprovalRoutesDeps, { verb, summary, body }: Verb): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:${verb}`,
    operationId: `${verb}Approval`,
    summary,
    description: 'Answers 409 if the rollout no longer waits for this approval.',
    tags,
    permission: 'approvals.answer',
    etag: true,
    ifMatch: 'optional',
    schema: { params: ApprovalParamsSchema, body, responses: { 200: ApprovalSchema } },
    handler: async (request) => {
      await mayOverride(request);
      return await mutate(request, storage, async (tx) => {
        const { workspace, approval } = request.params;
        const place = {
          workspace: parseResourceName(workspace),
          approval,
          precondition: auditedPrecondition(request, toApprovalResource),
        };
        const command = { ...place, ...answerIn(request, verb) };
        return ok(toApprovalResource(await answerApproval(unit(tx), command, request.signal)));
      });
    },
  });
}

function answerDeploymentRoute({ storage, unit }: ApprovalRoutesDeps, { verb, summary, body }: Verb): Route {
  return defineRoute({
    method: 'POST',
    path: `${DEPLOYMENT_PATH}:${verb}`,
    operationId: `${verb}Deployment`,
    summary,
    description: 'Answers the one approval that the rollout waits for; 409 if there is none or more than one.',
    tags,
    permission: 'approvals.answer',
    schema: { params: DeploymentParamsSchema, body, responses: { 200: DeploymentSchema } },
    handler: async (request) => {
      await mayOverride(request);
      return await mutate(request, storage, async (tx) => {
        const command = { ...keyIn(request.params), ...answerIn(request, verb) };
        return ok(toResource(await answerDeployment(unit(tx), command, request.signal)));
      });
    },
  });
}

interface Answering {
  readonly principal: Principal;
  readonly time: number;
  readonly body: { readonly message?: string; readonly override?: boolean };
}

interface Overriding extends Answering {
  authorize(permission: string, params: Readonly<Record<string, string>>): Promise<void>;
  auditAs(operationId: string): void;
}

/**
 * Requires the permission on the instance, not on the workspace: the second person is meant to stop the workspace's own
 * administrators, too.
 */
async function mayOverride(request: Overriding): Promise<void> {
  if (request.body.override !== true) return;
  await request.authorize('approvals.override', {});
  request.auditAs('overrideApproval');
}

function answerIn(request: Answering, verb: Verb['verb']): ApprovalAnswer {
  const { message = '', override: isOverride = false } = request.body;
  return { ...acting(request), isApproval: verb === 'approve', isOverride, message };
}
