import { parseResourceName } from '#kit/std';
import { type Engine, type Storage, sql } from '#kit/storage';
import { DATABASES, freshDatabase } from '#testing/databases';
import { listTargets } from '../../contexts/targets/adapters/sql-target-reader.ts';
import { COLUMNS } from '../../contexts/targets/adapters/target-row.ts';
import type { TargetRange } from '../../contexts/targets/application/ports.ts';
import { type Bench, type BenchContext, cost, type Figure, plain } from '../figure.ts';
import { interleaved, percentile } from '../statistics.ts';
import { rawPostgres } from '../storage/raw-postgres.ts';
import { rawSqlite } from '../storage/raw-sqlite.ts';
import type { Subject } from '../storage/subject.ts';
import { composeFleet, FLEET_MODULES, type FleetSize, growFleet, pathOfWorkspace } from './fleet.ts';

const SIZE: FleetSize = { workspaces: 10_000, targets: 100_000 };
const GOAL = 1.5;

/** The largest subtree has 11,111 targets, the others about 1,111 and 111. */
const TOPS = [0, 10, 110];

export const subtreeBench: Bench = {
  name: 'subtree',
  description: `lists of a subtree in a fleet of ${SIZE.workspaces} workspaces and ${SIZE.targets} targets, compared with the same rows by primary key`,
  run: async (context) => {
    const figures: Figure[] = [];
    for (const engine of DATABASES) figures.push(...(await measure(engine, context)));
    return figures;
  },
};

interface Measured {
  readonly engine: Engine;
  readonly storage: Storage;
  readonly raw: Subject;
  readonly context: BenchContext;
}

async function measure(engine: Engine, context: BenchContext): Promise<Figure[]> {
  const database = await freshDatabase(engine);
  const storage = await database.open(FLEET_MODULES);
  const raw = database.engine === 'sqlite' ? rawSqlite(database.file) : await rawPostgres(database.url);
  try {
    await growFleet(storage, SIZE, context.signal);
    const measured = { engine, storage, raw, context };
    const figures: Figure[] = [];
    for (const top of TOPS) figures.push(...(await subtree(measured, top)));
    return [...figures, ...(await pages(measured)), await move(measured)];
  } finally {
    await raw.close();
    await database.dispose();
  }
}

/**
 * Measures the query alone: neither side converts rows to targets. Compared with the raw driver, it includes the cost of
 * our storage layer; compared with the same lookup through that layer, only the cost of finding the rows.
 */
async function subtree({ engine, storage, raw, context }: Measured, top: number): Promise<Figure[]> {
  const { signal } = context;
  const query = listTargets(wholeSubtree(top), new Map([[`w-${top}`, pathOfWorkspace(top)]]));
  const names = (await storage.all(query, signal)).map((row) => String(row['name']));
  const byKey = sql`SELECT ${COLUMNS} FROM targets WHERE name IN (${sql.list(names)}) ORDER BY name`;
  const timed = (body: () => Promise<readonly unknown[]>) => async (): Promise<number> => {
    const begun = performance.now();
    const rows = await body();
    if (rows.length !== names.length) throw new Error(`${rows.length} rows, and not ${names.length}`);
    return performance.now() - begun;
  };
  const ours = timed(() => storage.all(query, signal));
  const figures: Figure[] = [];
  for (const [beside, theirs] of [
    ['raw driver, by primary key', timed(() => raw.readAll(byKey))],
    ['same door, by primary key', timed(() => storage.all(byKey, signal))],
  ] as const) {
    await interleaved(3, ours, theirs);
    const { ours: value, theirs: reference } = await interleaved(context.quick ? 9 : 31, ours, theirs);
    const name = `${engine}: subtree of ${names.length} targets; ${beside}`;
    context.log(`${name}: ${value.toFixed(2)} ms, reference ${reference.toFixed(2)} ms`);
    figures.push(cost({ name, unit: 'ms', value, reference, goal: GOAL }));
  }
  return figures;
}

function wholeSubtree(top: number): TargetRange {
  return {
    within: { workspace: parseResourceName(`w-${top}`), subtree: true },
    type: undefined,
    visible: { kind: 'everything' },
    after: undefined,
    limit: SIZE.targets,
  };
}

/** As the API reads it: looks up paths and converts a hundred rows to targets. */
async function pages({ engine, storage, context }: Measured): Promise<Figure[]> {
  const { targetReader } = composeFleet(storage);
  const everything = { kind: 'everything' } as const;
  const some = { kind: 'some', workspaces: ['w-1', 'w-25', 'w-333'], targets: ['t-1', 't-2'] } as const;
  const base = { within: undefined, type: undefined, visible: everything, after: 't-5', limit: 101 };
  const within = { workspace: parseResourceName('w-10'), subtree: true };
  const figures: Figure[] = [];
  for (const [what, range] of [
    ['of all', base],
    ['of a subtree of 1,111', { ...base, within }],
    ['of what somebody sees, some 12,000', { ...base, visible: some }],
  ] as const) {
    const times: number[] = [];
    for (let round = 0; round < (context.quick ? 20 : 100); round += 1) {
      const begun = performance.now();
      await targetReader.list(range, context.signal);
      times.push(performance.now() - begun);
    }
    figures.push(plain(`${engine}: a page ${what}, p50`, percentile(times, 0.5), 'ms'));
  }
  return figures;
}

/** Moves a workspace with all its contents there and back. */
async function move({ engine, storage, context }: Measured): Promise<Figure> {
  const { workspaces, workspaceUnit } = composeFleet(storage);
  const times: number[] = [];
  for (const parent of ['w-1', 'root', 'w-1', 'root']) {
    const command = {
      name: parseResourceName('w-0'),
      parent: parseResourceName(parent),
      precondition: { check: () => {} },
      now: Date.now(),
    };
    const begun = performance.now();
    await storage.write((tx) => workspaces.move(workspaceUnit(tx), command, context.signal), context.signal);
    times.push(performance.now() - begun);
  }
  return plain(`${engine}: move of 1,111 workspaces with 11,110 targets, p50`, percentile(times, 0.5), 'ms');
}
