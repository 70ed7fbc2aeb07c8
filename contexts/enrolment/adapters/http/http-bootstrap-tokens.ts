import { created, defineListRoute, defineRoute, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import { parseResourceName } from '#kit/std';
import {
  BootstrapTokenParamsSchema,
  BootstrapTokenSchema,
  BootstrapTokensParamsSchema,
  MintedBootstrapTokenSchema,
  NewBootstrapTokenSchema,
} from '#protocol/api';
import { bootstrapTokenNotFound } from '../../application/bootstrap-token-service.ts';
import type { BootstrapToken } from '../../domain/bootstrap-token.ts';
import type { EnrolmentParts } from '../enrolment-parts.ts';
import { tokenResource } from '../resources.ts';

const COLLECTION = '/v1/workspaces/{workspace}/bootstrap-tokens';
const ITEM = `${COLLECTION}/{bootstrapToken}`;
const tags = ['enrolment'];

/** Bootstrap tokens of a workspace. The token itself is returned once, on creation. */
export function bootstrapTokenRoutes(parts: EnrolmentParts): Route[] {
  return [createRoute(parts), getRoute(parts), listRoute(parts), deleteRoute(parts)];
}

function createRoute({ storage, tokens, unit }: EnrolmentParts): Route {
  return defineRoute({
    method: 'POST',
    path: COLLECTION,
    operationId: 'createBootstrapToken',
    summary: 'Create a bootstrap token',
    description:
      'Machines enrol with it, and their targets are registered in this workspace. The response contains the token itself. It cannot be retrieved again.',
    tags,
    permission: 'bootstrapTokens.create',
    idempotency: 'secret',
    schema: {
      params: BootstrapTokensParamsSchema,
      body: NewBootstrapTokenSchema,
      responses: { 201: MintedBootstrapTokenSchema },
    },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const workspace = parseResourceName(request.params.workspace);
        const command = { workspace, request: request.body, now: request.time };
        const { token, text } = await tokens.mint(unit(tx), command, request.signal);
        const location = `/v1/workspaces/${workspace}/bootstrap-tokens/${token.name}`;
        return created({ ...tokenResource(token, request.time), token: text }, location);
      }),
  });
}

function getRoute({ reader }: EnrolmentParts): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getBootstrapToken',
    summary: "Get a bootstrap token's metadata",
    tags,
    permission: 'bootstrapTokens.read',
    schema: { params: BootstrapTokenParamsSchema, responses: { 200: BootstrapTokenSchema } },
    handler: async ({ params, time, signal }) => {
      const workspace = parseResourceName(params.workspace);
      const token = await reader.token(workspace, params.bootstrapToken, signal);
      if (token === undefined) throw bootstrapTokenNotFound({ workspace, name: params.bootstrapToken });
      return ok(tokenResource(token, time));
    },
  });
}

function listRoute({ reader }: EnrolmentParts): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listBootstrapTokens',
    summary: 'List the bootstrap tokens of a workspace',
    tags,
    permission: 'bootstrapTokens.read',
    schema: { params: BootstrapTokensParamsSchema, item: BootstrapTokenSchema },
    filter: {
      name: 'string',
      status: 'string',
      targetType: 'string',
      correlation: 'string',
      uses: 'int',
      used: 'int',
      createTime: 'timestamp',
      expireTime: 'timestamp',
    },
    keyOf: ({ name }) => [name],
    read: async ({ params, time, signal }, { after, limit }) => {
      const range = { after: after === undefined ? undefined : String(after[0]), limit };
      const tokens = await reader.tokens(parseResourceName(params.workspace), range, signal);
      return tokens.map((token) => tokenResource(token, time));
    },
  });
}

function deleteRoute({ storage, tokens, unit }: EnrolmentParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: ITEM,
    operationId: 'deleteBootstrapToken',
    summary: 'Revoke a bootstrap token',
    description: 'No machine can enrol with it any more. Fleetlets that have enrolled are not affected.',
    tags,
    permission: 'bootstrapTokens.delete',
    schema: { params: BootstrapTokenParamsSchema, responses: { 204: NoContent } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const { params, time, signal } = request;
        const key = { workspace: parseResourceName(params.workspace), name: params.bootstrapToken };
        const before = (token: BootstrapToken): void => request.changes(tokenResource(token, time));
        await tokens.revoke(unit(tx), { key, now: time, before }, signal);
        return noContent();
      }),
  });
}
