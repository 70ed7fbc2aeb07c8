import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Uuid } from '#kit/std';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { eachDatabase } from '#testing/databases';
import { aDeployment } from '../../testing/a-revision.ts';
import { ORCHESTRATION_MIGRATIONS } from '../migrations.ts';
import { SqlAuthorStore } from './sql-author-store.ts';
import { insertDeployment } from './sql-deployment-store.ts';

const signal = new AbortController().signal;

eachDatabase('authors', (fresh) => {
  const authorsOf = async (body: (authors: SqlAuthorStore, uid: Uuid) => Promise<void>): Promise<readonly string[]> => {
    const storage = await (await fresh()).open([ORCHESTRATION_MIGRATIONS, OUTBOX_MIGRATIONS]);
    const { uid } = aDeployment();
    await storage.commit([insertDeployment(aDeployment())], signal);
    await storage.write((tx) => body(new SqlAuthorStore(tx), uid), signal);
    const left = await storage.read((reader) => new SqlAuthorStore(reader as never).of(uid, signal), signal);
    await storage.close();
    return left;
  };

  it('are all who wrote since the last approval, by their last change', async () => {
    const left = await authorsOf(async (authors, uid) => {
      await authors.add(uid, ['user:bob', 'user:mallory'], 1, signal);
      await authors.add(uid, ['user:bob'], 3, signal);
      await authors.approved(uid, 2, signal);
    });
    assert.deepEqual(left, ['user:bob']);
  });

  it('are those since the last success, as long as there was no approval', async () => {
    const left = await authorsOf(async (authors, uid) => {
      await authors.add(uid, ['user:bob'], 1, signal);
      await authors.succeeded(uid, 1, signal);
      await authors.add(uid, ['user:carol'], 2, signal);
    });
    assert.deepEqual(left, ['user:carol']);
  });

  it('stay through a success that no second person approved, once there was an approval', async () => {
    const left = await authorsOf(async (authors, uid) => {
      await authors.approved(uid, 1, signal);
      await authors.add(uid, ['user:mallory'], 2, signal);
      await authors.succeeded(uid, 2, signal);
    });
    assert.deepEqual(left, ['user:mallory']);
  });
});
