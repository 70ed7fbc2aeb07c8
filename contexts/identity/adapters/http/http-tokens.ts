import { created, defineListRoute, defineRoute, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import {
  MintedTokenSchema,
  NewTokenSchema,
  RotateTokenSchema,
  ServiceAccountParamsSchema,
  TokenParamsSchema,
  TokenSchema,
} from '#protocol/api';
import { accountNotFound, type MintedToken, tokenNotFound } from '../../application/account-service.ts';
import type { AccountKey } from '../../application/ports.ts';
import type { AccountToken } from '../../domain/account-token.ts';
import type { ServiceAccount } from '../../domain/service-account.ts';
import type { IdentityParts } from '../identity-parts.ts';
import { tokenResource } from '../resources.ts';
import { accountKey } from './http-service-accounts.ts';

const COLLECTION = '/v1/workspaces/{workspace}/service-accounts/{serviceAccount}/tokens';
const ITEM = `${COLLECTION}/{token}`;
const tags = ['identity'];

/** Tokens of a service account. The token itself is returned once, on creation. */
export function tokenRoutes(parts: IdentityParts): Route[] {
  return [createRoute(parts), getRoute(parts), listRoute(parts), rotateRoute(parts), deleteRoute(parts)];
}

function createRoute({ storage, accounts, unit }: IdentityParts): Route {
  return defineRoute({
    method: 'POST',
    path: COLLECTION,
    operationId: 'createServiceAccountToken',
    summary: 'Create a token',
    description:
      'The token can do no more than the caller. The response contains the token itself. It cannot be retrieved again.',
    tags,
    permission: 'serviceAccountTokens.create',
    idempotency: 'secret',
    schema: { params: ServiceAccountParamsSchema, body: NewTokenSchema, responses: { 201: MintedTokenSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const key = accountKey(request.params);
        const command = { key, request: request.body, maker: request.principal, now: request.time };
        return minted(key, await accounts.mint(unit(tx), command, request.signal), request.time);
      }),
  });
}

function getRoute({ reader }: IdentityParts): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getServiceAccountToken',
    summary: "Get a token's metadata",
    tags,
    permission: 'serviceAccountTokens.read',
    schema: { params: TokenParamsSchema, responses: { 200: TokenSchema } },
    handler: async ({ params, time, signal }) => {
      const account = await accountOf(reader, accountKey(params), signal);
      const found = await reader.tokenById(params.token, signal);
      if (found === undefined || found.account.uid !== account.uid) throw tokenNotFound(params.token);
      return ok(tokenResource(found.token, time));
    },
  });
}

function listRoute({ reader }: IdentityParts): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listServiceAccountTokens',
    summary: 'List the tokens of a service account',
    tags,
    permission: 'serviceAccountTokens.read',
    schema: { params: ServiceAccountParamsSchema, item: TokenSchema },
    filter: {
      name: 'string',
      displayName: 'string',
      status: 'string',
      createTime: 'timestamp',
      expireTime: 'timestamp',
      lastUsedTime: 'timestamp',
    },
    keyOf: ({ name }) => [name],
    read: async ({ params, time, signal }, { after, limit }) => {
      const account = await accountOf(reader, accountKey(params), signal);
      const range = { after: after === undefined ? undefined : String(after[0]), limit };
      return (await reader.tokens(account.uid, range, signal)).map((token) => tokenResource(token, time));
    },
  });
}

function rotateRoute({ storage, accounts, unit, changed }: IdentityParts): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:rotate`,
    operationId: 'rotateServiceAccountToken',
    summary: 'Rotate a token',
    description:
      'The old token stays valid for `overlap`. The new token can do no more than the caller. The response contains it. It cannot be retrieved again.',
    tags,
    permission: 'serviceAccountTokens.create',
    idempotency: 'secret',
    schema: { params: TokenParamsSchema, body: RotateTokenSchema, responses: { 201: MintedTokenSchema } },
    handler: async (request) => {
      const answer = await mutate(request, storage, async (tx) => {
        const key = accountKey(request.params);
        const command = { ...whichToken(request), key, request: request.body, maker: request.principal };
        return minted(key, await accounts.rotate(unit(tx), command, request.signal), request.time);
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
    operationId: 'deleteServiceAccountToken',
    summary: 'Revoke a token',
    description: 'Effective at once.',
    tags,
    permission: 'serviceAccountTokens.delete',
    schema: { params: TokenParamsSchema, responses: { 204: NoContent } },
    handler: async (request) => {
      const answer = await mutate(request, storage, async (tx) => {
        const command = { ...whichToken(request), key: accountKey(request.params) };
        await accounts.revoke(unit(tx), command, request.signal);
        return noContent();
      });
      changed();
      return answer;
    },
  });
}

interface TokenRequest {
  readonly params: { readonly token: string };
  readonly time: number;
  changes(before: object): void;
}

function whichToken(request: TokenRequest) {
  const { params, time } = request;
  const before = (token: AccountToken) => request.changes(tokenResource(token, time));
  return { id: params.token, now: time, before };
}

function minted({ workspace, name }: AccountKey, { token, text }: MintedToken, now: number) {
  const location = `/v1/workspaces/${workspace}/service-accounts/${name}/tokens/${token.id}`;
  return created({ ...tokenResource(token, now), token: text }, location);
}

async function accountOf(
  reader: IdentityParts['reader'],
  key: AccountKey,
  signal: AbortSignal,
): Promise<ServiceAccount> {
  const account = await reader.account(key, signal);
  if (account === undefined) throw accountNotFound(key);
  return account;
}
