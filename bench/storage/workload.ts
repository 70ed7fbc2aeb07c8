import { type MigrationModule, type Statement, sql } from '#kit/storage';

/** One transaction of the bench: an insert and a guarded update, as in a change of a resource. */
export const WORKLOAD: MigrationModule = {
  module: 'bench',
  migrations: [
    {
      number: 1,
      name: 'things',
      compatibleFrom: 0,
      up: `CREATE TABLE things (id BIGINT PRIMARY KEY, version BIGINT NOT NULL, body TEXT NOT NULL);
           CREATE TABLE long_write (id BIGINT PRIMARY KEY, body TEXT NOT NULL)`,
    },
  ],
};

const BODY = JSON.stringify({ labels: { env: 'prod', region: 'eu-west-1' }, note: 'x'.repeat(150) });

export function change(id: number): Statement[] {
  return [
    sql`INSERT INTO things (id, version, body) VALUES (${id}, ${1}, ${BODY})`,
    sql.expect(1, sql`UPDATE things SET version = version + 1 WHERE id = ${id} AND version = ${1}`),
  ];
}

export const LONG_WRITE_ROWS = 400_000;

export function longWrite(from: number, rows: number): Statement {
  return sql`INSERT INTO long_write (id, body)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    SELECT i + ${from}, ${BODY} FROM n`;
}

export function pointRead(id: number): Statement {
  return sql`SELECT id, version, body FROM things WHERE id = ${id}`;
}
