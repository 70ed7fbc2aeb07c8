import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { DATABASES } from '#testing/databases';
import type { Platform } from '#testing/platform-process';
import { type PostgresServer, startPostgres } from '#testing/postgres';
import { eventually } from '../kit/durable/testing/eventually.ts';
import { deployGreeting, directoryEdge, holds, isConnected, OVER_HTTPS } from './directory-edge.ts';
import { followEvents } from './follow-events.ts';
import { homeFor } from './home-for.ts';

const skip = !DATABASES.includes('postgres') && 'only Postgres fails over';

test('while Postgres takes no writes they are 503, all else goes on, and it recovers by itself', {
  skip,
}, async (t) => {
  const server = await startPostgres();
  t.after(() => server.stop());
  const home = await homeFor(t);
  const platform = await home.start({ flags: OVER_HTTPS, environment: { FLEETSHIFT_DATABASE: server.url } });
  const edge = await directoryEdge(t, home, platform);
  const events = await openEvents(platform);
  assert.equal((await create(platform, 'at-first')).status, 201);
  assert.equal(await events.next(), 'at-first');

  await execute(server, 'ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()');
  await goesOnReadOnly(platform);
  assert.doesNotMatch(platform.said(), /fleetlet disconnected/);
  await execute(server, 'ALTER SYSTEM SET default_transaction_read_only = off', 'SELECT pg_reload_conf()');
  await eventually('a write', async () => (await create(platform, 'after-read-only')).status === 201);
  assert.equal(await events.next(), 'after-read-only', 'the stream that was open goes on');

  await server.becomeStandby();
  await goesOnReadOnly(platform);
  await execute(server, 'SELECT pg_promote()');
  await eventually('a write', async () => (await create(platform, 'after-failover')).status === 201);
  assert.equal(await events.next(), 'after-failover');
  await events.close();
  await deployGreeting(platform, 'hello');
  await holds(edge, 'hello');
  await eventually(
    'is ready',
    async () => ((await (await platform.request('/readyz')).json()) as { status: string }).status === 'ready',
  );
});

async function goesOnReadOnly(platform: Platform): Promise<void> {
  await eventually('a write is refused as read-only', async () => (await refusalOf(platform)) === 'databaseReadOnly');
  // More than one attempt of the loops that write.
  const isRefused = /DATABASE_READ_ONLY.*workflow execution interrupted/g;
  const before = platform.said().match(isRefused)?.length ?? 0;
  await eventually('loops try again', () => (platform.said().match(isRefused)?.length ?? 0) > before + 1);
  assert.equal(await refusalOf(platform), 'databaseReadOnly');
  const read = await platform.request('/v1/workspaces/at-first');
  assert.equal(read.status, 200, await read.text());
  await isConnected(platform);
  const ready = await platform.request('/readyz');
  const { status, probes } = (await ready.json()) as { status: string; probes: { name: string; status: string }[] };
  const failing = probes.filter((probe) => probe.status === 'failing').map(({ name }) => name);
  assert.deepEqual([ready.status, status, failing], [200, 'degraded', ['writes']], 'load balancers keep every replica');
  assert.match(await (await platform.request('/metrics')).text(), /^fleetshift_writes_refused 1$/m);
}

async function create(platform: Platform, name: string): Promise<Response> {
  return await platform.request('/v1/workspaces', { method: 'POST', body: { name } });
}

/** The code with which a write is refused for now; a server that restarts refuses it with other codes. */
async function refusalOf(platform: Platform): Promise<string> {
  const answer = await create(platform, 'refused');
  assert.equal(answer.status, 503);
  return ((await answer.json()) as { readonly code: string }).code;
}

interface Events {
  next(): Promise<string | undefined>;
  close(): Promise<unknown>;
}

async function openEvents(platform: Platform): Promise<Events> {
  const stream = followEvents(platform, '?from=beginning&types=workspace.created');
  const over = platform.ended.then(({ said }) => assert.fail(`the platform ended\n${said}`));
  over.catch(() => {});
  const next = async (): Promise<string | undefined> => (await Promise.race([stream.next(), over])).value?.workspace;
  return { next, close: () => stream.return(undefined) };
}

async function execute({ url }: PostgresServer, ...statements: readonly string[]): Promise<void> {
  const administrator = new Client({ connectionString: url });
  await administrator.connect();
  try {
    for (const statement of statements) await administrator.query(statement);
  } finally {
    await administrator.end();
  }
}
