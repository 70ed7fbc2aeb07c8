import { type Statement, type Storage, sql } from '#kit/storage';
import { appendEvents, createDispatcher, createSequencer } from '#kit/storage/outbox';
import type { TestDatabase } from '#testing/databases';
import { type BenchContext, type Figure, rate } from '../figure.ts';
import { interleaved } from '../statistics.ts';
import { ourSubject } from './ours.ts';
import { rawPostgres } from './raw-postgres.ts';
import { rawSqlite } from './raw-sqlite.ts';
import type { Subject } from './subject.ts';

const WIDTH = 50;
/** The dispatcher's own window, and the sequencer's own batch. */
const WINDOW = 256;
const ROUND = 1_000;

let nextEvent = 1;

interface Measured {
  readonly database: TestDatabase;
  readonly storage: Storage;
  readonly context: BenchContext;
  readonly goal: number;
}

/** Writes events in one transaction each, and dispatches events to a consumer that does nothing. */
export async function outboxFigures({ database, storage, context, goal }: Measured): Promise<Figure[]> {
  const [ours, raw] = [ourSubject(storage), await rawSubject(database)];
  const count = context.quick ? 4_000 : 20_000;
  const rounds = context.quick ? 1 : 3;
  const append = (subject: Subject) => () =>
    timed(count, () => subject.write(Array.from({ length: count }, event), WIDTH));
  try {
    const appended = await interleaved(rounds, append(ours), append(raw));
    await dispatchAll(storage, context.signal);
    const dispatched = await interleaved(
      rounds,
      async () => {
        await append(raw)();
        return await timed(count, () => dispatchAll(storage, context.signal));
      },
      async () => {
        await append(raw)();
        return await timed(count, () => dispatchRaw(raw, storage));
      },
    );
    return [
      rate({
        name: `${database.engine}: outbox events appended, ${WIDTH} at once`,
        unit: 'events/s',
        ...named(appended),
        goal,
      }),
      rate({ name: `${database.engine}: outbox events dispatched`, unit: 'events/s', ...named(dispatched), goal }),
    ];
  } finally {
    await raw.close();
  }
}

async function rawSubject(database: TestDatabase): Promise<Subject> {
  return database.engine === 'sqlite' ? rawSqlite(database.file) : await rawPostgres(database.url);
}

function named({ ours, theirs }: { ours: number; theirs: number }): { value: number; reference: number } {
  return { value: ours, reference: theirs };
}

async function timed(count: number, body: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await body();
  return count / ((performance.now() - begun) / 1_000);
}

function event(): Statement[] {
  const id = String(nextEvent++);
  const data = { name: id, note: 'x'.repeat(100) };
  return appendEvents([{ id, type: 'thing.updated', key: `key-${nextEvent % 500}`, scope: 'bench', time: 1, data }]);
}

/** Waits until the consumer has seen the last current event. */
async function dispatchAll(storage: Storage, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const last = `${nextEvent - 1}`;
  const consumer = {
    name: 'bench',
    startAt: 'beginning' as const,
    concurrency: WINDOW,
    handle: async (handled: { id: string }): Promise<void> => {
      if (handled.id === last) stop.abort();
    },
  };
  await Promise.all([
    createSequencer({ storage }).run(both),
    createDispatcher({ storage, consumers: [consumer], windowSize: WINDOW }).run(both),
  ]);
}

/** Sends only the statements of the sequencer and the dispatcher. */
async function dispatchRaw(raw: Subject, storage: Storage): Promise<void> {
  if (storage.engine === 'postgres') {
    while ((await raw.read(sql`SELECT 1 AS arrived FROM outbox LIMIT 1`)) !== undefined) {
      await raw.write([[sql`LOCK TABLE outbox_sequencer IN EXCLUSIVE MODE`, MOVE]], 1);
    }
  }
  const never = new AbortController().signal;
  const consumer = await storage.get(sql`SELECT position FROM outbox_consumers WHERE name = 'bench'`, never);
  let position = Number(consumer?.['position']);
  for (;;) {
    const rows = await raw.readAll(arrivals(position));
    if (rows.length === 0) return;
    for (const row of rows) JSON.parse(String(row['data']));
    position = Number(rows.at(-1)?.['position']);
    await raw.write(
      [[sql`UPDATE outbox_consumers SET position = ${position}, lease_until = ${0} WHERE name = ${'bench'}`]],
      1,
    );
  }
}

const MOVE = sql`WITH arrived AS (
    DELETE FROM outbox WHERE sequence IN (SELECT sequence FROM outbox ORDER BY sequence LIMIT ${ROUND})
    RETURNING sequence, id, type, key, scope, time, data
  )
  INSERT INTO outbox_log (position, id, type, key, scope, time, data)
  SELECT (SELECT coalesce(max(position), 0) FROM outbox_log) + row_number() OVER (ORDER BY sequence),
    id, type, key, scope, time, data
  FROM arrived`;

function arrivals(after: number): Statement {
  return sql`SELECT e.position, e.id, e.type, e.key, e.scope, e.time, e.data,
      CASE
        WHEN EXISTS (SELECT 1 FROM outbox_deferred d WHERE d.position = e.position AND d.consumer = ${'bench'}) THEN 'recorded'
        WHEN EXISTS (SELECT 1 FROM outbox_dead_letters l WHERE l.position = e.position AND l.consumer = ${'bench'}) THEN 'recorded'
        WHEN EXISTS (SELECT 1 FROM outbox_held_keys h WHERE h.consumer = ${'bench'} AND h.key = e.key) THEN 'held'
        ELSE 'free'
      END AS standing
    FROM outbox_log e WHERE e.position > ${after} ORDER BY e.position LIMIT ${WINDOW}`;
}
