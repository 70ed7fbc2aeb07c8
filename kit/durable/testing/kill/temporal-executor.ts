import { PATIENCE_MS } from '#testing/patience';
import type { TestNamespace } from '#testing/temporal/test-namespace';
import { openTemporalEngine } from '../../temporal/index.ts';
import { runExecutor } from './run-executor.ts';

/** Short, since tests have to wait until the work of each killed worker is taken over. */
const LOST_MS = 1_000;

await runExecutor(async ({ registry, place }) => {
  const { address, namespace } = place as unknown as TestNamespace;
  return await openTemporalEngine(
    {
      address,
      namespace,
      taskQueue: 'kill',
      registry,
      workflowModules: [new URL('./kill-workflows.ts', import.meta.url)],
      workerLostMs: LOST_MS,
      workflowTaskTimeoutMs: LOST_MS,
    },
    AbortSignal.timeout(PATIENCE_MS),
  );
});
