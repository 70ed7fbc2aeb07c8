import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { testServer } from '../testing/test-server.ts';
import { NoContent, noContent, ok } from './answer.ts';
import { defineRoute, type RouteDefinition } from './define-route.ts';
import type { RouteSchema } from './route.ts';

const Thing = Type.Object({ name: Type.String(), etag: Type.String() });
const good = {
  method: 'POST',
  path: '/v1/things/{name}:pause',
  operationId: 'pauseThing',
  summary: 'Pause a thing',
  permission: 'things.pause',
  schema: { params: Type.Object({ name: Type.String() }), responses: { 200: Thing } },
  handler: async () => ok({ name: 'x', etag: '1' }),
} as const;

describe('a route', () => {
  it('is taken when it makes sense', () => {
    const { method, path, permission } = defineRoute(good);
    assert.deepEqual([method, path, permission], ['POST', '/v1/things/{name}:pause', 'things.pause']);
  });

  const cases: { why: string; change: object; rule: RegExp }[] = [
    { why: 'no permission', change: { permission: undefined }, rule: /declares a permission/ },
    { why: 'an empty permission', change: { permission: '' }, rule: /declares a permission/ },
    { why: 'a permission of one word', change: { permission: 'read' }, rule: /declares a permission/ },
    { why: 'an operation without a name', change: { operationId: 'Pause-Thing' }, rule: /lowerCamelCase/ },
    { why: 'a path of another style', change: { path: '/v1/things/:name' }, rule: /not a path/ },
    { why: 'a parameter without a schema', change: { path: '/v1/{name}/{other}' }, rule: /exactly name, other/ },
    { why: 'a schema without a parameter', change: { path: '/v1/things' }, rule: /exactly nothing/ },
    { why: 'a GET with a body', change: { method: 'GET', schema: { ...good.schema, body: Thing } }, rule: /no body/ },
    {
      why: 'a dryRun of its own',
      change: { schema: { ...good.schema, query: Type.Object({ dryRun: Type.Boolean() }) } },
      rule: /dryRun/,
    },
    { why: 'If-Match on a GET', change: { method: 'GET', ifMatch: 'optional' }, rule: /If-Match/ },
    {
      why: 'an Idempotency-Key without a create',
      change: { method: 'PUT', idempotency: 'replay' },
      rule: /Idempotency/,
    },
    { why: 'an Idempotency-Key of nobody', change: { permission: 'public', idempotency: 'replay' }, rule: /principal/ },
    {
      why: 'an etag that is not in the answer',
      change: { etag: true, schema: { ...good.schema, responses: { 200: Type.Object({}) } } },
      rule: /etag field/,
    },
  ];
  for (const { why, change, rule } of cases) {
    it(`is refused with ${why}`, () => {
      const definition = { ...good, ...change } as unknown as RouteDefinition<RouteSchema, 'public'>;
      assert.throws(() => defineRoute(definition), rule);
    });
  }

  it('is refused with the name of another one, or its path', async () => {
    const route = defineRoute(good);
    await assert.rejects(testServer([route, route]), /two operations are called pauseThing/);
    await assert.rejects(testServer([route, { ...route, operationId: 'other' }]), /already declared/);
  });

  it('is refused with a schema that cannot be closed or compiled', async () => {
    const open = Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
    await assert.rejects(testServer([defineRoute({ ...good, schema: { ...good.schema, body: open } })]), /allOf/);
    const wrong = Type.Unsafe<string>({ type: 'string', minimum: 1 });
    await assert.rejects(testServer([defineRoute({ ...good, schema: { ...good.schema, body: wrong } })]), /strict/);
  });

  it('is listed with its permission', async () => {
    const { server } = await testServer([defineRoute(good)]);
    assert.deepEqual(
      server.routes().map(({ method, path, permission }) => `${method} ${path} ${permission}`),
      [
        'POST /v1/things/{name}:pause things.pause',
        'GET /healthz public',
        'GET /readyz public',
        'GET /metrics metrics.read',
        'GET /openapi.json public',
        'GET /docs public',
      ],
    );
    await server.close(1000);
  });

  it('is checked by the compiler', () => {
    const { permission, ...withoutPermission } = good;
    assert.ok(permission);
    // @ts-expect-error every route needs a permission
    assert.throws(() => defineRoute(withoutPermission));
    // @ts-expect-error a single word is not a permission
    assert.throws(() => defineRoute({ ...good, permission: 'read' }));
    // @ts-expect-error the response lacks a field of its schema
    defineRoute({ ...good, handler: async () => ok({ name: 'x' }) });
    // @ts-expect-error the status is not declared
    defineRoute({ ...good, handler: async () => noContent() });
    defineRoute({
      ...good,
      schema: { ...good.schema, responses: { 204: NoContent } },
      handler: async () => noContent(),
    });
    // @ts-expect-error there is no such parameter
    defineRoute({ ...good, handler: async ({ params }) => ok({ name: params.nmae, etag: '1' }) });
    defineRoute({ ...good, handler: async ({ params, principal }) => ok({ name: params.name, etag: principal.id }) });
    defineRoute({
      ...good,
      permission: 'public',
      // @ts-expect-error a public route has no principal
      handler: async ({ principal }) => ok({ name: principal.id, etag: '' }),
    });
  });

  it('takes parameters that it does not name only where it says so', async () => {
    const named = Type.Object({ code: Type.Optional(Type.String()) });
    const open = Type.Object(named.properties, { additionalProperties: true });
    const route = (path: string, operationId: string, query: typeof named) =>
      defineRoute({
        method: 'GET',
        path,
        operationId,
        summary: 'Come back',
        permission: 'public',
        schema: { query, responses: { 200: Type.Object({}) } },
        handler: async () => ok({}),
      });
    const { server } = await testServer([route('/v1/open', 'getOpen', open), route('/v1/closed', 'getClosed', named)]);
    assert.equal((await server.inject({ url: '/v1/open?code=a&session=b' })).statusCode, 200);
    assert.equal((await server.inject({ url: '/v1/closed?code=a&session=b' })).statusCode, 400);
    await server.close(1000);
  });
});
