import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { Type } from 'typebox';
import type { Storage } from '#kit/storage';
import { defineRoute, ok } from '../index.ts';
import { testServer } from '../testing/test-server.ts';
import { thingRoutes } from '../testing/thing-routes.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: object }>; headers?: object }>>;
}

async function describeThings() {
  // No request is made, so no storage is needed.
  const { server } = await testServer(thingRoutes({} as Storage));
  const document = server.openapi() as {
    openapi: string;
    info: object;
    components: { schemas: Record<string, object>; securitySchemes: object };
    paths: Record<string, Record<string, Operation>>;
  };
  await server.close(1000);
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const named = (operationId: string): Operation => {
    const found = operations.find((operation) => operation.operationId === operationId);
    assert.ok(found, operationId);
    return found;
  };
  const headersOf = (operationId: string) =>
    named(operationId)
      .parameters?.filter((parameter) => parameter.in === 'header')
      .map(({ name, required }) => `${name}${required ? ' (required)' : ''}`) ?? [];
  return { document, operations, named, headersOf };
}

describe('the description of the API', () => {
  it('is OpenAPI 3.1, with the paths as they were written', async () => {
    const { document } = await describeThings();
    assert.match(document.openapi, /^3\.1\./);
    assert.deepEqual(document.info, { title: 'Things', version: '1.2.3' });
    assert.deepEqual(Object.keys(document.paths), [
      '/v1/things',
      '/v1/things/{name}',
      '/v1/things/{name}:paint',
      '/healthz',
      '/readyz',
      '/metrics',
      '/openapi.json',
    ]);
  });

  it('lists problems on every operation, and who may call it', async () => {
    const { operations } = await describeThings();
    for (const { operationId, responses, security } of operations) {
      for (const range of ['4XX', '5XX']) {
        assert.deepEqual(
          responses[range]?.content?.['application/problem+json']?.schema,
          { $ref: '#/components/schemas/Problem' },
          operationId,
        );
      }
      const isPublic = ['getHealth', 'getReadiness', 'getOpenapi'].includes(operationId);
      assert.deepEqual(security, isPublic ? [] : [{ bearer: [] }], operationId);
    }
  });

  it('names the headers that an operation honours', async () => {
    const { headersOf, named } = await describeThings();
    assert.deepEqual(headersOf('getThing'), ['If-None-Match']);
    assert.deepEqual(headersOf('createThing'), ['Idempotency-Key']);
    assert.deepEqual(headersOf('paintThing'), ['If-Match']);
    assert.deepEqual(headersOf('deleteThing'), ['If-Match (required)']);
    const created = named('createThing').responses['201']?.headers;
    assert.deepEqual(Object.keys(created ?? {}), ['ETag', 'Location', 'Idempotency-Replayed']);
    assert.ok(named('getThing').responses['304']);
    assert.equal(named('deleteThing').responses['204']?.content, undefined);
  });

  it('has the dry run on every change and on nothing else', async () => {
    const { document } = await describeThings();
    for (const path of Object.values(document.paths)) {
      for (const [method, { parameters = [], operationId }] of Object.entries(path)) {
        assert.equal(
          parameters.some(({ name }) => name === 'dryRun'),
          method !== 'get',
          operationId,
        );
      }
    }
  });

  it('gives schemas with a title a name, and closes all of them', async () => {
    const { document, named } = await describeThings();
    assert.deepEqual(Object.keys(document.components.schemas).sort(), ['Problem', 'Readiness', 'Thing']);
    assert.deepEqual(named('getThing').responses['200']?.content?.['application/json']?.schema, {
      $ref: '#/components/schemas/Thing',
    });
    assert.equal(
      (document.components.schemas['Thing'] as { additionalProperties: boolean }).additionalProperties,
      false,
    );
  });

  it('has schemas that a validator of JSON Schema takes', async () => {
    const { document } = await describeThings();
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'document', ...document });
    for (const name of Object.keys(document.components.schemas)) {
      ajv.compile({ $ref: `document#/components/schemas/${name}` });
    }
  });

  it('refuses two schemas of one name', async (t) => {
    const route = (path: string, operationId: string, schema: object) =>
      defineRoute({
        method: 'GET',
        path,
        operationId,
        summary: 'x',
        permission: 'public',
        schema: { responses: { 200: Type.Unsafe<unknown>(schema) } },
        handler: async () => ok(1),
      });
    const one = Type.Object({ a: Type.String() }, { title: 'Same' });
    const other = Type.Object({ b: Type.String() }, { title: 'Same' });
    const { server } = await testServer([route('/a', 'a', one), route('/b', 'b', other)]);
    t.after(() => server.close(1000));
    assert.throws(() => server.openapi(), /two schemas are called Same/);
  });
});
