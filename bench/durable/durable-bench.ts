import type { Engine } from '#kit/storage';
import { DATABASES, freshDatabase } from '#testing/databases';
import { type Bench, type BenchContext, type Figure, plain } from '../figure.ts';
import { mirroredJournal, openJournal } from './mirrored-journal.ts';
import { bytesPerStep, fanOutFigure, stepFigures } from './step-figures.ts';
import { temporalFigures } from './temporal-figures.ts';
import { memoryFigures, resumeFigure } from './waiting-figures.ts';

/** Temporal takes about ten seconds more, and a quick run ends within 40. */
const TEMPORAL_BEFORE_MS = 15_000;

export const durableBench: Bench = {
  name: 'durable',
  description:
    'steps, fan-out, resume and memory of the embedded engine, compared with a raw journal that writes the same rows',
  run: async (context) => {
    const begun = performance.now();
    const figures: Figure[] = [];
    for (const engine of DATABASES) figures.push(...(await measure(engine, context)));
    figures.push(plain('memory: resident set with the embedded engine', process.memoryUsage.rss() / 2 ** 20, 'MiB'));
    if (context.quick && performance.now() - begun > TEMPORAL_BEFORE_MS) {
      context.log('Temporal: not measured, since a quick run has no time left for it on this machine');
      return figures;
    }
    return [...figures, ...(await temporalFigures(context))];
  },
};

async function measure(engine: Engine, context: BenchContext): Promise<Figure[]> {
  return [...(await besideRaw(engine, context)), ...(await whileWaiting(engine, context))];
}

async function besideRaw(engine: Engine, context: BenchContext): Promise<Figure[]> {
  const journal = await mirroredJournal(engine, context.signal);
  try {
    const steps = await stepFigures(journal, context);
    return [...steps, await fanOutFigure(journal, context), await bytesPerStep(journal, context)];
  } finally {
    await journal.close();
  }
}

async function whileWaiting(engine: Engine, context: BenchContext): Promise<Figure[]> {
  const [open, asleep] = [await freshDatabase(engine), await freshDatabase(engine)];
  const storage = await openJournal(open, context.signal);
  try {
    return [await resumeFigure(storage, context), ...(await memoryFigures(asleep, context))];
  } finally {
    await storage.close();
    await Promise.all([open.dispose(), asleep.dispose()]);
  }
}
