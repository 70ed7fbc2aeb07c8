import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { sql } from '../sql.ts';
import { migrateSqlite } from './sqlite-migrations.ts';
import { openSqlite } from './sqlite-storage.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { WriterSession } from './writer-session.ts';

const modules = [
  {
    module: 'logs',
    migrations: [
      { number: 1, name: 'logs', compatibleFrom: 0, up: 'CREATE TABLE logs (id BIGINT PRIMARY KEY, text TEXT)' },
    ],
  },
];
const never = new AbortController().signal;
const line = (id: number, text = 'x') => sql`INSERT INTO logs (id, text) VALUES (${id}, ${text})`;
const LONG = 'x'.repeat(100_000);

describe('SQLite when things go wrong', () => {
  let folder: string;
  let number = 0;
  const newFile = (): string => join(folder, `${number++}.db`);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-faults-'));
  });
  after(async () => await rm(folder, { recursive: true, force: true }));

  /** Writes until the disk is full; exactly the acknowledged rows must be there. */
  const fillUp = async (
    file: string,
    prepare: (storage: Awaited<ReturnType<typeof openSqlite>>) => Promise<unknown>,
  ) => {
    const storage = await openSqlite({ file, modules }, never);
    await prepare(storage);
    let acknowledged = 0;
    const fill = async (): Promise<void> => {
      while (acknowledged < 1_000) {
        await storage.commit([line(acknowledged, LONG)], never);
        acknowledged++;
      }
    };
    await assert.rejects(fill(), { code: 'DISK_FULL' });
    assert.ok(acknowledged > 0);
    assert.equal((await storage.get(sql`SELECT count(*) AS n FROM logs`, never))?.['n'], acknowledged);
    await assert.rejects(
      storage.write(async (tx) => await tx.run(line(5_000, LONG.repeat(20))), never),
      { code: 'DISK_FULL' },
    );
    return { storage, acknowledged };
  };

  it('says that the file may not grow, loses nothing, and goes on once there is room', async () => {
    const { storage } = await fillUp(newFile(), (opened) => opened.commit([sql`PRAGMA max_page_count = 200`], never));
    await storage.commit([sql`DELETE FROM logs`], never);
    assert.deepEqual(await storage.commit([line(1)], never), [1]);
    await storage.close();
  });

  it('keeps nothing of what a body asked for at once with something that did not fit', async () => {
    const storage = await openSqlite({ file: newFile(), modules }, never);
    await storage.commit([sql`PRAGMA max_page_count = 100`], never);
    const body = storage.write(async (tx) => {
      await Promise.all([tx.run(line(1, LONG.repeat(20))), tx.run(line(2)), tx.run(line(3))]);
    }, never);
    await assert.rejects(body, { code: 'DISK_FULL' });
    await storage.commit([line(4)], never);
    assert.deepEqual(await storage.all(sql`SELECT id FROM logs`, never), [{ id: 4 }]);
    await storage.close();
  });

  it('does the same on a disk that is really full', {
    skip: process.getuid?.() !== 0 && 'mounting a small disk needs root',
  }, async () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    try {
      const file = join(disk, 'full.db');
      const { storage, acknowledged } = await fillUp(file, async () => {});
      await storage.close();
      const again = new DatabaseSync(file);
      assert.equal(again.prepare('SELECT count(*) AS n FROM logs').get()?.['n'], acknowledged);
      again.close();
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it('waits for another process that holds the file, then says so, and reads meanwhile', async () => {
    const file = newFile();
    const storage = await openSqlite({ file, modules, busyTimeoutMs: 50 }, never);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await assert.rejects(storage.commit([line(1)], never), { code: 'DATABASE_LOCKED' });
    assert.equal((await storage.get(sql`SELECT count(*) AS n FROM logs`, never))?.['n'], 0);
    other.exec('ROLLBACK');
    other.close();
    assert.deepEqual(await storage.commit([line(1)], never), [1]);
    await storage.close();
  });

  it('names a file that is no database', async () => {
    const file = newFile();
    writeFileSync(file, 'this is not a database, but it is long enough to look at'.repeat(100));
    await assert.rejects(openSqlite({ file, modules }, never), { code: 'DATABASE_CORRUPT' });
  });

  it('names a folder that cannot be written', async () => {
    const blocked = newFile();
    writeFileSync(blocked, 'a file where a folder should be');
    await assert.rejects(openSqlite({ file: join(blocked, 'x.db'), modules }, never), { code: 'DATABASE_UNAVAILABLE' });
  });

  it('tells everyone when its writer dies, keeps nothing of theirs, and writes on with a new one', async () => {
    const file = newFile();
    migrateSqlite({ file, modules, busyTimeoutMs: 1_000 });
    const sessions: WriterSession[] = [];
    const writer = new SqliteWriter({
      transactionTimeoutMs: 5_000,
      onCommitted: () => {},
      openSession: async () => {
        const session = await WriterSession.open({ file, readOnly: false, busyTimeoutMs: 1_000 });
        sessions.push(session);
        return session;
      },
    });
    await writer.commit([line(1)], never);
    const body = writer.transact(async (tx) => {
      await tx.run(line(2));
      await sessions[0]?.terminate();
      await tx.run(line(3));
    }, never);
    await assert.rejects(body, { code: 'WRITER_LOST' });
    await writer.commit([line(4)], never);
    await sessions[1]?.terminate();
    await writer.commit([line(5)], never);
    await writer.close();
    assert.equal(sessions.length, 3);
    const look = new DatabaseSync(file);
    assert.deepEqual(
      look
        .prepare('SELECT id FROM logs ORDER BY id')
        .all()
        .map((row) => row['id']),
      [1, 4, 5],
    );
    look.close();
  });

  it('does not say "lost" of a commit whose end nobody saw', async () => {
    const file = newFile();
    migrateSqlite({ file, modules, busyTimeoutMs: 1_000 });
    const session = await WriterSession.open({ file, readOnly: false, busyTimeoutMs: 1_000 });
    const long = sql`INSERT INTO logs (id)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT i FROM n`;
    const outcome = session.ask({ kind: 'batches', batches: [[long]] }, { first: true, last: true });
    await Promise.all([assert.rejects(outcome, { code: 'OUTCOME_UNKNOWN' }), session.terminate()]);
  });
});
