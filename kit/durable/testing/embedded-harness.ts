import { createEmbeddedEngine, DURABLE_MIGRATIONS, type EmbeddedEngineOptions } from '#kit/durable/embedded';
import type { Engine } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { freshDatabase } from '#testing/databases';
import type { EngineHarness, OpenEngine, TestRegistry } from './engine-harness.ts';

/**
 * A test that restarts the engine waits this long for the abandoned lease. On a busy machine a shorter one is lost in the middle of
 * a test, with the activities that run.
 */
const LEASE_MS = 600;

type Settings = Omit<EmbeddedEngineOptions, 'storage' | 'registry'>;

/** The embedded engine on an empty database. */
export async function embeddedHarness(engine: Engine, settings: Settings = {}): Promise<EngineHarness> {
  const database = await freshDatabase(engine);
  return {
    open: async (registry: TestRegistry): Promise<OpenEngine> => {
      const storage = await database.open([LEASE_MIGRATIONS, DURABLE_MIGRATIONS]);
      const durable = createEmbeddedEngine({ leaseMs: LEASE_MS, ...settings, storage, registry });
      const stop = new AbortController();
      const ended = durable.run(stop.signal);
      // `stop` reports what ended the engine to a test that waits in vain.
      ended.catch(() => {});
      return {
        client: durable.client,
        stop: async () => {
          stop.abort(new Error('the test stops the engine'));
          await ended;
          await storage.close();
        },
      };
    },
    dispose: () => database.dispose(),
  };
}
