import { join } from 'node:path';
import { createEmbeddedEngine, DURABLE_MIGRATIONS } from '#kit/durable/embedded';
import { openSqlite } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { PATIENCE_MS } from '#testing/patience';
import { ERRAND_WORKFLOWS, forgotten } from '../../platform/testing/errand-workflows.ts';
import { errand, listener, nap, parent, stumble } from '../../platform/testing/errands.ts';

/** Writes workflows of every kind into the database of a platform that was not started yet. */
export async function seedWorkflows(data: string): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const storage = await openSqlite(
    { file: join(data, 'fleetshift.db'), modules: [LEASE_MIGRATIONS, DURABLE_MIGRATIONS] },
    signal,
  );
  const { client } = createEmbeddedEngine({ storage, registry: ERRAND_WORKFLOWS });
  await client.start(errand, { id: 'done', input: { things: ['pear', 'plum'] } }, signal);
  await client.start(stumble, { id: 'failed', input: null }, signal);
  await client.start(errand, { id: 'retrying', input: { things: ['moonlight'] } }, signal);
  await client.start(listener, { id: 'listening', input: null }, signal);
  await client.start(nap, { id: 'napping', input: { ms: 3_600_000 } }, signal);
  await client.start(parent, { id: 'parent', input: null }, signal);
  await client.start(forgotten, { id: 'lost', input: null }, signal);
  await storage.close();
}
