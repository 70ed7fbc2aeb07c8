import {
  defineRoute,
  ok,
  type PageKeyShape,
  PageTokens,
  type Principal,
  type Route,
  type RouteRequest,
} from '#kit/http';
import {
  AccessExplanationSchema,
  AccessVerdictSchema,
  CheckAccessSchema,
  ExplainAccessSchema,
  IdentitySchema,
  LookupPermissionsSchema,
  LookupSubjectsSchema,
  PermittedResourcesSchema,
  PermittedSubjectsSchema,
} from '#protocol/api';
import { explainTo } from '../application/explain-to.ts';
import type { Caller } from '../domain/asker.ts';
import { parseResourcePath, pathOf, type ResourceRef, SEEING } from '../domain/resource-ref.ts';
import { subjectKey } from '../domain/subject.ts';
import { explanationResource, identityResource, permittedResource } from './access-resource.ts';
import type { RouteParts } from './route-parts.ts';

const ACCESS = '/v1/access';
const tags = ['access'];
const DEFAULT_PAGE_SIZE = 100;
const BY_ONE_TEXT: PageKeyShape = ['string'];

/** Every caller may ask about itself; the handler checks the permission to ask about another subject. */
const QUESTION = { method: 'POST', reach: 'filtered', readOnly: true, tags } as const;

type Parts = Pick<RouteParts, 'decisions'>;
type Asking = Pick<RouteRequest<unknown, unknown, unknown, Principal>, 'authorize' | 'principal' | 'signal' | 'dryRun'>;

/** `/v1/access`: the caller's identity, and who may do what. Read-only. */
export function accessQuestionRoutes(parts: Parts): Route[] {
  return [
    identityRoute(parts),
    checkRoute(parts),
    lookupPermissionsRoute(parts),
    lookupSubjectsRoute(parts),
    explainRoute(parts),
  ];
}

function identityRoute({ decisions }: Parts): Route {
  return defineRoute({
    method: 'GET',
    reach: 'filtered',
    tags,
    path: `${ACCESS}/identity`,
    operationId: 'resolveIdentity',
    summary: 'Show the current identity',
    permission: 'access.check',
    schema: { responses: { 200: IdentitySchema } },
    handler: async ({ principal, signal }) =>
      ok(identityResource(principal, await decisions.resolveIdentity(principal, signal))),
  });
}

function checkRoute({ decisions }: Parts): Route {
  return defineRoute({
    ...QUESTION,
    path: `${ACCESS}:check`,
    operationId: 'checkAccess',
    summary: 'Check whether a subject has a permission on a resource',
    description:
      'Denied for a resource that does not exist. To ask about another subject, the caller needs access.check on the resource.',
    permission: 'access.check',
    schema: { body: CheckAccessSchema, responses: { 200: AccessVerdictSchema } },
    handler: async (request) => {
      asQuestion(request);
      const { subject, permission } = request.body;
      const resource = refOf(request.body.resource);
      if (isOther(request, subject)) await request.authorize('access.check', paramsOf(resource));
      const question = { permission, resource };
      const { allowed, attributes } = await decisions.check(subject ?? request.principal, question, request.signal);
      return ok({ allowed, attributes: attributes.map((set) => ({ ...set })) });
    },
  });
}

function lookupPermissionsRoute({ decisions }: Parts): Route {
  return defineRoute({
    ...QUESTION,
    path: `${ACCESS}:lookupPermissions`,
    operationId: 'lookupPermissions',
    summary: 'List the resources on which a subject has a permission',
    description:
      "Targets for an addon's permission, in the order of their names. For another subject, only resources on which the caller has access.lookup.",
    permission: 'access.lookup',
    schema: { body: LookupPermissionsSchema, responses: { 200: PermittedResourcesSchema } },
    handler: async (request) => {
      asQuestion(request);
      const { subject, permission, pageSize = DEFAULT_PAGE_SIZE, pageToken } = request.body;
      const tokens = new PageTokens(
        { operation: 'lookupPermissions', subject: subject ?? null, permission },
        BY_ONE_TEXT,
      );
      const lookup = { permission, after: placeIn(tokens, pageToken), limit: pageSize + 1 };
      const { principal: reader, signal } = request;
      const seen = isOther(request, subject) ? { ...lookup, visibleTo: reader } : lookup;
      const found = await decisions.lookupPermissions(subject ?? reader, seen, signal);
      const page = pageOf(found, { pageSize, tokens, keyOf: ({ resource }) => resource.name });
      return ok({ ...page, items: page.items.map(permittedResource) });
    },
  });
}

