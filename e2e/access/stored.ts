import { join } from 'node:path';
import { openPostgres, openSqlite, type Storage } from '#kit/storage';
import { PATIENCE_MS } from '#testing/patience';
import type { PlatformHome } from '#testing/platform-process';
import { SCHEMA_MODULES } from '../../apps/platform/schema.ts';

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
