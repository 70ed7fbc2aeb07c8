import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openPostgres, openSqlite, type Storage, sql } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import type { Ended, PlatformHome, StartOptions } from '#testing/platform-process';
import { homeFor } from './home-for.ts';

describe('a setting that is wrong', () => {
  const rows: { why: string; options: StartOptions; says: RegExp }[] = [
    {
      why: 'by flag',
      options: { flags: ['--rate-limit', 'often'] },
      says: /--rate-limit: "often" is not a whole number/,
    },
    {
      why: 'by variable',
      options: { environment: { FLEETSHIFT_BODY_LIMIT: 'huge' } },
      says: /body-limit \(environment variable FLEETSHIFT_BODY_LIMIT\): "huge" is not a size/,
    },
    {
      why: 'plain HTTP beyond loopback',
      options: { flags: ['--listen', '0.0.0.0:0'] },
      says: /--listen: 0\.0\.0\.0 is beyond loopback.*--tls-listen.*--insecure-http/,
    },
  ];
  for (const { why, options, says } of rows) {
    it(`stops the start with 2, and is named with its source: ${why}`, async (t) => {
      const home = await homeFor(t);
      const { code, said } = await refusalOf(home, options);
      assert.match(said, says);
      assert.equal(code, 2);
    });
  }

  it('in a file is named with its line', async (t) => {
    const home = await homeFor(t);
    const file = join(home.data, '..', 'settings.yaml');
    await writeFile(file, '# ours\nlog-level: loud\n');
    const { code, said } = await refusalOf(home, { flags: ['--config', file] });
    assert.ok(said.includes(`log-level (${file} line 2): "loud"`), said);
    assert.equal(code, 2);
  });
});

describe('a data folder in use', () => {
  it('refuses the second process with the pid of the first, which goes on', async (t) => {
    const home = await homeFor(t);
    const first = await home.start();
    const { code, said } = await refusalOf(home);
    assert.equal(code, 1);
    assert.match(said, new RegExp(`the data folder ${home.data} is in use by process ${first.pid} on .*--data`));
    assert.equal(said.trim().split('\n').length, 1, 'one sentence, and no stack');
    assert.equal((await first.request('/readyz')).status, 200);
  });

  it('is free again at once after kill -9', async (t) => {
    const home = await homeFor(t);
    await (await home.start()).kill();
    await home.start();
  });
});

describe('a database of a newer release', () => {
  for (const engine of DATABASES) {
    it(`is refused and left as it is, on ${engine}`, async (t) => {
      const home = await homeFor(t, engine);
      await (await home.start()).stop();
      await inDatabase(home, (storage, signal) => storage.commit([FROM_THE_FUTURE], signal));

      const { code, said } = await refusalOf(home);
      assert.equal(code, 1);
      assert.match(said, /workspaces tables are at 99 and need a release that knows at least 98; this one knows \d+/);
      assert.match(said, /Start the newer release, or restore the snapshot/);
      assert.equal(said.trim().split('\n').length, 1, 'one sentence, and no stack');

      await inDatabase(home, (storage, signal) =>
        storage.commit([sql`DELETE FROM schema_migrations WHERE number = 99`], signal),
      );
      await home.start();
    });
  }
});

async function refusalOf(home: PlatformHome, options: StartOptions = {}): Promise<Ended> {
  const started = home.spawn(options);
  await assert.rejects(started.ready(), 'it was not refused');
  return await started.ended;
}

const FROM_THE_FUTURE = sql`
  INSERT INTO schema_migrations (module, number, name, checksum, compatible_from, applied_at)
  VALUES ('workspaces', 99, 'from the future', 'x', 98, 0)`;

async function inDatabase(
  { data, database }: PlatformHome,
  work: (storage: Storage, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const storage =
    database === 'sqlite'
      ? await openSqlite({ file: join(data, 'fleetshift.db'), modules: [] }, signal)
      : await openPostgres({ url: database, modules: [] }, signal);
  try {
    await work(storage, signal);
  } finally {
    await storage.close();
  }
}
