import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Storage, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { WorkspaceRange } from '../application/ports.ts';
import { aWorkspace, names, uidOf } from '../testing/a-workspace.ts';
import { ALL_WORKSPACES } from '../testing/workspace-store-contract.ts';
import { WORKSPACE_MIGRATIONS } from './migrations.ts';
import { listWorkspaces } from './sql-workspace-reader.ts';
import { SqlWorkspaceStore } from './sql-workspace-store.ts';

const signal = new AbortController().signal;
const TOPS = 300;
const [ROOT_NAME = assert.fail(), W1 = assert.fail()] = names('root', 'w-1');

eachDatabase('lists of workspaces', (fresh, engine) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([WORKSPACE_MIGRATIONS]);
    await storage.write(async (tx) => {
      const store = new SqlWorkspaceStore(tx);
      for (let index = 0; index < TOPS; index += 1) {
        const [top = ROOT_NAME, ...children] = names(
          `w-${index}`,
          ...['a', 'b', 'c'].map((each) => `w-${index}-${each}`),
        );
        await store.insert(aWorkspace({ name: top, uid: uidOf(index * 4 + 1) }), signal);
        for (const [nth, name] of children.entries()) {
          const its = { name, uid: uidOf(index * 4 + 2 + nth), ancestors: [ROOT_NAME, top] };
          await store.insert(aWorkspace(its), signal);
        }
      }
    }, signal);
    await storage.commit([sql`ANALYZE workspaces`], signal);
  });
  after(async () => await database.dispose());

  const paths = new Map(Array.from({ length: TOPS }, (_, index) => [`w-${index}`, `/root/w-${index}/`]));
  const planOf = async (range: Partial<WorkspaceRange>): Promise<string> => {
    const statement = listWorkspaces({ ...ALL_WORKSPACES, ...range }, paths);
    const explain = sql.raw(engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN');
    const rows = await storage.all(sql`${explain} ${statement}`, signal);
    return rows.map((row) => String(row[engine === 'sqlite' ? 'detail' : 'QUERY PLAN'])).join('\n');
  };
  const some = { kind: 'some', workspaces: ['w-1', 'w-2', 'w-3'] } as const;
  // The engine chooses the name of the index that comes with UNIQUE.
  const byPath = engine === 'sqlite' ? /path>\? AND path<\?/ : /workspaces_path_key/;

  for (const { why, range } of [
    { why: 'a subtree', range: { within: { parent: W1, subtree: true } } },
    { why: 'a page of a subtree', range: { within: { parent: W1, subtree: true }, after: 'w-1-a' } },
    { why: 'what somebody sees', range: { visible: some } },
    { why: 'a page of what somebody sees', range: { visible: some, after: 'w-2' } },
  ]) {
    it(`of ${why} look at what is in it, by the index on paths, and at no other workspace`, async () => {
      const plan = await planOf(range);
      assert.match(plan, byPath);
      assert.doesNotMatch(plan, /Seq Scan on workspaces|SCAN workspaces/, plan);
    });
  }

  it('of thousands of subtrees are no more than one statement', async () => {
    const many = new Map(Array.from({ length: 5_000 }, (_, index) => [`w-${index}`, `/root/w-${index}/`]));
    const visible = { kind: 'some', workspaces: [...many.keys()] } as const;
    const rows = await storage.all(listWorkspaces({ ...ALL_WORKSPACES, visible, limit: 10_000 }, many), signal);
    assert.equal(rows.length, TOPS * 4);
  });
});
