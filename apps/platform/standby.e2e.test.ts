import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DATABASES, freshDatabase } from '#testing/databases';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { resolvePlatformConfig } from './config.ts';
import { runPlatform } from './run.ts';

const skip = !DATABASES.includes('postgres') && 'only Postgres takes several processes';

test('of two processes one executes; the other stands by, ready, and takes over', { skip }, async (t) => {
  const database = await freshDatabase('postgres');
  t.after(() => database.dispose());
  assert.equal(database.engine, 'postgres');
  const keys = await mkdtemp(join(tmpdir(), 'fleetshift-standby-keys-'));
  t.after(() => rm(keys, { recursive: true, force: true }));
  const shared = { url: database.url, keyFile: join(keys, 'keys.json') };
  const first = await start(t, shared);
  await says(first, 'executing');
  const second = await start(t, shared);
  await says(second, 'standing by');
  await first.stop();
  await says(second, 'executing');
  await second.stop();
});

interface Running {
  readonly address: string;
  stop(): Promise<void>;
}

/** A request to a process that is not ready fails. */
async function says(platform: Running, wanted: string): Promise<void> {
  await eventually(`"${wanted}"`, async () => {
    const answer = await fetch(`${platform.address}/readyz`);
    assert.equal(answer.status, 200);
    const { probes } = (await answer.json()) as { probes: { name: string; message?: string }[] };
    return probes.find(({ name }) => name === 'workflows')?.message === wanted;
  });
}

async function start(t: TestContext, { url, keyFile }: { url: string; keyFile: string }): Promise<Running> {
  const data = await mkdtemp(join(tmpdir(), 'fleetshift-standby-'));
  const args = ['--data', data, '--listen', '127.0.0.1:0', '--tls-listen', 'none', '--key-file', keyFile];
  const environment = { FLEETSHIFT_DATABASE: url };
  const { values: config } = resolvePlatformConfig({ args, environment, readText: () => '' });
  const asked = new AbortController();
  const serving = Promise.withResolvers<string>();
  const write = (line: string): void => {
    const { msg, address } = JSON.parse(line) as { msg: string; address?: string[] };
    if (msg === 'serving') serving.resolve(address?.[0] ?? '');
  };
  const ended = runPlatform({ config, version: '1.2.3', environment, err: { write, isTerminal: false } }, asked.signal);
  ended.catch(serving.reject);
  const stop = async (): Promise<void> => {
    asked.abort(new Error('enough'));
    await ended;
  };
  t.after(async () => {
    await stop();
    await rm(data, { recursive: true, force: true });
  });
  return { address: await serving.promise, stop };
}
