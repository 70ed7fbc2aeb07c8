import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { type AppliedMigration, type Migration, planMigrations } from './migrations.ts';

const migration = (number: number, compatibleFrom = number - 1, up = `CREATE ${number}`): Migration => ({
  number,
  name: `step ${number}`,
  compatibleFrom,
  up,
});

const applied = (number: number, compatibleFrom = number - 1, up = `CREATE ${number}`): AppliedMigration => ({
  module: 'm',
  number,
  compatibleFrom,
  checksum: createHash('sha256').update(up).digest('hex'),
});

const plan = (known: Migration[], done: AppliedMigration[]): number[] =>
  planMigrations([{ module: 'm', migrations: known }], done, 'sqlite').map((pending) => pending.migration.number);

describe('the plan of migrations', () => {
  for (const { why, known, done, want } of [
    { why: 'an empty database gets all, in order', known: [migration(1), migration(2)], done: [], want: [1, 2] },
    { why: 'what was done is not done again', known: [migration(1), migration(2)], done: [applied(1)], want: [2] },
    {
      why: 'the previous release runs on the new schema',
      known: [migration(1)],
      done: [applied(1), applied(2)],
      want: [],
    },
    {
      why: 'so does one from further back, where the migration says so',
      known: [migration(1)],
      done: [applied(1), applied(2), applied(3, 1)],
      want: [],
    },
    { why: 'another module’s history is nobody else’s matter', known: [], done: [applied(1, 0)], want: [] },
  ]) {
    it(why, () => assert.deepEqual(plan(known, done), want));
  }

  for (const { why, known, done, code } of [
    {
      why: 'a release from before the last compatible one is refused',
      known: [migration(1)],
      done: [applied(1), applied(2), applied(3, 2)],
      code: 'SCHEMA_TOO_NEW',
    },
    {
      why: 'a released migration that was edited is refused',
      known: [migration(1, 0, 'CREATE other')],
      done: [applied(1)],
      code: 'MIGRATION_CHANGED',
    },
    {
      why: 'a history with a gap is refused',
      known: [migration(1), migration(2)],
      done: [applied(2)],
      code: 'MIGRATION_CHANGED',
    },
  ]) {
    it(why, () => assert.throws(() => plan(known, done), { code }));
  }

  it('takes the script of the engine at hand', () => {
    const two = { ...migration(1), up: { sqlite: 'for sqlite', postgres: 'for postgres' } };
    const scripts = (['sqlite', 'postgres'] as const).map(
      (engine) => planMigrations([{ module: 'm', migrations: [two] }], [], engine)[0]?.script,
    );
    assert.deepEqual(scripts, ['for sqlite', 'for postgres']);
  });

  it('refuses numbering that would make history ambiguous', () => {
    assert.throws(() => plan([migration(2)], []), TypeError);
    assert.throws(() => plan([migration(1, 1)], []), TypeError);
  });
});
