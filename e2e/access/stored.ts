import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres, openSqlite, type Storage } from '#kit/storage';
import { PATIENCE_MS } from '#testing/patience';
import type { PlatformHome } from '#testing/platform-process';
import { runCommand } from '../../apps/cli/testing/processes.ts';
import { SCHEMA_MODULES } from '../../apps/platform/schema.ts';

/** Of the backups that are made here. */
export const PASSPHRASE = 'correct horse battery staple';
const KEEPERS = /\/(admin-token|keys\.json|tls\/[\w.-]+\.key|passphrase)$/;

/** A file that is there to hold a secret, for its owner alone. */
export function isKeeper(path: string): boolean {
  return KEEPERS.test(path);
}

/** The file of an encrypted backup. */
export async function takeBackup({ data, database }: PlatformHome): Promise<string> {
  const passphrase = join(data, '..', 'passphrase');
  await writeFile(passphrase, `${PASSPHRASE}\n`, { mode: 0o600 });
  const out = join(data, '..', 'backup');
  const { code, err } = await runCommand(['backup', '--data', data, '--out', out, '--passphrase-file', passphrase], {
    FLEETSHIFT_DATABASE: database,
  });
  assert.equal(code, 0, err);
  return out;
}

/** Looks into the database of a platform that has stopped. */
export async function withStorage<T>(home: PlatformHome, look: (storage: Storage) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const storage =
    home.database === 'sqlite'
      ? await openSqlite({ file: join(home.data, 'fleetshift.db'), modules: SCHEMA_MODULES }, signal)
      : await openPostgres({ url: home.database, modules: SCHEMA_MODULES }, signal);
  try {
    return await look(storage);
  } finally {
    await storage.close();
  }
}
