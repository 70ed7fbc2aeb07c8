import type { TestNamespace } from '../../../../testing/temporal/test-namespace.ts';
import type { EngineHarness, OpenEngine, TestRegistry } from '../../testing/engine-harness.ts';
import { openTemporalEngine } from '../index.ts';

const OPEN_MS = 60_000;

/** The engine on a namespace of its own. Workers are given up for lost as soon as a test can bear. */
export function temporalHarness({ address, namespace }: TestNamespace): EngineHarness {
  const opened = new Set<OpenEngine>();
  return {
    open: async (registry: TestRegistry) => {
      const engine = await openTemporalEngine(
        {
          address,
          namespace,
          taskQueue: 'tests',
          registry,
          workflowModules: [registry.module],
          workerLostMs: 3_000,
          workflowTaskTimeoutMs: 2_000,
        },
        AbortSignal.timeout(OPEN_MS),
      );
      const stop = new AbortController();
      const running = engine.run(stop.signal);
      const open: OpenEngine = {
        client: engine.client,
        stop: async () => {
          if (!opened.delete(open)) return;
          stop.abort(new Error('the engine is stopped'));
          await running;
          await engine.close();
        },
      };
      opened.add(open);
      return open;
    },
    dispose: async () => {
      await Promise.all([...opened].map((open) => open.stop()));
    },
  };
}
