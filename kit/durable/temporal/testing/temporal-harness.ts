import { PATIENCE_MS } from '../../../../testing/patience.ts';
import type { TestNamespace } from '../../../../testing/temporal/test-namespace.ts';
import type { EngineHarness, OpenEngine, TestRegistry } from '../../testing/engine-harness.ts';
import { openTemporalEngine, type TemporalEngine } from '../index.ts';

/**
 * The engine on a separate namespace. Timeouts for lost workers are as short as tests can bear.
 *
 * Bundling takes most of a second, so an engine is created once for each set of workflows, and run whenever it is
 * opened.
 */
export function temporalHarness({ address, namespace }: TestNamespace): EngineHarness {
  const engines = new Map<string, Promise<TemporalEngine>>();
  const opened = new Set<OpenEngine>();

  const engineFor = (registry: TestRegistry): Promise<TemporalEngine> =>
    openTemporalEngine(
      {
        address,
        namespace,
        taskQueue: 'tests',
        registry,
        workflowModules: [registry.module],
        workerLostMs: 3_000,
        workflowTaskTimeoutMs: 2_000,
      },
      AbortSignal.timeout(PATIENCE_MS),
    );

  return {
    open: async (registry) => {
      const opening = engines.get(registry.module.href) ?? engineFor(registry);
      engines.set(registry.module.href, opening);
      const engine = await opening;
      const stop = new AbortController();
      const running = engine.run(stop.signal);
      const open: OpenEngine = {
        client: engine.client,
        stop: async () => {
          if (!opened.delete(open)) return;
          stop.abort(new Error('the engine is stopped'));
          await running;
        },
      };
      opened.add(open);
      return open;
    },
    dispose: async () => {
      await Promise.all([...opened].map((open) => open.stop()));
      await Promise.all([...engines.values()].map(async (engine) => (await engine).close()));
    },
  };
}
