import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../eventually.ts';
import { collector } from '../workflows/index.ts';
import { freshId, rejectsWith } from './driver.ts';
import type { Stage } from './stage.ts';

export function queriesContract(stage: Stage): void {
  it('answers from the variables of the workflow', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: 2 });
    assert.deepEqual(await driver.query(id, 'taken'), []);
    await driver.signal(id, 'item', 'one');
    await eventually('the first to be taken', async () => {
      assert.deepEqual(await driver.query(id, 'taken'), ['one']);
      return true;
    });
    await driver.signal(id, 'item', 'two');
    await driver.result(id);
  });

  it('answers while an activity runs', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const held = stage.world.hold(key);
    const id = await driver.start(collector, { count: 0, key });
    await stage.world.untilCalled(key);
    assert.deepEqual(await driver.query(id, 'taken'), []);
    held.open();
    await driver.result(id);
  });

  it('answers after a restart, and changes nothing', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: 2 });
    await driver.signal(id, 'item', 'one');
    const later = await stage.restarted();
    await eventually('the signal to be taken', async () => {
      assert.deepEqual(await later.query(id, 'taken'), ['one']);
      return true;
    });
    const before = await later.history(id);
    await later.query(id, 'taken');
    assert.deepEqual(await later.history(id), before);
    await later.cancel(id);
  });

  it('answers for one that has ended', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: 1 });
    await driver.signal(id, 'item', 'only');
    await driver.result(id);
    assert.deepEqual(await driver.query(id, 'taken'), ['only']);
  });

  it('refuses a name that the workflow does not answer to', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: 1 });
    await rejectsWith('QUERY_UNKNOWN', driver.query(id, 'wisdom'));
    await driver.cancel(id);
  });
}
