import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpMigrations } from '#kit/http';
import { sql } from '#kit/storage';
import { appendEvents, createEventLog, OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { createLogger } from '#kit/telemetry';
import { freshDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { maintenance } from './maintenance.ts';

const HOUR = 3_600_000;

test('what is old goes, what is young stays, and trouble only delays it', async (t) => {
  const database = await freshDatabase('sqlite');
  t.after(() => database.dispose());
  const storage = await database.open([OUTBOX_MIGRATIONS, httpMigrations]);
  const { signal } = new AbortController();
  const clock = new FakeClock();
  const now = clock.now();
  const event = (id: string, time: number) => ({ id, type: 'a', key: 'k', time, data: {} });
  await storage.commit(appendEvents([event('old', now - 2 * HOUR), event('young', now), event('last', now)]), signal);
  const expiring = sql`INSERT INTO http_idempotency (principal, idempotency_key, request_hash, expires_at)
    VALUES ('p', 'old', 'h', ${now}), ('p', 'young', 'h', ${now + HOUR})`;
  await storage.commit([expiring], signal);

  const stop = new AbortController();
  let lines = '';
  const log = createLogger({ level: 'warn', destination: { write: (line) => void (lines += line) } });
  let broken = true;
  const sometimesBroken: typeof storage = Object.create(storage, {
    commit: {
      value: (...args: Parameters<typeof storage.commit>) =>
        broken ? Promise.reject(new Error('no')) : storage.commit(...args),
    },
    get: { value: storage.get.bind(storage) },
    engine: { value: storage.engine },
  });
  let asked = 0;
  const purges = [{ name: 'others', run: async () => (asked += 1) }];
  const deps = { storage: sometimesBroken, eventRetentionMs: HOUR, purges, clock, sleep: clock.sleep, log };
  const running = maintenance(deps).run(stop.signal);

  await clock.untilSleeping();
  await clock.advance(60_000);
  await clock.untilSleeping();
  assert.match(lines, /purge failed; retrying/);
  assert.equal(asked, 0);
  broken = false;
  await clock.advance(10 * 60_000);
  await clock.untilSleeping();

  assert.equal(asked, 1, 'what others keep is purged, too');
  const events = await createEventLog(storage).readEvents({ after: 0, limit: 10 }, signal);
  assert.deepEqual(
    events.map(({ id }) => id),
    ['young', 'last'],
  );
  const keys = await storage.all<{ idempotency_key: string }>(
    sql`SELECT idempotency_key FROM http_idempotency`,
    signal,
  );
  assert.deepEqual(
    keys.map((row) => row.idempotency_key),
    ['young'],
  );
  stop.abort(new Error('enough'));
  await assert.rejects(running, /enough/);
});
