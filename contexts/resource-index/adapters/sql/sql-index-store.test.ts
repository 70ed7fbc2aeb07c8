import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Storage, sql } from '#kit/storage';
import { DATABASES, eachDatabase, freshDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import { anIndexed } from '../../testing/an-index.ts';
import { indexStoreContract } from '../../testing/index-store-contract.ts';
import { RESOURCE_INDEX_MIGRATIONS } from '../migrations.ts';
import { indexInTree, purgeExpired } from './index-in-tree.ts';
import { SqlIndexReader } from './sql-index-reader.ts';
import { SqlIndexStore } from './sql-index-store.ts';

const signal = AbortSignal.timeout(FILE_MS);
const NOW = Date.UTC(2030, 0, 1);

for (const engine of DATABASES) {
  indexStoreContract(engine, async (targets) => {
    const database = await freshDatabase(engine);
    const storage = await database.open([RESOURCE_INDEX_MIGRATIONS]);
    const existing = async () => new Set(targets);
    return { store: new SqlIndexStore({ storage, existing }), close: () => database.dispose() };
  });
}

eachDatabase('the tables of the index', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  let store: SqlIndexStore;
  let reader: SqlIndexReader;
  before(async () => {
    database = await fresh();
    storage = await database.open([RESOURCE_INDEX_MIGRATIONS]);
    store = new SqlIndexStore({ storage, existing: async (_tx, uids) => new Set(uids) });
    reader = new SqlIndexReader(storage);
  });
  after(async () => await database.dispose());

  const put = async (target: string, ...put: readonly ReturnType<typeof anIndexed>[]): Promise<void> => {
    await store.apply([{ target, delta: { put, deleted: [], droppedTypes: [] } }], NOW, signal);
  };
  const names = async (target: string, now = NOW): Promise<readonly string[]> => {
    const range = { type: undefined, namespace: undefined, now, after: undefined, limit: 10 };
    return (await reader.objects(target, range, signal)).map(({ key }) => key.name);
  };
  const rows = async (table: string): Promise<number> =>
    (await storage.all(sql`SELECT 1 AS one FROM ${sql.raw(table)}`, signal)).length;

  it('forget what has expired, in small steps, and hide it before', async () => {
    const old = Array.from({ length: 1_500 }, (_, index) =>
      anIndexed(`old-${index}`, { expireTime: NOW + 1 + (index % 7) }),
    );
    await put('passing', ...old, anIndexed('later', { expireTime: NOW + 60_000 }), anIndexed('lasting'));
    assert.deepEqual(await names('passing', NOW + 1_000), ['lasting', 'later']);
    assert.equal(await purgeExpired(storage, NOW + 1_000, signal), 1_500);
    assert.equal(await rows('index_objects'), 2);
    assert.equal(await purgeExpired(storage, NOW + 1_000, signal), 0);
    await storage.write((tx) => indexInTree(tx).targetDeleted({ uid: 'passing' }, signal), signal);
  });

  it('are without a trace of a target that was deleted', async () => {
    for (const target of ['stays', 'goes']) {
      await put(target, anIndexed('a'));
      const types = [{ type: 'v1/Box', state: 'Forbidden', message: 'may not', objects: 1 }] as const;
      await store.report(target, { types, now: NOW }, signal);
    }
    await storage.write((tx) => indexInTree(tx).targetDeleted({ uid: 'goes' }, signal), signal);
    assert.deepEqual([await names('stays'), await names('goes')], [['a'], []]);
    assert.deepEqual([await rows('index_objects'), await rows('index_types')], [1, 1]);
    assert.deepEqual(await reader.counts(signal), [{ type: 'v1/Box', state: 'Forbidden', targets: 1, objects: 1 }]);
  });

  it('have the latest report of a target, and no earlier one', async () => {
    const report = async (type: string) =>
      await store.report(
        'stays',
        { types: [{ type, state: 'Followed', message: '', objects: 7 }], now: NOW + 5 },
        signal,
      );
    await report('v1/Crate');
    await report('v1/Shelf');
    assert.deepEqual(await reader.reports('stays', signal), [
      { type: 'v1/Shelf', state: 'Followed', message: '', objects: 7, updateTime: NOW + 5 },
    ]);
  });
});
