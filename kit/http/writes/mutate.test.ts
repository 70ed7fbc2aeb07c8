import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { Type } from 'typebox';
import { type Storage, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import {
  created,
  defineRoute,
  type HttpServer,
  httpMigrations,
  mutate,
  purgeIdempotencyKeys,
  type Route,
} from '../index.ts';
import { AS_ALICE, testServer } from '../testing/test-server.ts';
import { thingRoutes } from '../testing/thing-routes.ts';
import { insertThing, thingMigrations } from '../testing/thing-store.ts';
import { writeOrPreview } from './write-or-preview.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const signal = new AbortController().signal;

eachDatabase('writes', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  let server: HttpServer;
  const clock = new FakeClock();

  beforeEach(async () => {
    database = await fresh();
    storage = await database.open([httpMigrations, thingMigrations]);
    ({ server } = await testServer([...thingRoutes(storage), keyRoute(storage)], { clock }));
  });

  afterEach(async () => {
    await server.close(1000);
    await database.dispose();
  });

  const create = (key: string | undefined, body: object, { as = AS_ALICE, query = '' } = {}) =>
    server.inject({
      method: 'POST',
      url: `/v1/things${query}`,
      headers: { ...as, ...(key === undefined ? {} : { 'idempotency-key': key }) },
      payload: body,
    });
  const count = async (table: string) =>
    (await storage.get<{ n: number }>(sql`SELECT count(*) AS n FROM ${sql.raw(table)}`, signal))?.n;

  it('answers a repeated create as the first time, and creates once', async () => {
    const first = await create('k1', { name: 'lamp', color: 'red' });
    const again = await create('k1', { color: 'red', name: 'lamp' });
    assert.equal(first.statusCode, 201);
    assert.equal(first.headers['idempotency-replayed'], undefined);
    assert.equal(again.statusCode, 201);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    assert.equal(again.headers['location'], '/v1/things/lamp');
    assert.equal(again.headers['etag'], first.headers['etag']);
    assert.deepEqual(again.json(), first.json());
    assert.equal(await count('things'), 1);
  });

  it('refuses a key that belongs to another request', async () => {
    await create('k1', { name: 'lamp', color: 'red' });
    const other = await create('k1', { name: 'desk', color: 'red' });
    assert.equal(other.statusCode, 422);
    assert.equal(other.json().code, 'idempotencyKeyReused');
    assert.equal(await count('things'), 1);
  });

  it('keeps the keys of two principals apart', async () => {
    await create('k1', { name: 'lamp', color: 'red' });
    const bobs = await create('k1', { name: 'desk', color: 'red' }, { as: { authorization: 'Bearer bob' } });
    assert.equal(bobs.statusCode, 201);
  });

  it('does not replay to a narrowed token what a wide one was answered', async () => {
    const wide = await create('k1', { name: 'lamp', color: 'red' });
    const scoped = { kind: 'user', id: 'alice', scope: { within: 'things/desk' } };
    const { server: narrow } = await testServer(thingRoutes(storage), {
      clock,
      authenticator: { authenticate: async () => scoped },
    });
    const headers = { ...AS_ALICE, 'idempotency-key': 'k1' };
    const payload = { name: 'lamp', color: 'red' };
    const again = await narrow.inject({ method: 'POST', url: '/v1/things', headers, payload });
    await narrow.close(1000);
    assert.deepEqual([wide.statusCode, again.statusCode], [201, 409]);
    assert.equal(again.headers['idempotency-replayed'], undefined);
  });

  it('creates once when the same request comes many times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create('k1', { name: 'lamp', color: 'red' })));
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      Array(8).fill(201),
    );
    assert.equal(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length, 1);
    assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
    assert.equal(await count('things'), 1);
  });

  it('records nothing of a create that was refused, so that it can be repaired and sent again', async () => {
    await create(undefined, { name: 'lamp', color: 'red' });
    const refused = await create('k1', { name: 'lamp', color: 'green' });
    assert.equal(refused.statusCode, 409);
    assert.equal(refused.json().code, 'nameTaken');
    assert.equal((await create('k1', { name: 'desk', color: 'green' })).statusCode, 201);
  });

  it('does not repeat a secret', async () => {
    const make = () =>
      server.inject({ method: 'POST', url: '/v1/keys', headers: { ...AS_ALICE, 'idempotency-key': 'k1' } });
    assert.equal((await make()).statusCode, 201);
    const again = await make();
    assert.equal(again.statusCode, 409);
    assert.equal(again.json().code, 'secretAlreadyShown');
    const kept = await storage.get<{ answer: string | null }>(sql`SELECT answer FROM http_idempotency`, signal);
    assert.equal(kept?.answer, null);
  });

  it('shows what a dry run would do, and leaves nothing behind', async () => {
    const preview = await create('k1', { name: 'lamp', color: 'red' }, { query: '?dryRun=true' });
    assert.equal(preview.statusCode, 201);
    assert.equal(preview.json().name, 'lamp');
    assert.equal(await count('things'), 0);
    assert.equal(await count('http_idempotency'), 0);
    assert.equal((await create('k1', { name: 'lamp', color: 'red' })).headers['idempotency-replayed'], undefined);
    const taken = await create(undefined, { name: 'lamp', color: 'red' }, { query: '?dryRun=true' });
    assert.equal(taken.json().code, 'nameTaken');
  });

  it('gives the result of a preview, whatever it is', async () => {
    const body = async () => undefined;
    assert.equal(await writeOrPreview({ storage, dryRun: true }, body, signal), undefined);
    const broken = async (): Promise<never> => {
      throw new RangeError('mine');
    };
    await assert.rejects(writeOrPreview({ storage, dryRun: true }, broken, signal), RangeError);
  });

  it('forgets a key after a day', async () => {
    await create('k1', { name: 'lamp', color: 'red' });
    await create('k2', { name: 'desk', color: 'red' });
    clock.set(clock.now() + DAY_MS - 1);
    assert.equal((await create('k1', { name: 'lamp', color: 'red' })).headers['idempotency-replayed'], 'true');
    assert.equal(await purgeIdempotencyKeys(storage, clock.now(), signal), 0);
    clock.set(clock.now() + 1);
    assert.equal((await create('k1', { name: 'sofa', color: 'red' })).statusCode, 201);
    assert.equal(await purgeIdempotencyKeys(storage, clock.now(), signal), 1);
    assert.equal(await count('http_idempotency'), 1);
  });

  it('refuses a key that is no key', async () => {
    for (const key of ['', 'with space', 'x'.repeat(256), 'ümlaut']) {
      const answer = await create(key, { name: 'lamp', color: 'red' });
      assert.equal(answer.statusCode, 400, key);
      assert.equal(answer.json().faults[0].path, 'header/idempotency-key');
    }
    assert.equal((await create('x'.repeat(255), { name: 'lamp', color: 'red' })).statusCode, 201);
  });
});

function keyRoute(storage: Storage): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/keys',
    operationId: 'createKey',
    summary: 'Create a key',
    permission: 'keys.create',
    idempotency: 'secret',
    schema: { responses: { 201: Type.Object({ key: Type.String() }) } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        await insertThing(tx, `key-${request.id}`, 'red');
        return created({ key: 'once' }, '/v1/keys/1');
      }),
  });
}
