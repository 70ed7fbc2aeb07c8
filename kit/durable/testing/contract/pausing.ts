import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../eventually.ts';
import { collector, parent, sleeper, steps } from '../workflows/index.ts';
import { doneText } from '../world.ts';
import { type Driver, freshId, rejectsWith, whileAsleep } from './driver.ts';
import type { Stage } from './stage.ts';

export function pausingContract(stage: Stage): void {
  const { world } = stage;

  /** A workflow that is paused during its first activity and has then finished it. */
  async function pausedAfterFirst(driver: Driver, second: string): Promise<string> {
    const first = freshId('key');
    const held = world.hold(first);
    const id = await driver.start(steps, { keys: [first, second] });
    await world.untilCalled(first);
    await driver.pause(id);
    await driver.untilStatus(id, 'paused');
    held.open();
    await eventually('the first to be recorded', async () => (await driver.history(id)).length === 1);
    return id;
  }

  it('lets what runs finish, and starts nothing new until it is resumed', async () => {
    const driver = await stage.driver();
    const second = freshId('key');
    const id = await pausedAfterFirst(driver, second);
    await driver.roundTrip();
    assert.equal(world.calls(second).length, 0);
    await driver.resume(id);
    assert.equal(((await driver.result(id)) as string[])[1], doneText(second));
  });

  it('stays paused after a restart', async () => {
    const driver = await stage.driver();
    const second = freshId('key');
    const id = await pausedAfterFirst(driver, second);
    const later = await stage.restarted();
    await later.roundTrip();
    assert.equal((await later.describe(id)).status, 'paused');
    assert.equal(world.calls(second).length, 0);
    await later.resume(id);
    await later.result(id);
    assert.equal(world.calls(second).length, 1);
  });

  it('takes signals while it is paused', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: 3 });
    await driver.untilWaitingFor(id, 'signal');
    await driver.pause(id);
    await driver.untilStatus(id, 'paused');
    for (const item of [1, 2]) await driver.signal(id, 'item', item);
    // A workflow that has all its signals needs no step to end, and would end before it is resumed.
    await driver.resume(id);
    await driver.signal(id, 'item', 3);
    assert.deepEqual(await driver.result(id), [1, 2, 3]);
  });

  it('does nothing about a timer that passes meanwhile until it is resumed', async () => {
    const driver = await stage.driver();
    const { id, key } = await whileAsleep(300, async (ms) => {
      const own = freshId('key');
      const sleeping = await driver.start(sleeper, { ms, key: own });
      const { until = 0 } = await driver.untilWaitingFor(sleeping, 'timer');
      const isPaused = await driver.pause(sleeping).then(
        () => Date.now() < until,
        () => false,
      );
      if (!isPaused) return undefined;
      await driver.untilStatus(sleeping, 'paused');
      await eventually('the time to pass', () => Date.now() > until + 50);
      return { id: sleeping, key: own };
    });
    await driver.roundTrip();
    assert.equal(world.calls(key).length, 0);
    await driver.resume(id);
    await driver.result(id);
    assert.equal(world.calls(key).length, 1);
  });

  it('can be cancelled while it is paused', async () => {
    const driver = await stage.driver();
    const id = await pausedAfterFirst(driver, freshId('key'));
    await driver.cancel(id);
    await rejectsWith('WORKFLOW_CANCELLED', driver.result(id));
  });

  it('starts no child while it is paused', async () => {
    const driver = await stage.driver();
    const [after, child] = [freshId('key'), freshId('child')];
    const held = world.hold(after);
    const id = await driver.start(parent, { after, child, keys: [child] });
    await world.untilCalled(after);
    await driver.pause(id);
    await driver.untilStatus(id, 'paused');
    held.open();
    await eventually('the activity to be recorded', async () => (await driver.history(id)).length === 1);
    await driver.roundTrip();
    await rejectsWith('WORKFLOW_NOT_FOUND', driver.describe(child));
    await driver.resume(id);
    assert.deepEqual(await driver.result(id), { result: [doneText(child)] });
  });
}
