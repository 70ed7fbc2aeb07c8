import { createEmbeddedEngine, DURABLE_MIGRATIONS, type EmbeddedEngineOptions } from '#kit/durable/embedded';
import type { Engine } from '#kit/storage';
import { freshDatabase } from '#testing/databases';
import type { EngineHarness, OpenEngine, TestRegistry } from './engine-harness.ts';

/** A test that restarts the engine would wait so long for a lease that nobody holds any more. */
const LEASE_MS = 150;

type Settings = Omit<EmbeddedEngineOptions, 'storage' | 'registry'>;

/** The embedded engine on an empty database of its own. */
export async function embeddedHarness(engine: Engine, settings: Settings = {}): Promise<EngineHarness> {
  const database = await freshDatabase(engine);
  return {
    open: async (registry: TestRegistry): Promise<OpenEngine> => {
      const storage = await database.open([DURABLE_MIGRATIONS]);
      const durable = createEmbeddedEngine({ leaseMs: LEASE_MS, ...settings, storage, registry });
      const stop = new AbortController();
      const ended = durable.run(stop.signal);
      // A test that waits for what an engine no longer does is told by `stop` what ended it.
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
