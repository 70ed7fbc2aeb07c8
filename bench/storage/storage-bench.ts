import { type Engine, openPostgres, openSqlite } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { DATABASES, freshDatabase } from '#testing/databases';
import type { Bench, BenchContext, Figure } from '../figure.ts';
import { cost, plain, rate } from '../figure.ts';
import { interleaved, percentile, pooled } from '../statistics.ts';
import { ourSubject } from './ours.ts';
import { outboxFigures } from './outbox-figures.ts';
import { rawPostgres } from './raw-postgres.ts';
import { rawSqlite } from './raw-sqlite.ts';
import type { Subject } from './subject.ts';
import { change, LONG_WRITE_ROWS, longWrite, pointRead, WORKLOAD } from './workload.ts';

const GOAL = 1.5;
const MODULES = [WORKLOAD, OUTBOX_MIGRATIONS];

/** Rows of all runs have different ids, so that both subjects can share one database. */
let nextId = 1;

export const storageBench: Bench = {
  name: 'storage',
  description: 'write transactions, outbox events and reads during a long write, compared with the raw driver',
  run: async (context) => {
    const figures: Figure[] = [];
    for (const engine of DATABASES) figures.push(...(await measure(engine, context)));
    figures.push(plain('memory: resident set at the end', process.memoryUsage.rss() / 2 ** 20, 'MiB'));
    return figures;
  },
};

async function measure(engine: Engine, context: BenchContext): Promise<Figure[]> {
  const database = await freshDatabase(engine);
  const storage =
    database.engine === 'sqlite'
      ? await openSqlite({ file: database.file, modules: MODULES, transactionTimeoutMs: 120_000 }, context.signal)
      : await openPostgres({ url: database.url, modules: MODULES }, context.signal);
  const ours = ourSubject(storage);
  const raw = database.engine === 'sqlite' ? rawSqlite(database.file) : await rawPostgres(database.url);
  try {
    const figures: Figure[] = [];
    for (const width of [1, 50, 1_000]) figures.push(...(await writes({ engine, width, ours, raw, context })));
    figures.push(...(await outboxFigures({ database, storage, context, goal: GOAL })));
    figures.push(...(await readsDuringLongWrite({ engine, ours, raw, context })));
    return figures;
  } finally {
    await ours.close();
    await raw.close();
    await database.dispose();
  }
}

interface Compared {
  readonly engine: Engine;
  readonly ours: Subject;
  readonly raw: Subject;
  readonly context: BenchContext;
}

async function writes({ engine, width, ours, raw, context }: Compared & { width: number }): Promise<Figure[]> {
  const count = (context.quick ? 1 : 5) * (width === 1 ? 300 : width * (width === 50 ? 40 : 6));
  const run = (subject: Subject) => async (): Promise<number> => {
    const transactions = Array.from({ length: count }, () => change(nextId++));
    const begun = performance.now();
    await subject.write(transactions, width);
    return count / ((performance.now() - begun) / 1_000);
  };
  await run(ours)();
  await run(raw)();
  const { ours: value, theirs: reference } = await interleaved(context.quick ? 3 : 5, run(ours), run(raw));
  const name = `${engine}: write transactions, ${width} at once`;
  context.log(`${name}: ${Math.round(value)}/s, raw ${Math.round(reference)}/s`);
  const latencies = await writeLatencies(ours, width);
  return [
    rate({ name, unit: 'tx/s', value, reference, goal: GOAL }),
    plain(`${name}: p50`, percentile(latencies, 0.5), 'ms'),
    plain(`${name}: p99`, percentile(latencies, 0.99), 'ms'),
  ];
}

async function writeLatencies(subject: Subject, width: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let round = 0; round < Math.max(3, 200 / width); round++) {
    const timed = async (): Promise<void> => {
      const begun = performance.now();
      await subject.write([change(nextId++)], 1);
      latencies.push(performance.now() - begun);
    };
    await Promise.all(Array.from({ length: width }, timed));
  }
  return latencies;
}

async function readsDuringLongWrite({ engine, ours, raw, context }: Compared): Promise<Figure[]> {
  const rows = context.quick ? LONG_WRITE_ROWS / 4 : LONG_WRITE_ROWS;
  const latenciesOf = async (subject: Subject): Promise<number[]> => {
    const latencies: number[] = [];
    let writing = true;
    const long = subject.writeLong(longWrite((nextId += rows), rows)).finally(() => {
      writing = false;
    });
    while (writing) {
      const begun = performance.now();
      await subject.read(pointRead(1));
      latencies.push(performance.now() - begun);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await long;
    return latencies;
  };
  await latenciesOf(ours);
  const runs = await pooled(
    context.quick ? 1 : 3,
    () => latenciesOf(ours),
    () => latenciesOf(raw),
  );
  return [0.5, 0.99].map((share) => {
    const [value, reference] = [percentile(runs.ours, share), percentile(runs.theirs, share)];
    const name = `${engine}: read latency during a long write, p${share * 100}`;
    context.log(`${name}: ${value.toFixed(3)} ms, raw ${reference.toFixed(3)} ms`);
    return cost({ name, unit: 'ms', value, reference, goal: GOAL });
  });
}
