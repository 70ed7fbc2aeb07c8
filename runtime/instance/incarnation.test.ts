import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Storage, sql } from '#kit/storage';
import { eachDatabase } from '#testing/databases';
import { acceptIncarnation, isHeld, openIncarnation, readIncarnation, restoreMark } from './incarnation.ts';
import { SCHEMA_MODULES } from './schema.ts';

const signal = new AbortController().signal;
const NOW = Date.UTC(2030, 0, 1);

async function restore(storage: Storage, id: string): Promise<void> {
  const [row = []] = restoreMark(NOW, () => id).rows;
  const [name = '', time = 0] = row;
  await storage.commit([sql`INSERT INTO instance_marks (name, time) VALUES (${name}, ${time})`], signal);
}

eachDatabase('the incarnation of an instance', (fresh) => {
  it('is the first one until a restore, and held after each restore until it is accepted', async (t) => {
    const database = await fresh();
    t.after(() => database.dispose());
    const storage = await database.open(SCHEMA_MODULES);
    const read = async () => (await storage.read((reader) => readIncarnation(reader), signal)) ?? assert.fail();
    assert.equal(await storage.read((reader) => readIncarnation(reader), signal), undefined);

    const first = await openIncarnation(storage, { now: NOW, newId: () => 'b' }, signal);
    assert.deepEqual(first, {
      instance: 'b',
      incarnation: 'b',
      earlier: [],
      restoredAt: undefined,
      accepted: undefined,
    });
    assert.equal(isHeld(first), false);
    assert.deepEqual(await openIncarnation(storage, { now: NOW, newId: () => 'a' }, signal), first, 'never changed');

    await restore(storage, 'c');
    const restored = await read();
    assert.deepEqual([restored.instance, restored.incarnation, restored.earlier], ['b', 'c', ['b']]);
    assert.equal(isHeld(restored), true);
    const accept = { targetsAhead: 'goBack', now: NOW + 1 } as const;
    for (const time of [NOW + 1, NOW + 2]) {
      await storage.write((tx) => acceptIncarnation(tx, { ...accept, now: time }), signal);
    }
    const accepted = await read();
    assert.deepEqual(accepted.accepted, { time: NOW + 1, targetsAhead: 'goBack' });
    assert.equal(isHeld(accepted), false);

    await restore(storage, 'd');
    const again = await read();
    assert.deepEqual([again.incarnation, again.earlier, again.accepted], ['d', ['b', 'c'], undefined]);
    assert.equal(isHeld(again), true, 'a copy of a copy is held, too');
    await restore(storage, 'aa');
    assert.equal((await read()).incarnation, 'd', 'two that were not accepted');
    await storage.write((tx) => acceptIncarnation(tx, { targetsAhead: 'hold', now: NOW }), signal);
    assert.equal(isHeld(await read()), false);
    await restore(storage, 'ab');
    const behind = await read();
    assert.deepEqual(
      [behind.incarnation, behind.earlier.length],
      ['ab', 4],
      'restored on a machine whose clock is behind',
    );
    assert.equal(isHeld(behind), true);
  });
});
