import { defineRoute, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import type { Reader, Storage } from '#kit/storage';
import {
  PutTargetPassthroughSchema,
  TargetParamsSchema,
  type TargetPassthroughResource,
  TargetPassthroughSchema,
} from '#protocol/api';
import { checkPassthrough, type Passthrough, passthroughNotFound } from '../../domain/passthrough.ts';
import type { IssuerDirectory } from '../oidc/issuer-directory.ts';
import { findPassthrough, passthroughsWith, removePassthrough, savePassthrough } from '../sql/passthrough-rows.ts';

export interface PassthroughRoutesDeps {
  readonly storage: Storage;
  readonly directory: IssuerDirectory;
  /** Finds a target and its workspace; throws the not-found error of the targets context. */
  readonly requireTarget: (
    reader: Reader,
    name: string,
  ) => Promise<{ readonly uid: string; readonly workspace: string }>;
}

const PATH = '/v1/targets/{target}/passthrough';
/** Required on the root, since it lets tokens of all users leave the platform. */
const PERMISSION = 'targets.passthrough';
const tags = ['targets'];

/** Configures which tokens are passed unchanged to the API server of a target. */
export function passthroughRoutes(deps: PassthroughRoutesDeps): Route[] {
  return [putRoute(deps), getRoute(deps), deleteRoute(deps)];
}

function putRoute({ storage, directory, requireTarget }: PassthroughRoutesDeps): Route {
  return defineRoute({
    method: 'PUT',
    path: PATH,
    operationId: 'putTargetPassthrough',
    summary: 'Pass tokens of one audience through to the API server of a target',
    description: `The platform accepts tokens of this audience at the API of this target and nowhere else, and passes them on unchanged. Requires ${PERMISSION} on the root workspace in addition to the permission on the target.`,
    tags,
    permission: 'targets.update',
    schema: {
      params: TargetParamsSchema,
      body: PutTargetPassthroughSchema,
      responses: { 200: TargetPassthroughSchema },
    },
    handler: async (request) => {
      await request.authorize(PERMISSION, {});
      const { params, body, signal, time } = request;
      const issuers = await directory.all(signal);
      return await mutate(request, storage, async (tx) => {
        const { uid, workspace } = await requireTarget(tx, params.target);
        const target = { uid, name: params.target };
        const wanted: Passthrough = { target, workspace, ...body, createTime: time };
        checkPassthrough(wanted, { issuers, others: await passthroughsWith(tx, body.audience) });
        const known = await findPassthrough(tx, uid);
        if (known !== undefined) request.changes(resourceOf(known));
        await savePassthrough(tx, wanted);
        return ok(resourceOf(wanted));
      });
    },
  });
}

function getRoute({ storage, requireTarget }: PassthroughRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: PATH,
    operationId: 'getTargetPassthrough',
    summary: 'Get the passthrough of a target',
    tags,
    permission: 'targets.read',
    schema: { params: TargetParamsSchema, responses: { 200: TargetPassthroughSchema } },
    handler: async ({ params, signal }) =>
      await storage.read(async (reader) => {
        const { uid } = await requireTarget(reader, params.target);
        const known = await findPassthrough(reader, uid);
        if (known === undefined) throw passthroughNotFound(params.target);
        return ok(resourceOf(known));
      }, signal),
  });
}

function deleteRoute({ storage, requireTarget }: PassthroughRoutesDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: PATH,
    operationId: 'deleteTargetPassthrough',
    summary: 'Delete the passthrough of a target',
    description: `Callers are impersonated from then on. Requires ${PERMISSION} on the root workspace in addition to the permission on the target.`,
    tags,
    permission: 'targets.update',
    schema: { params: TargetParamsSchema, responses: { 204: NoContent } },
    handler: async (request) => {
      await request.authorize(PERMISSION, {});
      return await mutate(request, storage, async (tx) => {
        const { uid } = await requireTarget(tx, request.params.target);
        const known = await findPassthrough(tx, uid);
        if (known === undefined) throw passthroughNotFound(request.params.target);
        request.changes(resourceOf(known));
        await tx.run(removePassthrough(uid));
        return noContent();
      });
    },
  });
}

function resourceOf({ target, workspace, issuer, audience, createTime }: Passthrough): TargetPassthroughResource {
  return { target: target.name, workspace, issuer, audience, createTime: new Date(createTime).toISOString() };
}
