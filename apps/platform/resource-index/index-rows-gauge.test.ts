import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#kit/storage';
import { accessServer } from '../testing/access-server.ts';
import { indexRowsGauge } from './open-index.ts';

test('rows of the index are counted in the workspaces of their targets', async (t) => {
  const { ask, storage } = await accessServer(t);
  const uids = new Map<string, string>();
  for (const name of ['web', 'shop']) await ask('POST /v1/workspaces', 201, { name });
  for (const [name, workspace] of [
    ['a', 'web'],
    ['b', 'web'],
    ['c', 'shop'],
    ['empty', 'root'],
  ] as const) {
    const { body } = await ask('POST /v1/targets', 201, { name, type: 'kubernetes', workspace });
    uids.set(name, String(body.uid));
  }
  const row = (target: string, name: string) => sql`
    INSERT INTO index_objects (target, type, namespace, name, uid, health, deployment, content, bucket, digest, update_time)
    VALUES (${target}, ${'v1/Pod'}, ${'default'}, ${name}, ${name}, ${'Healthy'}, ${''}, ${'{}'}, 1, 1, 1)`;
  const rows = [
    ['a', 1],
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ] as const;
  await storage.commit(
    [...rows.map(([name, nth]) => row(uids.get(name) ?? '', `p${nth}`)), row('gone', 'p')],
    t.signal,
  );
  const found = [...(await indexRowsGauge(storage).read(t.signal))];
  assert.deepEqual(
    found.sort((one, other) => one.workspace.localeCompare(other.workspace)),
    [
      { workspace: 'shop', amount: 1 },
      { workspace: 'web', amount: 3 },
    ],
  );
});
