import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres, openSqlite, type Storage } from '#kit/storage';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { PATIENCE_MS } from '#testing/patience';
import type { PlatformHome } from '#testing/platform-process';
import { runCommand } from '../../apps/cli/testing/processes.ts';

/** Encrypts the backups made here. */
export const PASSPHRASE = 'correct horse battery staple';
const KEEPERS = /\/(admin-token|keys\.json|tls\/[\w.-]+\.key|passphrase)$/;

/** A file meant to hold a secret, readable by its owner only. */
export function isKeeper(path: string): boolean {
  return KEEPERS.test(path);
}

/** Makes an encrypted backup and returns its path. */
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

/** Opens the database of a stopped platform. */
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
