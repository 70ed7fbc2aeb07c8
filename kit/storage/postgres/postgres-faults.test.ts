import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { DATABASES, freshDatabase, type TestDatabase } from '#testing/databases';
import type { Storage } from '../port.ts';
import { sql } from '../sql.ts';
import { openPostgres } from './postgres-storage.ts';

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
const ids = sql`SELECT id FROM logs ORDER BY id`;

describe('Postgres when things go wrong', {
  skip: !DATABASES.includes('postgres') && 'narrowed to other databases',
}, () => {
  let database: TestDatabase & { engine: 'postgres' };
  let storage: Storage;
  before(async () => {
    const fresh = await freshDatabase('postgres');
    assert.equal(fresh.engine, 'postgres');
    database = fresh;
    storage = await openPostgres({ url: database.url, modules }, never);
  });
  after(async () => {
    await storage.close();
    await database.dispose();
  });

  const admin = async (query: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(query)).rows;
    } finally {
      await client.end();
    }
  };
  const cutConnections = async (): Promise<void> => {
    await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'fleetshift'`);
  };

  it('goes on after its idle connections were cut', async () => {
    await storage.commit([line(1)], never);
    await storage.write(async (tx) => await tx.run(line(2)), never);
    await cutConnections();
    assert.equal((await storage.all(ids, never)).length, 2);
    await cutConnections();
    await storage.commit([line(3)], never);
    await cutConnections();
    await storage.write(async (tx) => await tx.run(line(4)), never);
    assert.equal((await storage.all(ids, never)).length, 4);
  });

  it('runs a body again that lost its connection before it committed, and keeps it once', async () => {
    let runs = 0;
    await storage.write(async (tx) => {
      runs++;
      await tx.run(line(10));
      if (runs === 1) await cutConnections();
      await tx.run(line(11));
    }, never);
    assert.equal(runs, 2);
    const rows = await storage.all(sql`SELECT id FROM logs WHERE id IN (${10}, ${11})`, never);
    assert.equal(rows.length, 2);
  });

  it('hears announcements again after its listening connection was cut', async () => {
    let heard = Promise.withResolvers<void>();
    const stop = storage.onAnnounced('cut', () => heard.resolve());
    await heard.promise;
    heard = Promise.withResolvers<void>();
    await cutConnections();
    await heard.promise;
    stop();
  });

  for (const { door, run } of [
    { door: 'commit', run: (through: Storage, id: number) => through.commit([line(id)], never) },
    {
      door: 'write',
      run: (through: Storage, id: number) => through.write(async (tx) => await tx.run(line(id)), never),
    },
  ]) {
    it(`does not guess when the connection breaks while it commits (${door})`, async () => {
      const proxy = await startProxy(database.url);
      const through = await openPostgres({ url: proxy.url, modules }, never);
      const id = door === 'commit' ? 20 : 21;
      proxy.cutAtCommit = true;
      await assert.rejects(run(through, id), { code: 'OUTCOME_UNKNOWN' });
      proxy.cutAtCommit = false;
      // The server did commit: a blind retry would have written twice.
      await assert.rejects(run(through, id), { code: 'UNIQUE_VIOLATED' });
      await through.close();
      await proxy.close();
    });
  }

  it('prepares again what it prepared before another process changed the table', async () => {
    const everything = (): ReturnType<typeof sql> => sql`SELECT * FROM logs WHERE id = ${1}`;
    const doors = [
      async (): Promise<unknown> => await storage.get(everything(), never),
      async (): Promise<unknown> => await storage.read((reader) => reader.get(everything()), never),
      async (): Promise<unknown> => await storage.write((tx) => tx.get(everything()), never),
    ];
    for (const ask of doors) await ask();
    await admin('ALTER TABLE fleetshift.logs ADD COLUMN added BIGINT');
    for (const ask of doors) assert.deepEqual(await ask(), { id: 1, text: 'x', added: null });
  });

  it('says so when the server is not there, and when it does not let us in', async () => {
    await assert.rejects(openPostgres({ url: 'postgres://127.0.0.1:1/none', modules }, never), {
      code: 'CONNECTION_LOST',
    });
    const stranger = Object.assign(new URL(database.url), { username: 'nobody_here' }).href;
    await assert.rejects(openPostgres({ url: stranger, modules }, never), { code: 'DATABASE_UNAVAILABLE' });
  });

  it('runs a body again that lost a race, and gives up with a name when it loses every one', async () => {
    await storage.commit([line(30, '0')], never);
    let races = 0;
    const raceUntil = (losses: number) =>
      storage.write(async (tx) => {
        await tx.get(sql`SELECT text FROM logs WHERE id = ${30}`);
        if (races++ < losses)
          await storage.commit([sql`UPDATE logs SET text = ${String(races)} WHERE id = ${30}`], never);
        return await tx.run(sql`UPDATE logs SET text = ${'mine'} WHERE id = ${30}`);
      }, never);
    assert.equal(await raceUntil(3), 1);
    assert.equal(races, 4);
    races = 0;
    await assert.rejects(raceUntil(Number.POSITIVE_INFINITY), { code: 'SERIALIZATION_FAILED' });
  });

  it('says that the disk is full, loses nothing, and goes on once there is room', {
    skip: process.getuid?.() !== 0 && 'mounting a small disk needs root',
  }, async () => {
    const disk = mkdtempSync('/tmp/fleetshift-disk-');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]);
    const space = `small_${process.pid}`;
    try {
      const [setting] = await admin('SHOW data_directory');
      const owner = statSync(String(setting?.['data_directory']));
      chownSync(disk, owner.uid, owner.gid);
      await admin(`CREATE TABLESPACE ${space} LOCATION '${disk}'`);
      await admin(`ALTER TABLE fleetshift.logs SET TABLESPACE ${space}`);
      const ballast = `${disk}/ballast`;
      writeFileSync(ballast, Buffer.alloc(2_000_000));
      const before = (await storage.all(ids, never)).length;
      const text = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('');
      let acknowledged = 0;
      const fill = async (): Promise<void> => {
        while (acknowledged < 1_000) {
          await storage.commit([line(1_000 + acknowledged, text)], never);
          acknowledged++;
        }
      };
      await assert.rejects(fill(), { code: 'DISK_FULL' });
      assert.equal((await storage.all(ids, never)).length, before + acknowledged);
      rmSync(ballast);
      assert.deepEqual(await storage.commit([line(999)], never), [1]);
    } finally {
      await admin('ALTER TABLE fleetshift.logs SET TABLESPACE pg_default');
      await admin(`DROP TABLESPACE IF EXISTS ${space}`);
      // The server closes its files at a checkpoint.
      await admin('CHECKPOINT');
      execFileSync('umount', [disk]);
      rmSync(disk, { recursive: true });
    }
  });
});

interface Proxy {
  readonly url: string;
  cutAtCommit: boolean;
  close(): Promise<void>;
}

/** Forwards everything until it is told to drop the answer to a COMMIT and to close the connection. */
async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const proxy: Proxy & { url: string } = {
    url: '',
    cutAtCommit: false,
    close: async () => await closeServer(server, sockets),
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let cut = false;
    client.on('data', (data) => {
      cut ||= proxy.cutAtCommit && data.includes('COMMIT');
      upstream.write(data);
    });
    upstream.on('data', (data) => (cut ? client.destroy() : client.write(data)));
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  proxy.url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(address.port) }).href;
  return proxy;
}

async function closeServer(server: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}
