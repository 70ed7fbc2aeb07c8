import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import { type HttpServer, httpMigrations } from '../index.ts';
import { AS_ALICE, testServer } from './test-server.ts';
import { thingRoutes } from './thing-routes.ts';
import { thingMigrations } from './thing-store.ts';

describe('a resource', () => {
  let database: TestDatabase;
  let server: HttpServer;
  before(async () => {
    database = await freshDatabase('sqlite');
    ({ server } = await testServer(thingRoutes(await database.open([httpMigrations, thingMigrations]))));
  });
  after(async () => {
    await server.close(1000);
    await database.dispose();
  });

  const send = (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    { payload, ...headers }: Record<string, string | object> = {},
  ) =>
    server.inject({
      method,
      url,
      headers: { ...AS_ALICE, ...(headers as Record<string, string>) },
      ...(payload === undefined ? {} : { payload }),
    });

  it('lives from its creation until it is deleted', async () => {
    const created = await send('POST', '/v1/things', { payload: { name: 'lamp', color: 'red' } });
    assert.equal(created.statusCode, 201);
    assert.equal(created.headers['location'], '/v1/things/lamp');
    const first = String(created.headers['etag']);
    assert.equal(first, `"${created.json().etag}"`);

    const read = await send('GET', '/v1/things/lamp');
    assert.deepEqual(read.json(), created.json());
    assert.equal((await send('GET', '/v1/things/lamp', { 'if-none-match': first })).statusCode, 304);

    const painted = await send('POST', '/v1/things/lamp:paint', { payload: { color: 'green' }, 'if-match': first });
    assert.equal(painted.statusCode, 200);
    assert.notEqual(painted.headers['etag'], first);
    const stale = await send('POST', '/v1/things/lamp:paint', { payload: { color: 'red' }, 'if-match': first });
    assert.deepEqual([stale.statusCode, stale.json().currentEtag], [412, painted.json().etag]);

    const green = await send('GET', '/v1/things?filter=color%20%3D%3D%20%22green%22');
    assert.deepEqual(green.json(), { items: [painted.json()] });

    assert.equal((await send('DELETE', '/v1/things/lamp')).json().code, 'preconditionRequired');
    const preview = await send('DELETE', '/v1/things/lamp?dryRun=true', { 'if-match': '*' });
    assert.equal(preview.statusCode, 204);
    assert.equal((await send('GET', '/v1/things/lamp')).statusCode, 200);
    assert.equal((await send('DELETE', '/v1/things/lamp', { 'if-match': '*' })).statusCode, 204);
    const gone = await send('GET', '/v1/things/lamp');
    assert.deepEqual([gone.statusCode, gone.json().code], [404, 'thingNotFound']);
  });

  it('is written as the README shows it', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const shown = /```ts thing-routes\n(.*?)```/s.exec(readme)?.[1];
    const source = readFileSync(new URL('./thing-routes.ts', import.meta.url), 'utf8').replace(
      "'../index.ts'",
      "'#kit/http'",
    );
    assert.equal(shown, source);
  });
});
