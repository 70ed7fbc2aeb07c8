import { sql } from '#kit/storage';
import type { PlatformHome } from '#testing/platform-process';
import { withStorage } from '../../e2e/access/stored.ts';

/** The bytes of all events about deployments in the log of a platform that is stopped. */
export async function eventBytes(home: PlatformHome): Promise<number> {
  const about = sql`SELECT sum(length(data)) AS bytes FROM outbox_log WHERE key LIKE ${'%/deployments/%'}`;
  const total = await withStorage(home, (storage) => storage.get(about, AbortSignal.timeout(60_000)));
  return Number(total?.['bytes']);
}
