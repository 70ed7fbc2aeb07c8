import pg from 'pg';
import type { Row, Statement } from '#kit/storage';
import type { Subject } from './subject.ts';

/** The bare driver: named statements, pipelined, with one transaction per group as in ours. */
export async function rawPostgres(url: string): Promise<Subject> {
  const config = { connectionString: url, options: '-c search_path=fleetshift', pipeline: true };
  const [writer, reader] = [new pg.Client(config), new pg.Client(config)];
  await Promise.all([writer.connect(), reader.connect()]);
  const names = new Map<string, string>();
  const query = ({ parts, values }: Statement): pg.QueryConfig => {
    const text = parts.reduce((before, part, index) => `${before}$${index}${part}`);
    const name = names.get(text) ?? `raw${names.size}`;
    names.set(text, name);
    return { name, text, values: [...values] };
  };
  return {
    write: async (transactions, width) => {
      for (let from = 0; from < transactions.length; from += width) {
        const statements = transactions.slice(from, from + width).flat();
        const began = writer.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
        await Promise.all([began, ...statements.map((statement) => writer.query(query(statement)))]);
        await writer.query('COMMIT');
      }
    },
    read: async (statement) => (await reader.query<Row>(query(statement))).rows[0],
    readAll: async (statement) => (await reader.query<Row>(query(statement))).rows,
    writeLong: async (statement) => {
      await writer.query(query(statement));
    },
    close: async () => {
      await Promise.all([writer.end(), reader.end()]);
    },
  };
}
