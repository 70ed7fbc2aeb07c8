import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type pg from 'pg';
import { sql } from '../sql.ts';
import { PostgresTransaction } from './postgres-transaction.ts';

const look = sql`SELECT 1`;
const write = sql`UPDATE things SET version = 2`;

/** Answers every statement except BEGIN, which the test answers. */
function opened() {
  const sent: string[] = [];
  const begin = Promise.withResolvers<void>();
  const client = {
    query: async ({ text }: pg.QueryConfig) => {
      sent.push(text.split(' ')[0] ?? '');
      return { rows: [], rowCount: 1 };
    },
  };
  const tx = new PostgresTransaction(client as unknown as pg.ClientBase, begin.promise);
  return { tx, sent, begin };
}

it('looks before it is known to have begun; a write waits for that, and all that comes after it', async () => {
  const { tx, sent, begin } = opened();
  await tx.all(look);
  const asked = [tx.run(write), tx.all(look)];
  await turn();
  assert.deepEqual(sent, ['SELECT']);
  begin.resolve();
  asked.push(tx.run(write));
  await Promise.all(asked);
  assert.deepEqual(sent, ['SELECT', 'UPDATE', 'SELECT', 'UPDATE']);
});

it('keeps the order of asking also with what is asked for as soon as it has begun', async () => {
  const { tx, sent, begin } = opened();
  const asked: Promise<unknown>[] = [];
  begin.promise.then(
    () => asked.push(tx.all(look)),
    () => {},
  );
  asked.push(tx.run(write));
  begin.resolve();
  await turn();
  await Promise.all(asked);
  assert.deepEqual(sent, ['UPDATE', 'SELECT']);
});

it('writes nothing when it was not begun', async () => {
  const { tx, sent, begin } = opened();
  const written = tx.run(write);
  begin.reject(new Error('refused'));
  await assert.rejects(written, { message: 'refused' });
  await assert.rejects(tx.run(write), { message: 'refused' });
  assert.deepEqual(sent, []);
});