function lookupSubjectsRoute({ decisions }: Parts): Route {
  return defineRoute({
    ...QUESTION,
    path: `${ACCESS}:lookupSubjects`,
    operationId: 'lookupSubjects',
    summary: 'List the subjects that have a permission on a resource',
    description: 'Requires access.lookup on the resource. Groups are listed as groups, without their members.',
    permission: 'access.lookup',
    schema: { body: LookupSubjectsSchema, responses: { 200: PermittedSubjectsSchema } },
    handler: async (request) => {
      asQuestion(request);
      const { permission, pageSize = DEFAULT_PAGE_SIZE, pageToken } = request.body;
      const resource = refOf(request.body.resource);
      await request.authorize('access.lookup', paramsOf(resource));
      const identity = { operation: 'lookupSubjects', permission, resource: pathOf(resource) };
      const tokens = new PageTokens(identity, BY_ONE_TEXT);
      const lookup = { permission, resource, after: placeIn(tokens, pageToken), limit: pageSize + 1 };
      const found = await decisions.lookupSubjects(lookup, request.signal);
      return ok(pageOf(found, { pageSize, tokens, keyOf: subjectKey }));
    },
  });
}

function explainRoute({ decisions }: Parts): Route {
  return defineRoute({
    ...QUESTION,
    path: `${ACCESS}:explain`,
    operationId: 'explainAccess',
    summary: 'Explain why a subject has a permission on a resource, or why not',
    description: 'To ask about another subject, the caller needs access.explain on the resource.',
    permission: 'access.explain',
    schema: { body: ExplainAccessSchema, responses: { 200: AccessExplanationSchema } },
    handler: async (request) => {
      asQuestion(request);
      const { subject, permission } = request.body;
      const resource = refOf(request.body.resource);
      const needed = isOther(request, subject) ? 'access.explain' : SEEING[resource.kind];
      await request.authorize(needed, paramsOf(resource));
      const { principal: reader, signal } = request;
      const asked = { subject: subject ?? reader, question: { permission, resource } };
      return ok(explanationResource(await explainTo({ decisions, reader }, asked, signal)));
    },
  });
}

/** A question changes nothing, so a dry run is the question itself. */
function asQuestion(request: Asking): boolean {
  return request.dryRun;
}

/**
 * A caller with a narrowed token that names its own subject also asks about another: about all rights of that subject,
 * which may exceed those of the token. The same holds for a caller that names a group it is not in.
 */
function isOther({ principal }: Asking, subject: Caller | undefined): boolean {
  if (subject === undefined) return false;
  const narrowed = principal.scope !== undefined;
  const foreign = (subject.groups ?? []).some((group) => !(principal.groups ?? []).includes(group));
  return narrowed || foreign || subject.kind !== principal.kind || subject.id !== principal.id;
}

/** The schema's pattern admits nothing else. */
function refOf(path: string): ResourceRef {
  const resource = parseResourcePath(path);
  if (resource === undefined) throw new TypeError(`not the path of a resource: ${path}`);
  return resource;
}

function paramsOf({ kind, name }: ResourceRef): Readonly<Record<string, string>> {
  return { [kind]: name };
}

function placeIn(tokens: PageTokens, pageToken: string | undefined): string | undefined {
  return pageToken === undefined ? undefined : String(tokens.decode(pageToken)[0]);
}

interface Paging<Item> {
  readonly pageSize: number;
  readonly tokens: PageTokens;
  readonly keyOf: (item: Item) => string;
}

/** `found` has one item more than the page if there is a next page. */
function pageOf<Item>(found: readonly Item[], { pageSize, tokens, keyOf }: Paging<Item>) {
  const items = found.slice(0, pageSize);
  const last = items.at(-1);
  const more = found.length > pageSize && last !== undefined;
  return { items, ...(more ? { nextPageToken: tokens.encode([keyOf(last)]) } : {}) };
}
