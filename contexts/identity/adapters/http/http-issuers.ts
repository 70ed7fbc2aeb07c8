import { created, defineListRoute, defineRoute, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import { parseResourceName } from '#kit/std';
import { IssuerParamsSchema, IssuerPatchSchema, IssuerSchema, NewIssuerSchema } from '#protocol/api';
import { issuerNotFound } from '../../application/issuer-service.ts';
import type { Issuer } from '../../domain/issuer.ts';
import { sealClientSecret } from '../client-secret.ts';
import type { IdentityParts } from '../identity-parts.ts';
import { issuerResource } from '../resources.ts';

const COLLECTION = '/v1/issuers';
const ITEM = `${COLLECTION}/{issuer}`;
const tags = ['identity'];

/** `/v1/issuers`: the trusted OpenID providers. */
export function issuerRoutes(parts: IdentityParts): Route[] {
  return [createRoute(parts), getRoute(parts), listRoute(parts), patchRoute(parts), deleteRoute(parts)];
}

function createRoute({ storage, sealer, issuers, unit, changed }: IdentityParts): Route {
  return defineRoute({
    method: 'POST',
    path: COLLECTION,
    operationId: 'createIssuer',
    summary: 'Trust an issuer',
    tags,
    permission: 'issuers.create',
    etag: true,
    idempotency: 'replay',
    schema: { body: NewIssuerSchema, responses: { 201: IssuerSchema } },
    handler: async (request) => {
      const { clientSecret: secret, ...draft } = request.body;
      const clientSecret = await sealClientSecret(sealer, { issuer: draft.name, secret }, request.signal);
      const answer = await mutate(request, storage, async (tx) => {
        const command = { draft, clientSecret, now: request.time };
        const issuer = await issuers.create(unit(tx), command, request.signal);
        return created(issuerResource(issuer), `${COLLECTION}/${issuer.name}`);
      });
      changed();
      return answer;
    },
  });
}

function getRoute({ directory }: IdentityParts): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getIssuer',
    summary: 'Get an issuer',
    tags,
    permission: 'issuers.read',
    etag: true,
    schema: { params: IssuerParamsSchema, responses: { 200: IssuerSchema } },
    handler: async ({ params, signal }) => {
      const issuer = await directory.byName(params.issuer, signal);
      if (issuer === undefined) throw issuerNotFound(params.issuer);
      return ok(issuerResource(issuer));
    },
  });
}

function listRoute({ directory }: IdentityParts): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listIssuers',
    summary: 'List the issuers',
    description: 'In the order of their names, including those set by configuration.',
    tags,
    permission: 'issuers.read',
    schema: { item: IssuerSchema },
    filter: { name: 'string', url: 'string', mode: 'string', source: 'string', displayName: 'string' },
    keyOf: ({ name }) => [name],
    read: async ({ signal }, { after, limit }) => {
      const all = await directory.all(signal);
      const rest = after === undefined ? all : all.filter(({ name }) => name > String(after[0]));
      return rest.slice(0, limit).map(issuerResource);
    },
  });
}

function patchRoute({ storage, sealer, issuers, unit, changed }: IdentityParts): Route {
  return defineRoute({
    method: 'PATCH',
    path: ITEM,
    operationId: 'patchIssuer',
    summary: 'Update an issuer',
    tags,
    permission: 'issuers.update',
    etag: true,
    ifMatch: 'optional',
    schema: { params: IssuerParamsSchema, body: IssuerPatchSchema, responses: { 200: IssuerSchema } },
    handler: async (request) => {
      const { clientSecret: secret, ...patch } = request.body;
      const { issuer } = request.params;
      const clientSecret = secret === null ? null : await sealClientSecret(sealer, { issuer, secret }, request.signal);
      const answer = await mutate(request, storage, async (tx) => {
        const command = { ...changeOf(issuer, request), patch, clientSecret };
        return ok(issuerResource(await issuers.patch(unit(tx), command, request.signal)));
      });
      changed();
      return answer;
    },
  });
}

function deleteRoute({ storage, issuers, unit, changed }: IdentityParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: ITEM,
    operationId: 'deleteIssuer',
    summary: 'Delete an issuer',
    description: 'Its tokens are no longer accepted, and users who logged in through it are logged out.',
    tags,
    permission: 'issuers.delete',
    ifMatch: 'optional',
    schema: { params: IssuerParamsSchema, responses: { 204: NoContent } },
    handler: async (request) => {
      const answer = await mutate(request, storage, async (tx) => {
        await issuers.delete(unit(tx), changeOf(request.params.issuer, request), request.signal);
        return noContent();
      });
      changed();
      return answer;
    },
  });
}

interface Changing {
  readonly ifMatch: { check(current: { uid: string; version: number }): void };
  readonly time: number;
  changes(before: object): void;
}

function changeOf(name: string, request: Changing) {
  return {
    name: parseResourceName(name),
    precondition: request.ifMatch,
    now: request.time,
    before: (issuer: Issuer) => request.changes(issuerResource(issuer)),
  };
}
