import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { DATABASES } from '#testing/databases';
import { type PostgresServer, startPostgres } from '#testing/postgres';
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
const line = (id: number) => sql`INSERT INTO logs (id, text) VALUES (${id}, ${'x'})`;
/** At least as many as the storage has. */
const CONNECTIONS = 50;
const ids = sql`SELECT id FROM logs ORDER BY id`;

describe('Postgres that takes no writes', {
  skip: !DATABASES.includes('postgres') && 'narrowed to other databases',
}, () => {
  let server: PostgresServer;
  let storage: Storage;
  before(async () => {
    server = await startPostgres();
    storage = await openPostgres({ url: server.url, modules }, never);
  });
  after(async () => {
    await storage.close();
    await server.stop();
  });

  const admin = async (...queries: string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      for (const query of queries) await client.query(query);
    } finally {
      await client.end();
    }
  };
  /** Resolves once the connections of the storage have heard of it, each at its next statement. */
  const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
    await admin(`ALTER SYSTEM SET default_transaction_read_only = ${value}`, 'SELECT pg_reload_conf()');
    const setting = sql`SELECT current_setting('default_transaction_read_only') AS value`;
    for (;;) {
      const heard = await Promise.all(Array.from({ length: CONNECTIONS }, () => storage.get(setting, never)));
      if (heard.every((row) => row?.['value'] === value)) return;
    }
  };
  const refusesWritesAndReads = async (): Promise<void> => {
    const readOnly = { code: 'DATABASE_READ_ONLY' };
    await assert.rejects(storage.commit([line(90)], never), readOnly);
    await assert.rejects(
      storage.write((tx) => tx.run(line(91)), never),
      readOnly,
    );
    assert.deepEqual(await storage.all(ids, never), [{ id: 1 }]);
    assert.deepEqual(await storage.read((reader) => reader.all(ids), never), [{ id: 1 }]);
  };

  it('reads from a standby, refuses writes as read-only, and writes again once it is promoted', async () => {
    await storage.commit([line(1)], never);
    await server.becomeStandby();
    await refusesWritesAndReads();
    await admin('SELECT pg_promote()');
    await storage.commit([line(2)], never);
    await storage.write((tx) => tx.run(sql`DELETE FROM logs WHERE id = ${2}`), never);
    assert.equal((await storage.all(ids, never)).length, 1);
  });

  it('does the same while the primary is set to read-only, as hosted ones do before their disk is full', async () => {
    await setReadOnly('on');
    await refusesWritesAndReads();
    await setReadOnly('off');
    await storage.commit([line(3)], never);
  });
});
