import { defineListRoute, defineRoute, type IfMatch, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import { FleetError } from '#kit/std';
import { BindTargetSchema, FleetletParamsSchema, FleetletSchema } from '#protocol/api';
import { fleetletService, type ShownFleetlet } from '../../application/fleetlet-service.ts';
import { fleetletNotFound } from '../../domain/enrolment-error.ts';
import type { EnrolmentParts } from '../enrolment-parts.ts';
import { fleetletResource } from '../resources.ts';

const COLLECTION = '/v1/fleetlets';
const ITEM = `${COLLECTION}/{fleetlet}`;
const tags = ['enrolment'];

/**
 * `/v1/fleetlets`: the enrolled fleetlets. The path does not name the workspace of a fleetlet, so each handler looks it
 * up and checks the permission there; a fleetlet that the caller may not see looks like one that does not exist (404).
 */
export function fleetletRoutes(parts: EnrolmentParts): Route[] {
  return [
    getRoute(parts),
    listRoute(parts),
    revokeRoute(parts),
    bindingRoute(parts, { verb: 'bind', summary: 'Bind a fleetlet to one more target' }),
    bindingRoute(parts, { verb: 'unbind', summary: 'Unbind a fleetlet from a target' }),
    deleteRoute(parts),
  ];
}

function getRoute(parts: EnrolmentParts): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getFleetlet',
    summary: 'Get a fleetlet',
    tags,
    permission: 'fleetlets.read',
    reach: 'filtered',
    etag: true,
    schema: { params: FleetletParamsSchema, responses: { 200: FleetletSchema } },
    handler: async (request) => ok(toResource(await seen(parts, request, 'fleetlets.read'))),
  });
}

function listRoute({ reader, visibility }: EnrolmentParts): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listFleetlets',
    summary: 'List fleetlets',
    description: 'Those that the caller may see, in the order of their names.',
    tags,
    permission: 'fleetlets.read',
    reach: 'filtered',
    schema: { item: FleetletSchema },
    filter: {
      name: 'string',
      workspace: 'string',
      state: 'string',
      builtIn: 'bool',
      createTime: 'timestamp',
      updateTime: 'timestamp',
    },
    keyOf: ({ name }) => [name],
    read: async ({ principal, signal }, { after, limit }) => {
      const range = { after: after === undefined ? undefined : String(after[0]), limit };
      const visible = await visibility.of(principal, 'fleetlets.read', signal);
      return (await reader.fleetlets(visible, range, signal)).map(toResource);
    },
  });
}

function revokeRoute(parts: EnrolmentParts): Route {
  const { storage, unit, changed } = parts;
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:revoke`,
    operationId: 'revokeFleetlet',
    summary: 'Revoke a fleetlet',
    description:
      'Its session ends, and none of its certificates is accepted or renewed any more. This cannot be undone.',
    tags,
    permission: 'fleetlets.revoke',
    reach: 'filtered',
    etag: true,
    ifMatch: 'optional',
    schema: { params: FleetletParamsSchema, responses: { 200: FleetletSchema } },
    handler: async (request) => {
      await seen(parts, request, 'fleetlets.revoke');
      const answer = await mutate(request, storage, async (tx) =>
        ok(toResource(await fleetletService.revoke(unit(tx), change(request), request.signal))),
      );
      changed();
      return answer;
    },
  });
}

interface BindingVerb {
  readonly verb: 'bind' | 'unbind';
  readonly summary: string;
}

function bindingRoute(parts: EnrolmentParts, { verb, summary }: BindingVerb): Route {
  const { storage, unit, changed } = parts;
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:${verb}`,
    operationId: `${verb}Fleetlet`,
    summary,
    tags,
    permission: 'fleetlets.bind',
    reach: 'filtered',
    etag: true,
    ifMatch: 'optional',
    schema: { params: FleetletParamsSchema, body: BindTargetSchema, responses: { 200: FleetletSchema } },
    handler: async (request) => {
      await seen(parts, request, 'fleetlets.bind');
      const { target } = request.body;
      const answer = await mutate(request, storage, async (tx) =>
        ok(toResource(await fleetletService[verb](unit(tx), { ...change(request), target }, request.signal))),
      );
      changed();
      return answer;
    },
  });
}

function deleteRoute(parts: EnrolmentParts): Route {
  const { storage, unit, changed } = parts;
  return defineRoute({
    method: 'DELETE',
    path: ITEM,
    operationId: 'deleteFleetlet',
    summary: 'Revoke a fleetlet and delete it',
    description: 'Its targets stay, and other fleetlets can take them over.',
    tags,
    permission: 'fleetlets.delete',
    reach: 'filtered',
    ifMatch: 'optional',
    schema: { params: FleetletParamsSchema, responses: { 204: NoContent } },
    handler: async (request) => {
      await seen(parts, request, 'fleetlets.delete');
      const answer = await mutate(request, storage, async (tx) => {
        await fleetletService.delete(unit(tx), change(request), request.signal);
        return noContent();
      });
      changed();
      return answer;
    },
  });
}

interface FleetletRequest {
  readonly params: { readonly fleetlet: string };
  readonly signal: AbortSignal;
  authorize(permission: string, params: Readonly<Record<string, string>>): Promise<void>;
}

/** The fleetlet, if the caller has the permission on its workspace. */
async function seen({ reader }: EnrolmentParts, request: FleetletRequest, permission: string): Promise<ShownFleetlet> {
  const { params, signal } = request;
  const shown = await reader.fleetlet({ name: params.fleetlet }, signal);
  if (shown === undefined) throw fleetletNotFound(params.fleetlet);
  try {
    await request.authorize(permission, { workspace: shown.fleetlet.workspace.name });
  } catch (error) {
    if (error instanceof FleetError && error.entry.category === 'not-found') throw fleetletNotFound(params.fleetlet);
    throw error;
  }
  return shown;
}

interface ChangeRequest {
  readonly params: { readonly fleetlet: string };
  readonly ifMatch: IfMatch;
  readonly time: number;
  changes(before: object): void;
}

function change(request: ChangeRequest) {
  return {
    name: request.params.fleetlet,
    precondition: request.ifMatch,
    now: request.time,
    before: (shown: ShownFleetlet) => request.changes(toResource(shown)),
  };
}

function toResource({ fleetlet, targets }: ShownFleetlet) {
  return fleetletResource(fleetlet, targets);
}
