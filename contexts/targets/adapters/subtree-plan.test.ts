import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Storage, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import type { TargetRange } from '../application/ports.ts';
import { aTarget, named, placeAt, uidOf } from '../testing/a-target.ts';
import { ALL_TARGETS } from '../testing/target-store-contract.ts';
import { TARGET_MIGRATIONS } from './migrations.ts';
import { listTargets } from './sql-target-reader.ts';
import { insertTarget } from './sql-target-store.ts';

const signal = AbortSignal.timeout(FILE_MS);
const TARGETS = 5_000;
const WORKSPACES = 500;

eachDatabase('lists of targets', (fresh, engine) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([TARGET_MIGRATIONS]);
    const targets = Array.from({ length: TARGETS }, (_, index) =>
      aTarget({ name: named(`t-${index}`), uid: uidOf(index), workspace: placeAt(`/root/w-${index % WORKSPACES}/`) }),
    );
    await storage.commit(targets.map(insertTarget), signal);
    await storage.commit([sql`ANALYZE targets`], signal);
  });
  after(async () => await database.dispose());

  const paths = new Map(Array.from({ length: WORKSPACES }, (_, index) => [`w-${index}`, `/root/w-${index}/`]));
  const planOf = async (range: Partial<TargetRange>): Promise<string> => {
    const statement = listTargets({ ...ALL_TARGETS, ...range }, paths);
    const explain = sql.raw(engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN');
    const rows = await storage.all(sql`${explain} ${statement}`, signal);
    return rows.map((row) => String(row[engine === 'sqlite' ? 'detail' : 'QUERY PLAN'])).join('\n');
  };
  const some = { kind: 'some', workspaces: ['w-1', 'w-2', 'w-3'], targets: ['t-9', 't-10'] } as const;

  for (const { why, range } of [
    { why: 'a workspace', range: { within: { workspace: named('w-1'), subtree: false } } },
    { why: 'a subtree', range: { within: { workspace: named('w-1'), subtree: true } } },
    { why: 'a page of a subtree', range: { within: { workspace: named('w-1'), subtree: true }, after: 't-4' } },
    { why: 'what somebody sees', range: { visible: some } },
    { why: 'a page of what somebody sees', range: { visible: some, after: 't-4' } },
  ]) {
    it(`of ${why} look at what is in it, by the index on paths, and at no other target`, async () => {
      const plan = await planOf(range);
      assert.match(plan, /targets_by_path/);
      assert.doesNotMatch(plan, /Seq Scan on targets|SCAN targets/, plan);
    });
  }

  it('of thousands of subtrees are no more than one statement', async () => {
    const many = new Map(Array.from({ length: 5_000 }, (_, index) => [`w-${index}`, `/root/w-${index}/`]));
    const visible = { kind: 'some', workspaces: [...many.keys()], targets: [] } as const;
    const rows = await storage.all(listTargets({ ...ALL_TARGETS, visible, limit: 10_000 }, many), signal);
    assert.equal(rows.length, TARGETS);
  });
});
