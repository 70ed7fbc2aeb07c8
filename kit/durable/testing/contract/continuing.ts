import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../eventually.ts';
import { chapters } from '../workflows/index.ts';
import { freshId } from './driver.ts';
import type { Stage } from './stage.ts';

export function continuingContract(stage: Stage): void {
  const { world } = stage;

  it('ends a run and begins the next under the same id, with a fresh history', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const id = await driver.start(chapters, { left: 3, read: [], key });
    for (const item of ['a', 'b', 'c']) {
      await driver.signal(id, 'item', item);
      await eventually('the next run', async () => ((await driver.query(id, 'read')) as string[]).includes(item));
    }
    assert.deepEqual(await driver.result(id), ['a', 'b', 'c']);
    assert.equal((await driver.describe(id)).run, 4);
    assert.deepEqual(
      (await driver.history(id)).map(({ kind, name, step }) => ({ kind, name, step })),
      [{ kind: 'activity', name: 'work', step: 1 }],
    );
    assert.equal(new Set(world.calls(key).map(({ idempotencyKey }) => idempotencyKey)).size, 4);
  });

  it('carries over the signals that nobody took, in order', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const held = world.hold(key);
    const id = await driver.start(chapters, { left: 4, read: [], key });
    await world.untilCalled(key);
    for (const item of [1, 2, 3, 4]) await driver.signal(id, 'item', item, `item ${item}`);
    held.open();
    assert.deepEqual(await driver.result(id), [1, 2, 3, 4]);
    assert.equal((await driver.describe(id)).run, 5);
  });

  it('loses no signal that comes while one run follows the other', async () => {
    const driver = await stage.driver();
    const items = Array.from({ length: 15 }, (_, index) => index);
    const id = await driver.start(chapters, { left: items.length, read: [], key: freshId('key') });
    for (const item of items) await driver.signal(id, 'item', item);
    assert.deepEqual(await driver.result(id), items);
  });

  it('is carried on by an engine that comes later', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const id = await driver.start(chapters, { left: 3, read: [], key });
    await driver.signal(id, 'item', 'a');
    await driver.signal(id, 'item', 'b');
    await eventually('the third run', async () => (await driver.describe(id)).run === 3);
    const later = await stage.restarted();
    assert.equal((await later.describe(id)).run, 3);
    await later.signal(id, 'item', 'c');
    assert.deepEqual(await later.result(id), ['a', 'b', 'c']);
  });

  it('gives the result of its last run when its id is started again', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const id = await driver.start(chapters, { left: 1, read: [], key });
    await driver.signal(id, 'item', 'a');
    assert.deepEqual(await driver.result(id), ['a']);
    await driver.start(chapters, { left: 1, read: [], key }, id);
    assert.deepEqual(await driver.result(id), ['a']);
  });
}
