import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Engine } from '#kit/storage';
import { platformHome } from '#testing/platform-process';
import { type BenchContext, cost, type Figure } from '../figure.ts';
import { interleaved } from '../statistics.ts';

/** Node, and a database file with one table: no start can take less. */
const BARE = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1]);
database.exec('PRAGMA journal_mode = WAL; CREATE TABLE things (name TEXT PRIMARY KEY)');
database.close();
`;

/** Promised: three seconds for the first start, on a machine whose Node needs 50 ms for the bare part. */
const GOAL = 60;

/** The time from the start of the process to the first 200 of `/readyz`, in an empty data folder. */
export async function readyFigure(engine: Engine, context: BenchContext): Promise<Figure> {
  const rounds = context.quick ? 2 : 7;
  const { ours, theirs } = await interleaved(
    rounds,
    () => firstStart(engine),
    () => bareStart(context.signal),
  );
  context.log(`${engine}: ready after ${Math.round(ours)} ms; bare Node with a database ${Math.round(theirs)} ms`);
  return cost({ name: `${engine}: first start until ready`, unit: 'ms', value: ours, reference: theirs, goal: GOAL });
}

async function firstStart(engine: Engine): Promise<number> {
  const home = await platformHome(engine);
  try {
    return (await home.start()).readyAfterMs;
  } finally {
    await home.dispose();
  }
}

async function bareStart(signal: AbortSignal): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-bare-'));
  try {
    const begun = performance.now();
    await promisify(execFile)(process.execPath, ['--eval', BARE, join(folder, 'bare.db')], { signal });
    return performance.now() - begun;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
