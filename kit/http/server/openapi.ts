import { isDeepStrictEqual } from 'node:util';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { PROBLEM_TYPE, ProblemSchema } from '../errors/problem.ts';
import type { JsonSchema } from '../routes/closed-schema.ts';
import { isOptionalBody } from '../routes/optional-body.ts';
import type { Route } from '../routes/route.ts';
import type { ApiInfo } from './http-server.ts';
import { requestHeaders, responseHeaders } from './openapi-headers.ts';

type Description = Record<string, unknown>;

const BEARER_SCHEME = 'bearer';

/** The media type that a PATCH body may have, besides JSON. */
export const MERGE_PATCH = 'application/merge-patch+json';

/** Generates the API description from the schemas that are used for validation. */
export async function registerOpenapi(app: FastifyInstance, info: ApiInfo): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: { ...info },
      components: {
        securitySchemes: {
          [BEARER_SCHEME]: { type: 'http', scheme: 'bearer', description: 'A token of this server.' },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const compiled = route.config?.compiled;
      // Routes without response schemas are documentation pages, not part of the API.
      if (!compiled || !schema?.response) return { schema: { hide: true }, url };
      return { schema: { ...schema, ...describe(compiled.route, schema) }, url };
    },
    transformObject: (document) =>
      'openapiObject' in document ? nameSchemas(withOptionalBodies(document.openapiObject)) : {},
  });
}

/** The parts that the server adds to every operation of its kind: headers, security, and possible refusals. */
function describe(route: Route, { response }: FastifySchema): Description {
  const headers = requestHeaders(route);
  return {
    ...(Object.keys(headers).length === 0 ? {} : { headers: Type.Object(headers) }),
    ...(route.method === 'PATCH' && route.schema.body ? { consumes: ['application/json', MERGE_PATCH] } : {}),
    security: route.permission === 'public' ? [] : [{ [BEARER_SCHEME]: [] }],
    'x-permission': route.permission,
    response: {
      ...successes(route, response as Readonly<Record<string, Description>>),
      ...(route.etag && route.method === 'GET' ? { 304: { type: 'null', description: 'You have it already.' } } : {}),
      '4xx': problem('The request was refused; the problem document says why.'),
      '5xx': problem('The server failed; the problem document says whether to retry.'),
    },
  };
}

function successes(
  route: Route,
  responses: Readonly<Record<string, Description>>,
): Readonly<Record<string, Description>> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => {
      const description = schema['description'] ?? (status === '201' ? 'Created.' : 'Done.');
      const headers = status.startsWith('2') ? responseHeaders(route, status) : {};
      if (schema['type'] === 'null') return [status, { ...schema, description, headers }];
      const content = { [route.produces ?? 'application/json']: { schema } };
      return [status, { description, headers, content }];
    }),
  );
}

function problem(description: string): Description {
  return { description, content: { [PROBLEM_TYPE]: { schema: ProblemSchema } } };
}

/** Swagger marks every body as required. */
function withOptionalBodies(document: object): object {
  const { paths = {} } = document as { paths?: Readonly<Record<string, Readonly<Record<string, Described>>>> };
  return { ...document, paths: mapValues(paths, (path) => mapValues(path, withOptionalBody)) };
}

interface Described {
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
}

function withOptionalBody(operation: Described): Described {
  const { requestBody } = operation;
  if (!requestBody || !Object.values(requestBody.content).every(({ schema }) => isOptionalBody(schema)))
    return operation;
  return { ...operation, requestBody: { ...requestBody, required: false } };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** Every object schema with a title becomes a component of that name, so that generated clients have named types. */
function nameSchemas(document: object): object {
  const { paths, components, ...rest } = document as { paths: Description; components: Description };
  const schemas: Description = {};
  const named = hoist(paths, schemas);
  return { ...rest, components: { ...components, schemas }, paths: named };
}

function hoist(node: unknown, schemas: Description): unknown {
  if (Array.isArray(node)) return node.map((item) => hoist(item, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, hoist(value, schemas)]));
  const { title, type } = copy;
  if (typeof title !== 'string' || type !== 'object') return copy;
  if (title in schemas && !isDeepStrictEqual(schemas[title], copy))
    throw new TypeError(`two schemas are called ${title}`);
  schemas[title] = copy;
  return { $ref: `#/components/schemas/${title}` };
}
