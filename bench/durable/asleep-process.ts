import { DURABLE_MIGRATIONS } from '#kit/durable/embedded';
import { openPostgres, openSqlite, type Storage, sql } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { asleep } from './bench-workflows.ts';
import { startAll, untilRows, whileRunning } from './engine-run.ts';

/** A separate process, so that its memory holds nothing but the sleepers. */
export interface AsleepOrders {
  readonly place: { readonly file: string } | { readonly url: string };
  readonly count: number;
}

export interface Asleep {
  readonly heapBytes: number;
  readonly residentBytes: number;
  readonly perSecond: number;
}

const MODULES = [LEASE_MIGRATIONS, DURABLE_MIGRATIONS];
const signal = AbortSignal.timeout(20 * 60_000);
const { place, count } = JSON.parse(process.argv[2] ?? '') as AsleepOrders;
const storage = await open();
await whileRunning({ storage, signal }, async () => {
  const before = heapAfterCollection();
  const begun = performance.now();
  await putToSleep();
  const perSecond = count / ((performance.now() - begun) / 1_000);
  const asleepNow: Asleep = {
    heapBytes: heapAfterCollection() - before,
    residentBytes: process.memoryUsage.rss(),
    perSecond,
  };
  console.log(JSON.stringify(asleepNow));
});
await storage.close();

async function open(): Promise<Storage> {
  if ('file' in place) return await openSqlite({ file: place.file, modules: MODULES }, signal);
  return await openPostgres({ url: place.url, modules: MODULES }, signal);
}

async function putToSleep(): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `asleep-${index}`);
  await startAll(storage, { workflow: asleep, ids, input: null }, signal);
  await untilRows(storage, { rows: sql`SELECT count(*) AS rows FROM durable_timers`, count }, signal);
}

function heapAfterCollection(): number {
  if (globalThis.gc === undefined) throw new Error('start it with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
