import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../eventually.ts';
import { cancellable, careless, shielded, steps } from '../workflows/index.ts';
import { doneText, type World } from '../world.ts';
import { freshId, rejectsWith } from './driver.ts';
import type { Stage } from './stage.ts';

const WAITS = [
  { on: 'activity', waitingFor: 'activity' },
  { on: 'timer', waitingFor: 'timer' },
  { on: 'signal', waitingFor: 'signal' },
  { on: 'signal with timeout', waitingFor: 'signal' },
  { on: 'child', waitingFor: 'child' },
] as const;

/** Ends when its signal aborts, and reports that. */
function obedient(world: World, key: string): { aborted: () => boolean } {
  let aborted = false;
  world.behave(key, async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    aborted = true;
    signal.throwIfAborted();
    return 'unreachable';
  });
  return { aborted: () => aborted };
}

export function cancellingContract(stage: Stage): void {
  const { world } = stage;

  for (const { on, waitingFor } of WAITS) {
    it(`wakes a workflow that waits for a ${on}; later calls reject, a clean-up runs, and what it returns counts`, async () => {
      const driver = await stage.driver();
      const key = freshId('key');
      obedient(world, key);
      const id = await driver.start(cancellable, { on, key, keeps: true });
      await driver.untilWaitingFor(id, waitingFor);
      await driver.cancel(id);
      assert.deepEqual(await driver.result(id), {
        later: 'WORKFLOW_CANCELLED',
        undone: doneText(`${key}-undo`),
        cancelled: true,
      });
      assert.equal((await driver.describe(id)).status, 'completed');
      assert.equal(world.calls(`${key}-later`).length, 0);
      assert.equal(world.calls(`${key}-undo`).length, 1);
    });
  }

  it('ends as cancelled when the cancel is let out, with the reason', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const id = await driver.start(cancellable, { on: 'timer', key, keeps: false });
    await driver.untilWaitingFor(id, 'timer');
    await driver.cancel(id, 'the order was withdrawn');
    await assert.rejects(driver.result(id), {
      code: 'WORKFLOW_CANCELLED',
      details: { reason: 'the order was withdrawn' },
    });
    const { status, reason } = await driver.describe(id);
    assert.deepEqual(
      { status, reason },
      { status: 'cancelled', reason: { code: 'WORKFLOW_CANCELLED', message: 'the order was withdrawn' } },
    );
    assert.equal(world.calls(`${key}-undo`).length, 1);
  });

  it('aborts the signal of a running activity', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const running = obedient(world, key);
    const id = await driver.start(careless, { key });
    await world.untilCalled(key);
    await driver.cancel(id);
    await rejectsWith('WORKFLOW_CANCELLED', driver.result(id));
    await eventually('the abort', running.aborted);
    await driver.roundTrip();
    assert.equal(world.calls(key).length, 1, 'it is not tried again');
  });

  it('drops the result of an activity that finishes after the cancel', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const held = world.hold(key);
    const id = await driver.start(careless, { key });
    await world.untilCalled(key);
    await driver.cancel(id, 'too slow');
    await rejectsWith('WORKFLOW_CANCELLED', driver.result(id));
    held.open();
    await driver.roundTrip();
    assert.deepEqual(
      (await driver.history(id)).map(({ kind, name }) => ({ kind, name })),
      [{ kind: 'cancel', name: 'too slow' }],
    );
    assert.equal((await driver.describe(id)).status, 'cancelled');
  });

  it('does not reach what runs in a clean-up', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    let aborted = false;
    const { promise: release, resolve: open } = Promise.withResolvers<void>();
    world.behave(key, async ({ signal }) => {
      await release;
      aborted = signal.aborted;
      return 'kept';
    });
    const id = await driver.start(shielded, { key });
    await world.untilCalled(key);
    await driver.cancel(id);
    await driver.roundTrip();
    open();
    assert.deepEqual(await driver.result(id), { kept: 'kept', next: 'WORKFLOW_CANCELLED' });
    assert.equal(aborted, false);
  });

  it('cancels the children too', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const running = obedient(world, key);
    const id = await driver.start(cancellable, { on: 'child', key, keeps: false });
    await world.untilCalled(key);
    await driver.cancel(id);
    await rejectsWith('WORKFLOW_CANCELLED', driver.result(id));
    await driver.untilStatus(`${key}-child`, 'cancelled');
    await eventually('the abort', running.aborted);
  });

  it('is remembered by an engine that comes later', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    world.hold(key);
    const id = await driver.start(steps, { keys: [key] });
    await world.untilCalled(key);
    await driver.cancel(id);
    const later = await stage.restarted();
    await rejectsWith('WORKFLOW_CANCELLED', later.result(id));
  });

  it('cancels one that has not begun to wait', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    world.hold(key);
    const id = await driver.start(careless, { key });
    await driver.cancel(id);
    await rejectsWith('WORKFLOW_CANCELLED', driver.result(id));
  });
}
