import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Row, Statement } from '#kit/storage';
import type { Subject } from './subject.ts';

const PRAGMAS = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768';

/** The bare driver: prepared statements on the calling thread, with the same grouping and sync as ours. */
export function rawSqlite(file: string): Subject {
  const writer = new DatabaseSync(file);
  writer.exec(PRAGMAS);
  const reader = new DatabaseSync(file, { readOnly: true });
  const prepared = new Map<DatabaseSync, Map<string, StatementSync>>();
  const prepare = (database: DatabaseSync, statement: Statement): StatementSync => {
    const known = prepared.get(database) ?? new Map<string, StatementSync>();
    prepared.set(database, known);
    const text = statement.parts.join('?');
    const ready = known.get(text) ?? database.prepare(text);
    known.set(text, ready);
    return ready;
  };
  return {
    write: async (transactions, width) => {
      for (let from = 0; from < transactions.length; from += width) {
        writer.exec('BEGIN IMMEDIATE');
        for (const transaction of transactions.slice(from, from + width)) {
          for (const statement of transaction) prepare(writer, statement).run(...statement.values);
        }
        writer.exec('COMMIT');
      }
    },
    read: async (statement) => prepare(reader, statement).get(...statement.values) as Row | undefined,
    readAll: async (statement) => prepare(reader, statement).all(...statement.values) as Row[],
    writeLong: (statement) => inWorker(file, statement),
    close: async () => {
      reader.close();
      writer.close();
    },
  };
}

const WORKER = `
const { DatabaseSync } = require('node:sqlite');
const { workerData } = require('node:worker_threads');
const database = new DatabaseSync(workerData.file);
database.exec(workerData.pragmas);
database.prepare(workerData.text).run(...workerData.values);
database.close();`;

async function inWorker(file: string, { parts, values }: Statement): Promise<void> {
  const worker = new Worker(WORKER, {
    eval: true,
    workerData: { file, pragmas: PRAGMAS, text: parts.join('?'), values },
  });
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}
