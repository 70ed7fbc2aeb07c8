import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { parseResourceName } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { DATABASES, eachDatabase, freshDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import { ROOT } from '../domain/workspace.ts';
import { aWorkspace, names, uidOf } from '../testing/a-workspace.ts';
import { type OpenedStore, workspaceStoreContract } from '../testing/workspace-store-contract.ts';
import { workspaceTreeContract } from '../testing/workspace-tree-contract.ts';
import { WORKSPACE_MIGRATIONS } from './migrations.ts';
import { SqlWorkspaceReader } from './sql-workspace-reader.ts';
import { SqlWorkspaceStore } from './sql-workspace-store.ts';
import { SqlWorkspaceTree } from './sql-workspace-tree.ts';

const signal = AbortSignal.timeout(FILE_MS);

for (const engine of DATABASES) {
  const open = async (): Promise<OpenedStore> => {
    const database = await freshDatabase(engine);
    const storage = await database.open([WORKSPACE_MIGRATIONS]);
    return {
      reader: new SqlWorkspaceReader(storage),
      unit: (body) => storage.write((tx) => body(new SqlWorkspaceStore(tx), new SqlWorkspaceTree(tx)), signal),
      close: () => database.dispose(),
    };
  };
  workspaceStoreContract(engine, open);
  workspaceTreeContract(engine, open);
}

eachDatabase('the table of workspaces', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([WORKSPACE_MIGRATIONS]);
  });
  after(async () => await database.dispose());

  const reader = () => new SqlWorkspaceReader(storage);
  const insert = (workspace = aWorkspace()) =>
    storage.write((tx) => new SqlWorkspaceStore(tx).insert(workspace, signal), signal);

  it('has a root of its own in every database', async () => {
    const other = await fresh();
    const root = await reader().find(ROOT, signal);
    const otherRoot = await new SqlWorkspaceReader(await other.open([WORKSPACE_MIGRATIONS])).find(ROOT, signal);
    await other.dispose();
    assert.match(root?.uid ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.notEqual(root?.uid, otherRoot?.uid);
    const madeAt = Number.parseInt(root?.uid.replaceAll('-', '').slice(0, 12) ?? '', 16);
    assert.equal(madeAt, root?.createTime);
    assert.ok(Math.abs(Date.now() - madeAt) < 60_000, 'the root was not made just now');
  });

  it('has no place for a child of nobody, nor for a second root', async () => {
    await assert.rejects(insert(aWorkspace({ ancestors: names('root', 'nobody') })), { code: 'REFERENCE_VIOLATED' });
    await assert.rejects(insert(aWorkspace({ ancestors: [] })), { code: 'CHECK_VIOLATED' });
  });

  it('keeps a parent while a child is there, even when nobody looked', async () => {
    const parent = aWorkspace({ name: parseResourceName('parent') });
    await insert(parent);
    await insert(aWorkspace({ ancestors: names('root', 'parent'), uid: uidOf(2) }));
    const removed = storage.write((tx) => new SqlWorkspaceStore(tx).remove(parent, signal), signal);
    await assert.rejects(removed, { code: 'REFERENCE_VIOLATED' });
  });

  for (const { why, column, value } of [
    { why: 'a kind from the future', column: 'kind', value: 'galaxy' },
    { why: 'labels that are no JSON', column: 'labels', value: '{' },
    { why: 'labels that are no strings', column: 'labels', value: '{"a": 1}' },
    { why: 'labels that are a list', column: 'labels', value: '[]' },
    { why: 'a label that is none', column: 'labels', value: '{"a b": "c"}' },
    { why: 'a path from elsewhere', column: 'path', value: '/elsewhere/root/' },
    { why: 'the path of another', column: 'path', value: '/other/' },
    { why: 'a uid that is none', column: 'uid', value: 'x' },
    { why: 'a slug of no domain', column: 'slug', value: 'web' },
    { why: 'an empty display name', column: 'display_name', value: '' },
  ]) {
    it(`is not believed when it holds ${why}`, async () => {
      const statement = sql`UPDATE workspaces SET ${sql.raw(column)} = ${value} WHERE name = ${'root'}`;
      const rolledBack = storage.write(async (tx) => {
        await tx.run(statement);
        await new SqlWorkspaceStore(tx).find(ROOT, signal);
      }, signal);
      await assert.rejects(rolledBack, { code: 'STORED_WORKSPACE_INVALID' });
    });
  }
});
