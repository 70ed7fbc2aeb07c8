import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openKeyRing, Sealer } from '#kit/sealing';
import { systemClock } from '#kit/std';
import { openPostgres } from '#kit/storage';
import { findInstanceSecret } from '#runtime/instance/instance-secret';
import { DATABASES } from '#testing/databases';
import { leaksInDatabase, leaksInFiles, leaksInText, type NamedSecrets } from '#testing/leaks';
import { PATIENCE_MS } from '#testing/patience';
import type { PlatformHome } from '#testing/platform-process';
import { homeFor } from '../home-for.ts';
import { isKeeper, PASSPHRASE, takeBackup, withStorage } from './stored.ts';
import { usePlatform } from './used-platform.ts';

for (const engine of DATABASES) {
  describe(`a platform that was used, on ${engine}`, () => {
    it('has no token, key, code or secret in the clear: database, its log of writes, logs, backup', async (t) => {
      const home = await homeFor(t, engine);
      const platform = await home.start({ flags: ['--log-level', 'debug'] });
      const { oidc, secrets: used } = await usePlatform(platform, home);
      t.after(() => oidc.close());
      const backup = await takeBackup(home);
      const secrets = { ...used, passphrase: PASSPHRASE, ...(await keysOf(home)) };
      // Killed rather than stopped, so that the database's write-ahead log stays in place and is searched too.
      const { said } = await platform.kill();

      assert.deepEqual(leaksInText('log', said, secrets), []);
      assert.deepEqual(await leaksInFiles([home.data, backup], secrets, isKeeper), []);
      const signal = AbortSignal.timeout(PATIENCE_MS);
      assert.deepEqual(await withStorage(home, (storage) => leaksInDatabase(storage, secrets, signal)), []);
      // Checks the search itself: the admin token is found in the file that is meant to hold it.
      const [found] = await leaksInFiles([join(home.data, 'admin-token')], secrets);
      assert.equal(found?.secret, 'admin token');
    });
  });
}

/** On Postgres the key of the authority is sealed in the database. */
async function sharedKey(url: string, data: string): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const storage = await openPostgres({ url, modules: [] }, signal);
  try {
    const keys = await openKeyRing({ file: join(data, 'keys.json'), storage, clock: systemClock }, signal);
    const found = await findInstanceSecret({ storage, sealer: new Sealer(keys) }, 'server-authority', signal);
    return (JSON.parse(Buffer.from(found ?? []).toString('utf8')) as { key: string }).key;
  } finally {
    await storage.close();
  }
}

/** The key that seals stored secrets, and the keys that sign certificates. */
async function keysOf({ data, database }: PlatformHome): Promise<NamedSecrets> {
  const sealing = await readFile(join(data, 'keys.json'), 'utf8');
  const longest = [...sealing.matchAll(/"([A-Za-z0-9+/_=-]{40,})"/g)].map(([, key = '']) => key);
  assert.ok(longest.length > 0, 'the file of keys has keys');
  const isShared = database !== 'sqlite';
  const authority = isShared ? await sharedKey(database, data) : await readFile(join(data, 'tls', 'ca.key'), 'utf8');
  const lines = authority.split('\n').filter((line) => line.length > 40);
  return {
    ...Object.fromEntries(longest.map((key, index) => [`sealing key ${index}`, key])),
    ...Object.fromEntries(lines.map((line, index) => [`line ${index} of the authority's key`, line])),
  };
}
