import { PATIENCE_MS } from '../../../../testing/patience.ts';
import { implementActivity } from '../../index.ts';
import { openTemporalEngine } from '../index.ts';
import { once, task } from './workflows.ts';

/**
 * A worker in a separate process: reports that an attempt has begun, and never ends it. Its arguments are the address
 * and namespace of Temporal.
 */
const [, , address = '', namespace = ''] = process.argv;
const engine = await openTemporalEngine(
  {
    address,
    namespace,
    taskQueue: 'tests',
    registry: {
      workflows: [task],
      activities: [
        implementActivity(once, async (key) => {
          process.stdout.write(`began ${key}\n`);
          return await new Promise(() => {});
        }),
      ],
    },
    workflowModules: [new URL('./workflows.ts', import.meta.url)],
    workerLostMs: 2_000,
    workflowTaskTimeoutMs: 2_000,
  },
  AbortSignal.timeout(PATIENCE_MS),
);
await engine.run(new AbortController().signal);
