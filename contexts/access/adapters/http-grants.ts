import type { TObject } from 'typebox';
import {
  created,
  defineListRoute,
  defineRoute,
  NoContent,
  noContent,
  ok,
  type PageKey,
  type Principal,
  type Route,
} from '#kit/http';
import { parseResourceName } from '#kit/std';
import {
  GrantListQuerySchema,
  GrantSchema,
  NewGrantSchema,
  TargetGrantParamsSchema,
  TargetGrantsParamsSchema,
  WorkspaceGrantParamsSchema,
  WorkspaceGrantsParamsSchema,
} from '#protocol/api';
import type { GrantReader, ResourceReader } from '../application/ports.ts';
import type { AccessIndex } from '../domain/access-index.ts';
import { pathOf, type ResourceKind, type ResourceRef } from '../domain/resource-ref.ts';
import { grantResource } from './grant-resource.ts';
import { change, type RouteParts } from './route-parts.ts';
import { SqlGrantReader } from './sql-grant-reader.ts';

/** Grants on workspaces and on targets differ in the path only. */
interface Place {
  readonly kind: ResourceKind;
  readonly collection: string;
  /** In operation ids: `createWorkspaceGrant`. */
  readonly title: string;
  readonly params: TObject;
  readonly itemParams: TObject;
}

const PLACES: readonly Place[] = [
  {
    kind: 'workspace',
    collection: '/v1/workspaces/{workspace}/grants',
    title: 'Workspace',
    params: WorkspaceGrantsParamsSchema,
    itemParams: WorkspaceGrantParamsSchema,
  },
  {
    kind: 'target',
    collection: '/v1/targets/{target}/grants',
    title: 'Target',
    params: TargetGrantsParamsSchema,
    itemParams: TargetGrantParamsSchema,
  },
];
const tags = ['access'];

interface GrantParts extends RouteParts {
  readonly reader: GrantReader;
}

/** `/v1/workspaces/{workspace}/grants` and `/v1/targets/{target}/grants`. */
export function grantRoutes(shared: RouteParts): Route[] {
  const parts = { ...shared, reader: new SqlGrantReader(shared.storage) };
  return PLACES.flatMap((place) => [
    createRoute(place, parts),
    getRoute(place, parts),
    listRoute(place, parts),
    deleteRoute(place, parts),
  ]);
}

function createRoute({ kind, collection, title, params }: Place, parts: GrantParts): Route {
  return defineRoute({
    method: 'POST',
    path: collection,
    operationId: `create${title}Grant`,
    summary: `Grant a role or a permission on a ${kind}`,
    description: 'The caller can only grant what it has itself.',
    tags,
    permission: 'grants.create',
    etag: true,
    idempotency: 'replay',
    schema: { params, body: NewGrantSchema, responses: { 201: GrantSchema } },
    handler: (request) =>
      change(request, parts, async (unit) => {
        const resource = refIn(kind, request.params);
        const command = { caller: request.principal, resource, draft: request.body, now: request.time };
        const grant = await parts.grants.create(unit, command, request.signal);
        const answer = created(grantResource(grant), `/v1/${pathOf(resource)}/grants/${grant.name}`);
        return { answer, change: { kind: 'grant', grant } };
      }),
  });
}

function getRoute({ kind, collection, title, itemParams }: Place, { index, reader, grants }: GrantParts): Route {
  return defineRoute({
    method: 'GET',
    path: `${collection}/{grant}`,
    operationId: `get${title}Grant`,
    summary: `Get a grant on a ${kind}`,
    tags,
    permission: 'grants.read',
    etag: true,
    schema: { params: itemParams, responses: { 200: GrantSchema } },
    handler: async ({ params, signal }) => {
      const sources = { grants: reader, resources: resourcesOf(index) };
      return ok(grantResource(await grants.get(sources, which(kind, params), signal)));
    },
  });
}

function listRoute({ kind, collection, title, params }: Place, parts: GrantParts): Route {
  return defineListRoute({
    path: collection,
    operationId: `list${title}Grants`,
    summary: `List the grants on a ${kind}`,
    description: 'In the order of their names.',
    tags,
    permission: 'grants.read',
    schema: { params, query: GrantListQuerySchema, item: GrantSchema },
    filter: {
      name: 'string',
      uid: 'string',
      resource: 'string',
      subject: { kind: 'string', id: 'string' },
      role: 'string',
      permission: 'string',
      grantedBy: 'string',
      createTime: 'timestamp',
    },
    keyShape: ['string', 'string'],
    keyOf: ({ name, uid }) => [name, uid],
    read: async ({ params: raw, query, principal, signal }, { after, limit }) => {
      const asked = { caller: principal, resource: refIn(kind, raw), inherited: query.inherited ?? false };
      const range = { resourceUids: await uidsToList(parts, asked, signal), after: placeIn(after), limit };
      return (await parts.reader.list(range, signal)).map(grantResource);
    },
  });
}

function deleteRoute({ kind, collection, title, itemParams }: Place, parts: GrantParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: `${collection}/{grant}`,
    operationId: `delete${title}Grant`,
    summary: `Revoke a grant on a ${kind}`,
    description: 'An inherited grant is revoked on the resource where it was made.',
    tags,
    permission: 'grants.delete',
    ifMatch: 'optional',
    schema: { params: itemParams, responses: { 204: NoContent } },
    handler: (request) =>
      change(request, parts, async (unit) => {
        const command = { ...which(kind, request.params), precondition: request.ifMatch, now: request.time };
        const grant = await parts.grants.delete(unit, command, request.signal);
        request.changes(grantResource(grant));
        return { answer: noContent(), change: { kind: 'grantDeleted', uid: grant.uid } };
      }),
  });
}

interface Asked {
  readonly caller: Principal;
  readonly resource: ResourceRef;
  readonly inherited: boolean;
}

/** The resource's own uid, and those further up the tree on which the caller may read grants. */
async function uidsToList({ index, decisions, notFound }: GrantParts, asked: Asked, signal: AbortSignal) {
  const { caller, resource, inherited } = asked;
  const [own, ...above] = index.lineageOf(resource);
  if (own === undefined) throw notFound[resource.kind](resource.name);
  const uids = [own.uid];
  for (const { kind, name, uid } of inherited ? above : []) {
    const question = { permission: 'grants.read', resource: { kind, name } };
    if ((await decisions.check(caller, question, signal)).allowed) uids.push(uid);
  }
  return uids;
}

/** Outside of a unit of work the index tells which resources exist: the authorizer has just consulted it. */
function resourcesOf(index: AccessIndex): ResourceReader {
  return {
    find: async (resource) => {
      const [own, above] = index.lineageOf(resource);
      return own && { uid: own.uid, workspace: own.kind === 'workspace' ? own.name : (above?.name ?? '') };
    },
  };
}

/** The server has validated the parameters against the schema of the route. */
function refIn(kind: ResourceKind, params: object): ResourceRef {
  const { workspace, target } = params as Partial<Record<ResourceKind, string>>;
  return { kind, name: (kind === 'workspace' ? workspace : target) ?? '' };
}

function which(kind: ResourceKind, params: object) {
  const { grant = '' } = params as { readonly grant?: string };
  return { resource: refIn(kind, params), name: parseResourceName(grant) };
}

function placeIn(after: PageKey | undefined): readonly [string, string] | undefined {
  return after === undefined ? undefined : [String(after[0]), String(after[1])];
}
