import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Type } from 'typebox';
import { contentHash } from '#kit/std';
import { type Storage, sql, type Transaction } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import {
  type AuditEntry,
  type AuditSink,
  defineRoute,
  HttpError,
  type HttpServer,
  httpMigrations,
  NoContent,
  noContent,
  type Route,
} from '../index.ts';
import { AS_ALICE, testServer } from '../testing/test-server.ts';
import { thingRoutes } from '../testing/thing-routes.ts';
import { thingMigrations } from '../testing/thing-store.ts';

const signal = new AbortController().signal;
const AS_BOB = { authorization: 'Bearer bob' };

/** Stores entries in a table, so that they are committed or rolled back with their transaction. */
class TableSink implements AuditSink {
  readonly noted: AuditEntry[] = [];
  readonly refusals: AuditEntry[] = [];

  async append(tx: Transaction, entry: AuditEntry): Promise<void> {
    await tx.run(sql`INSERT INTO audited (entry) VALUES (${JSON.stringify(entry)})`);
  }

  async note(entry: AuditEntry): Promise<void> {
    this.noted.push(entry);
  }

  async refused(entry: AuditEntry): Promise<void> {
    this.refusals.push(entry);
  }
}

const auditedMigrations = {
  module: 'audited',
  migrations: [{ number: 1, name: 'audited', compatibleFrom: 0, up: 'CREATE TABLE audited (entry TEXT NOT NULL)' }],
};

eachDatabase('the audit of writes', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  let server: HttpServer;
  let sink: TableSink;

  beforeEach(async () => {
    database = await fresh();
    storage = await database.open([httpMigrations, thingMigrations, auditedMigrations]);
    sink = new TableSink();
    ({ server } = await testServer(thingRoutes(storage), { audit: sink }));
  });

  afterEach(async () => {
    await server.close(1000);
    await database.dispose();
  });

  const send = (method: 'POST' | 'DELETE', url: string, payload?: object, headers = {}) =>
    server.inject({ method, url, headers: { ...AS_ALICE, ...headers }, ...(payload ? { payload } : {}) });
  const entries = async (): Promise<AuditEntry[]> =>
    (await storage.all<{ entry: string }>(sql`SELECT entry FROM audited`, signal)).map(({ entry }) =>
      JSON.parse(entry),
    );

  it('says who did what to which thing, and what it was before and after', async () => {
    const made = (await send('POST', '/v1/things', { name: 'lamp', color: 'red' })).json();
    const painted = (await send('POST', '/v1/things/lamp:paint', { color: 'green' })).json();
    await send('DELETE', '/v1/things/lamp', undefined, { 'if-match': '*' });
    const seen = (await entries()).map(({ operationId, resource, principal, outcome, before, after }) => ({
      operationId,
      resource,
      who: principal?.id,
      outcome,
      before,
      after,
    }));
    const common = { who: 'alice', outcome: 'done' };
    assert.deepEqual(seen, [
      {
        ...common,
        operationId: 'createThing',
        resource: '/v1/things/lamp',
        before: undefined,
        after: contentHash(made),
      },
      {
        ...common,
        operationId: 'paintThing',
        resource: '/v1/things/lamp:paint',
        before: contentHash(made),
        after: contentHash(painted),
      },
      {
        ...common,
        operationId: 'deleteThing',
        resource: '/v1/things/lamp',
        before: contentHash(painted),
        after: undefined,
      },
    ]);
  });

  it('holds a create that met a thing which is there, of a dry run too', async () => {
    await send('POST', '/v1/things', { name: 'lamp', color: 'red' });
    for (const url of ['/v1/things', '/v1/things?dryRun=true']) {
      assert.equal((await send('POST', url, { name: 'lamp', color: 'red' })).statusCode, 409, url);
    }
    const seen = sink.refusals.map(({ operationId, outcome, principal }) => [operationId, outcome, principal?.id]);
    assert.deepEqual(seen, Array(2).fill(['createThing', 'denied', 'alice']));
  });

  it('holds nothing of what did not happen', async () => {
    await send('POST', '/v1/things?dryRun=true', { name: 'lamp', color: 'red' });
    await send('POST', '/v1/things/none:paint', { color: 'red' });
    assert.deepEqual(await entries(), []);
  });

  it('tells of a repeated create once', async () => {
    const key = { 'idempotency-key': 'k' };
    await send('POST', '/v1/things', { name: 'lamp', color: 'red' }, key);
    await send('POST', '/v1/things', { name: 'lamp', color: 'red' }, key);
    assert.equal((await entries()).length, 1);
  });
});

describe('the audit of what is not a write of ours', () => {
  type Asked = {
    recordAttempt(): Promise<void>;
    authorize(permission: string, params: Record<string, string>): Promise<void>;
  };
  const route = (handler: (request: Asked) => Promise<void>): Route =>
    defineRoute({
      method: 'POST',
      path: '/v1/engine/{name}:stop',
      operationId: 'stopEngine',
      summary: 'Stop it',
      permission: 'engines.stop',
      schema: { params: Type.Object({ name: Type.String() }), responses: { 204: NoContent } },
      handler: async (request) => {
        await handler(request);
        return noContent();
      },
    });
  const stop = (server: HttpServer, headers: Record<string, string>) =>
    server.inject({ method: 'POST', url: '/v1/engine/one:stop', headers });

  it('has it before it is tried', async () => {
    const audit = new TableSink();
    const { server } = await testServer([route((request) => request.recordAttempt())], { audit });
    assert.equal((await stop(server, AS_ALICE)).statusCode, 204);
    const [entry] = audit.noted;
    assert.deepEqual([entry?.operationId, entry?.params, entry?.outcome], ['stopEngine', { name: 'one' }, 'done']);
    await server.close(1000);
  });

  it('does not let a handler forget it', async () => {
    const { server, log } = await testServer([route(async () => {})]);
    assert.equal((await stop(server, AS_ALICE)).statusCode, 500);
    assert.match(String(log.at('error')[0]?.fields.err), /unaudited/);
    await server.close(1000);
  });

  it('has what a handler asked for and was refused', async () => {
    const audit = new TableSink();
    const asks = route((request) => request.authorize('engines.start', { name: 'two' }));
    const { server } = await testServer([asks], { audit, allow: (_, permission) => permission !== 'engines.start' });
    assert.equal((await stop(server, AS_ALICE)).statusCode, 403);
    assert.deepEqual(
      audit.refusals.map(({ outcome, operationId }) => [outcome, operationId]),
      [['denied', 'stopEngine']],
    );
    await server.close(1000);
  });

  it('has every refusal', async () => {
    const audit = new TableSink();
    const authorizer = {
      allow: async ({ principal }: { principal: { id: string } }) => {
        if (principal.id === 'bob') throw new HttpError('ROUTE_NOT_FOUND', 'There is no such engine.');
        return false;
      },
    };
    const { server } = await testServer([route(async () => {})], { audit, authorizer });
    await stop(server, AS_ALICE);
    await stop(server, { authorization: 'Bearer nobody' });
    await stop(server, {});
    assert.equal((await stop(server, AS_BOB)).statusCode, 404);
    assert.deepEqual(
      audit.refusals.map(({ outcome, principal, resource }) => [outcome, principal?.id, resource]),
      [
        ['denied', 'alice', '/v1/engine/one:stop'],
        ['unauthenticated', undefined, '/v1/engine/one:stop'],
        ['hidden', 'bob', '/v1/engine/one:stop'],
      ],
    );
    await server.close(1000);
  });
});
