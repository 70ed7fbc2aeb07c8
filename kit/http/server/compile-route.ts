import type { FastifySchema } from 'fastify';
import { type TObject, Type } from 'typebox';
import type { RequestObserver } from '../ports.ts';
import { closeSchema, type JsonSchema } from '../routes/closed-schema.ts';
import type { Route } from '../routes/route.ts';
import type { Validators } from '../routes/validator.ts';
import type { CompiledRoute } from './compiled-route.ts';

export interface CompileDeps {
  readonly observer: RequestObserver | undefined;
  readonly validators: Validators;
  readonly verifyResponses: boolean;
}

const DRY_RUN = {
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Validate the request and show the result without changing anything.' }),
  ),
};

/** Precomputes at startup everything that does not depend on a request. */
export function compileRoute(route: Route, { observer, validators, verifyResponses }: CompileDeps): CompiledRoute {
  const { operationId, method, path } = route;
  return {
    route,
    observer: observer?.operation({ operationId, method, path }),
    verifiers: verifyResponses ? compileVerifiers(route, validators) : undefined,
  };
}

/** The schemas for Fastify and the API description: closed, with the parameters that every operation has. */
export function routeSchema(route: Route): FastifySchema & Readonly<Record<string, unknown>> {
  const { params, query, body } = route.schema;
  const where = `${route.method} ${route.path}`;
  const automatic = route.method === 'GET' || route.readOnly ? {} : DRY_RUN;
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.tags === undefined ? {} : { tags: route.tags }),
    ...(params ? { params: closeSchema(params, where) } : {}),
    querystring: closeSchema(Type.Object({ ...query?.properties, ...automatic }, opennessOf(query)), where),
    ...(body ? { body: closeSchema(body, where) } : {}),
    response: closedResponses(route),
  };
}

/** A query may be declared open, for callers whose parameters are not under our control. */
function opennessOf(query: TObject | undefined): { additionalProperties?: true } {
  return query !== undefined && 'additionalProperties' in query && query.additionalProperties === true
    ? { additionalProperties: true }
    : {};
}

function compileVerifiers(route: Route, validators: Validators): CompiledRoute['verifiers'] {
  const statuses = Object.entries(closedResponses(route));
  return new Map(statuses.map(([status, schema]) => [Number(status), validators.forResponse(schema)]));
}

function closedResponses({ schema, method, path }: Route): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(schema.responses).map(([status, response]) => [
      status,
      closeSchema(response, `${method} ${path} ${status}`),
    ]),
  );
}
