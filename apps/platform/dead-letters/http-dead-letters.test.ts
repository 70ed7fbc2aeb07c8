import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Storage, sql } from '#kit/storage';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { freshDatabase } from '#testing/databases';
import { testServer } from '../../../kit/http/testing/test-server.ts';
import { deadLetterRoutes } from './http-dead-letters.ts';

const MESSAGE = sql`
  INSERT INTO dead_letters (source, subject, code, messages, last_error, last_payload, first_time, last_time)
  VALUES ('status', 'targets/a', 'RangeError', 3, 'too large', 'c2VjcmV0', 1, 2)`;
const EVENT = sql`
  INSERT INTO outbox_dead_letters (position, consumer, key, attempts, last_error, failed_at)
  VALUES (17, 'followers', 'targets/m', 10, 'the database was away', 5)`;

async function aServer(t: { after(end: () => Promise<void>): void; readonly signal: AbortSignal }) {
  const database = await freshDatabase('sqlite');
  t.after(() => database.dispose());
  const storage: Storage = await database.open(SCHEMA_MODULES);
  await storage.commit([MESSAGE, EVENT], t.signal);
  const { server } = await testServer(deadLetterRoutes(storage));
  t.after(() => server.close(1_000));
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, want: number) => {
    const answer = await server.inject({
      method,
      url: `/v1/dead-letters${path}`,
      headers: { authorization: 'Bearer alice' },
    });
    assert.equal(answer.statusCode, want, answer.body);
    return answer.body === '' ? {} : (answer.json() as Record<string, unknown>);
  };
  const list = async () =>
    (await ask('GET', '', 200))['items'] as { name: string; source: string; replayable: boolean }[];
  return { ask, list };
}

it('shows letters of every source, and not the messages', async (t) => {
  const { ask, list } = await aServer(t);
  const letters = await list();
  assert.deepEqual(
    letters.map(({ source, replayable }) => [source, replayable]),
    [
      ['outbox', true],
      ['status', false],
    ],
  );
  const one = await ask('GET', `/${letters[1]?.name}`, 200);
  assert.partialDeepStrictEqual(one, { subject: 'targets/a', code: 'RangeError', messages: 3, lastError: 'too large' });
  assert.ok(!JSON.stringify(one).includes('c2VjcmV0'));
});

it('replays an event, and tells that a message cannot be', async (t) => {
  const { ask, list } = await aServer(t);
  const [event, message] = await list();
  await ask('POST', `/${event?.name}:replay?dryRun=true`, 200);
  assert.equal((await list()).length, 2, 'a dry run changes nothing');
  await ask('POST', `/${event?.name}:replay`, 200);
  await ask('POST', `/${event?.name}:replay`, 404);
  assert.equal((await ask('POST', `/${message?.name}:replay`, 409))['code'], 'deadLetterNotReplayable');
  assert.equal((await list()).length, 1);
});

it('discards what is named, and nothing for a name that is none', async (t) => {
  const { ask, list } = await aServer(t);
  for (const name of ['nothing', 'W10', Buffer.from('["status","targets/a\\u0000","x"]').toString('base64url')]) {
    await ask('DELETE', `/${name}`, 404);
  }
  for (const { name } of await list()) await ask('DELETE', `/${name}`, 204);
  assert.deepEqual(await list(), []);
});
