import { join } from 'node:path';
import { openPostgres, openSqlite, sql } from '#kit/storage';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import type { PlatformHome } from '#testing/platform-process';

/** The bytes of all events about deployments in the log of a platform that is stopped. */
export async function eventBytes({ data, database }: PlatformHome): Promise<number> {
  const signal = AbortSignal.timeout(60_000);
  const storage =
    database === 'sqlite'
      ? await openSqlite({ file: join(data, 'fleetshift.db'), modules: SCHEMA_MODULES }, signal)
      : await openPostgres({ url: database, modules: SCHEMA_MODULES }, signal);
  try {
    const [total] = await storage.all(
      sql`SELECT sum(length(data)) AS bytes FROM outbox WHERE key LIKE ${'%/deployments/%'}`,
      signal,
    );
    return Number(total?.['bytes']);
  } finally {
    await storage.close();
  }
}
