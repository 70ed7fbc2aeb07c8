import { created, defineListRoute, defineRoute, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import { parseResourceName } from '#kit/std';
import {
  NewServiceAccountSchema,
  ServiceAccountListParamsSchema,
  ServiceAccountParamsSchema,
  ServiceAccountPatchSchema,
  ServiceAccountSchema,
} from '#protocol/api';
import { accountNotFound } from '../../application/account-service.ts';
import type { AccountKey, Committed } from '../../application/ports.ts';
import type { ServiceAccount } from '../../domain/service-account.ts';
import type { IdentityParts } from '../identity-parts.ts';
import { accountResource } from '../resources.ts';

const COLLECTION = '/v1/workspaces/{workspace}/service-accounts';
const ITEM = `${COLLECTION}/{serviceAccount}`;
const tags = ['identity'];

/** Service accounts of a workspace. */
export function serviceAccountRoutes(parts: IdentityParts): Route[] {
  return [createRoute(parts), getRoute(parts), listRoute(parts), patchRoute(parts), deleteRoute(parts)];
}

export function accountKey(params: { readonly workspace: string; readonly serviceAccount: string }): AccountKey {
  return { workspace: parseResourceName(params.workspace), name: parseResourceName(params.serviceAccount) };
}

function createRoute({ storage, accounts, unit, requireWorkspace }: IdentityParts): Route {
  return defineRoute({
    method: 'POST',
    path: COLLECTION,
    operationId: 'createServiceAccount',
    summary: 'Create a service account',
    tags,
    permission: 'serviceAccounts.create',
    etag: true,
    idempotency: 'replay',
    schema: {
      params: ServiceAccountListParamsSchema,
      body: NewServiceAccountSchema,
      responses: { 201: ServiceAccountSchema },
    },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const workspace = parseResourceName(request.params.workspace);
        await requireWorkspace(tx, workspace);
        const command = { workspace, draft: request.body, now: request.time };
        const account = await accounts.create(unit(tx), command, request.signal);
        return created(accountResource(account), `/v1/workspaces/${workspace}/service-accounts/${account.name}`);
      }),
  });
}

function getRoute({ reader }: IdentityParts): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getServiceAccount',
    summary: 'Get a service account',
    tags,
    permission: 'serviceAccounts.read',
    etag: true,
    schema: { params: ServiceAccountParamsSchema, responses: { 200: ServiceAccountSchema } },
    handler: async ({ params, signal }) => {
      const key = accountKey(params);
      const account = await reader.account(key, signal);
      if (account === undefined) throw accountNotFound(key);
      return ok(accountResource(account));
    },
  });
}

function listRoute({ reader }: IdentityParts): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listServiceAccounts',
    summary: 'List the service accounts of a workspace',
    tags,
    permission: 'serviceAccounts.read',
    schema: { params: ServiceAccountListParamsSchema, item: ServiceAccountSchema },
    filter: {
      name: 'string',
      displayName: 'string',
      labels: 'map<string, string>',
      disabled: 'bool',
      createTime: 'timestamp',
    },
    keyOf: ({ name }) => [name],
    read: async ({ params, signal }, { after, limit }) => {
      const range = { after: after === undefined ? undefined : String(after[0]), limit };
      return (await reader.accounts(params.workspace, range, signal)).map(accountResource);
    },
  });
}

function patchRoute({ storage, accounts, unit, changed }: IdentityParts): Route {
  return defineRoute({
    method: 'PATCH',
    path: ITEM,
    operationId: 'patchServiceAccount',
    summary: 'Update a service account',
    description: 'A JSON merge patch. A patch that changes nothing leaves the etag unchanged.',
    tags,
    permission: 'serviceAccounts.update',
    etag: true,
    ifMatch: 'optional',
    schema: {
      params: ServiceAccountParamsSchema,
      body: ServiceAccountPatchSchema,
      responses: { 200: ServiceAccountSchema },
    },
    handler: async (request) => {
      const answer = await mutate(request, storage, async (tx) => {
        const { ifMatch: precondition, time: now, body: patch } = request;
        const before = (account: ServiceAccount) => request.changes(accountResource(account));
        const command = { key: accountKey(request.params), precondition, now, patch, before };
        return ok(accountResource(await accounts.patch(unit(tx), command, request.signal)));
      });
      changed();
      return answer;
    },
  });
}

function deleteRoute({ storage, accounts, unit, changed }: IdentityParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: ITEM,
    operationId: 'deleteServiceAccount',
    summary: 'Delete a service account',
    description: 'Its tokens are revoked at once.',
    tags,
    permission: 'serviceAccounts.delete',
    ifMatch: 'optional',
    schema: { params: ServiceAccountParamsSchema, responses: { 204: NoContent } },
    handler: async (request) => {
      let committed: Committed | undefined;
      const answer = await mutate(request, storage, async (tx) => {
        const { ifMatch: precondition, time: now } = request;
        const before = (account: ServiceAccount) => request.changes(accountResource(account));
        const command = { key: accountKey(request.params), precondition, now, before };
        committed = await accounts.delete(unit(tx), command, request.signal);
        return noContent();
      });
      if (!request.dryRun) committed?.();
      changed();
      return answer;
    },
  });
}
