import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Storage, sql } from '#kit/storage';
import { DATABASES, eachDatabase, freshDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import { aTarget, fixedWorkspaces, placeAt } from '../testing/a-target.ts';
import { TREE, targetStoreContract } from '../testing/target-store-contract.ts';
import { TARGET_MIGRATIONS } from './migrations.ts';
import { SqlTargetReader } from './sql-target-reader.ts';
import { SqlTargetStore } from './sql-target-store.ts';
import { targetsInWorkspaces } from './targets-in-workspaces.ts';

const signal = AbortSignal.timeout(FILE_MS);
const workspaces = () => fixedWorkspaces(...TREE);

for (const engine of DATABASES) {
  targetStoreContract(engine, async () => {
    const database = await freshDatabase(engine);
    const storage = await database.open([TARGET_MIGRATIONS]);
    return {
      reader: new SqlTargetReader({ storage, workspaces }),
      unit: (body) =>
        storage.write((tx) => {
          const store = new SqlTargetStore(tx);
          return body(store, store);
        }, signal),
      close: () => database.dispose(),
    };
  });
}

eachDatabase('the table of targets', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([TARGET_MIGRATIONS]);
    const target = aTarget({ workspace: placeAt('/root/emea/web/') });
    await storage.write((tx) => new SqlTargetStore(tx).insert(target, signal), signal);
  });
  after(async () => await database.dispose());

  for (const { why, column, value } of [
    { why: 'a lifecycle from the future', column: 'lifecycle', value: 'Retired' },
    { why: 'a connection from the future', column: 'connection_state', value: 'Dreaming' },
    { why: 'labels that are no JSON', column: 'labels', value: '{' },
    { why: 'labels that are no strings', column: 'labels', value: '{"a": 1}' },
    { why: "an agent's label as a person's", column: 'labels', value: '{"agent.fleetshift.io/a": "1"}' },
    { why: "a person's label as an agent's", column: 'reported_labels', value: '{"a": "1"}' },
    { why: 'properties that are a list', column: 'properties', value: '[]' },
    { why: 'manifest types that are none', column: 'manifest_types', value: '{}' },
    { why: 'a condition that is none', column: 'conditions', value: '[1]' },
    { why: 'a path of another workspace', column: 'workspace_path', value: '/root/emea/' },
    { why: 'a uid that is none', column: 'uid', value: 'x' },
  ]) {
    it(`is not believed when it holds ${why}`, async () => {
      const rolledBack = storage.write(async (tx) => {
        await tx.run(sql`UPDATE targets SET ${sql.raw(column)} = ${value}`);
        await new SqlTargetStore(tx).find(aTarget().name, signal);
      }, signal);
      await assert.rejects(rolledBack, { code: 'STORED_TARGET_INVALID' });
    });
  }

  it('tells who deletes a workspace what is directly in it', async () => {
    const inside = (path: string) =>
      storage.write((tx) => targetsInWorkspaces(tx).contentsOf(placeAt(path), 10, signal), signal);
    assert.deepEqual(await inside('/root/emea/web/'), { kind: 'target', count: 1, names: ['prod-1'] });
    assert.deepEqual(await inside('/root/emea/'), { kind: 'target', count: 0, names: [] });
  });

  it('follows a workspace that moves, and tells how many do', async () => {
    const move = (fromPath: string, toPath: string) =>
      storage.write((tx) => targetsInWorkspaces(tx).moved({ fromPath, toPath }, signal), signal);
    assert.deepEqual(await move('/root/eme/', '/root/apac/eme/'), []);
    const told = [{ kind: 'targets', message: '1 target moves.', count: 1 }];
    assert.deepEqual(await move('/root/emea/', '/root/apac/emea/'), told);
    const moved = await new SqlTargetReader({ storage, workspaces }).find(aTarget().name, signal);
    assert.deepEqual(moved, aTarget({ workspace: placeAt('/root/apac/emea/web/') }));
    await move('/root/apac/emea/', '/root/emea/');
  });
});
