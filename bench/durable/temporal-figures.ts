import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Payload, Workflow, WorkflowClient } from '#kit/durable';
import { openTemporalEngine } from '#kit/durable/temporal';
import { ENGINE_FOLDER } from '#testing/temporal/install-sdk';
import { freshNamespace } from '#testing/temporal/test-namespace';
import { hasProgram } from '#testing/test-programs';
import { type BenchContext, type Figure, plain } from '../figure.ts';
import { asleep, fanned, stepByStep } from './bench-workflows.ts';
import { StepClock } from './step-clock.ts';

/** The same workflows on Temporal, if its server is already built: a bench builds none. */
export async function temporalFigures(context: BenchContext): Promise<Figure[]> {
  const missing = whatIsMissing();
  if (missing !== undefined) {
    context.log(`Temporal: not measured, since ${missing}; \`npm test -- kit/durable/temporal\` brings it`);
    return [];
  }
  const place = await freshNamespace();
  if (place === undefined) return [];
  const clock = new StepClock();
  const engine = await openTemporalEngine(
    {
      ...place,
      taskQueue: 'bench',
      registry: { workflows: [stepByStep, fanned, asleep], activities: [clock.activity] },
      workflowModules: [new URL('./bench-workflows.ts', import.meta.url)],
    },
    context.signal,
  );
  const stop = new AbortController();
  const running = engine.run(AbortSignal.any([context.signal, stop.signal]));
  try {
    return await measure({ client: engine.client, clock }, context);
  } finally {
    stop.abort();
    await running;
    await engine.close();
  }
}

async function measure(
  { client, clock }: { readonly client: WorkflowClient; readonly clock: StepClock },
  context: BenchContext,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { width, steps } of context.quick ? QUICK : FULL) {
    clock.reset();
    const input = (index: number): Payload => ({ steps, from: StepClock.from(index) });
    const rate = await perSecond(client, { workflow: stepByStep, width, input, steps }, context);
    const name = `temporal: steps, ${width} workflows at once`;
    figures.push(plain(name, rate, 'steps/s'), ...clock.figures(name));
  }
  const keys = context.quick ? 300 : 5_000;
  const fan = { workflow: fanned, width: 1, input: () => ({ keys, concurrency: 100 }), steps: keys };
  const name = `temporal: one workflow fans out to ${keys} keys, 100 at once`;
  return [...figures, plain(name, await perSecond(client, fan, context), 'keys/s')];
}

const QUICK = [
  { width: 1, steps: 10 },
  { width: 50, steps: 4 },
];
const FULL = [
  { width: 1, steps: 200 },
  { width: 50, steps: 40 },
  { width: 1_000, steps: 4 },
];

interface Load {
  readonly workflow: Workflow<never, Payload>;
  readonly width: number;
  readonly input: (index: number) => Payload;
  /** Steps of each. */
  readonly steps: number;
}

async function perSecond(client: WorkflowClient, load: Load, context: BenchContext): Promise<number> {
  const { workflow, width, input, steps } = load;
  const { signal } = context;
  const ids = Array.from({ length: width }, (_, index) => `${workflow.name}-${width}-${index}`);
  const begun = performance.now();
  await Promise.all(ids.map((id, index) => client.start(workflow, { id, input: input(index) as never }, signal)));
  await Promise.all(ids.map((id) => client.result(id, signal)));
  const rate = (width * steps) / ((performance.now() - begun) / 1_000);
  context.log(`temporal: ${workflow.name}, ${width} at once: ${Math.round(rate)}/s`);
  return rate;
}

function whatIsMissing(): string | undefined {
  if (!hasProgram('temporal-server', process.env)) return 'its server is not built';
  if (!existsSync(join(ENGINE_FOLDER, 'node_modules', '@temporalio'))) return 'its package is not installed';
  return undefined;
}
