import assert from 'node:assert/strict';
import { it } from 'node:test';
import { collector } from '../workflows/index.ts';
import { freshId } from './driver.ts';
import type { Stage } from './stage.ts';

const NUMBERS = Array.from({ length: 20 }, (_, index) => index);

export function signalWithStartContract(stage: Stage): void {
  const { world } = stage;
  const item = (payload: string | number, signalId?: string) => ({
    name: 'item',
    payload,
    ...(signalId !== undefined && { signalId }),
  });

  it('starts a workflow, which then has the signal', async () => {
    const driver = await stage.driver();
    const id = freshId();
    assert.equal(await driver.signalWithStart(collector, { id, input: { count: 1 }, message: item('first') }), 'sent');
    assert.deepEqual(await driver.result(id), ['first']);
  });

  it('signals a workflow that runs, which keeps its input', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: 2 });
    await driver.untilWaitingFor(id, 'signal');
    for (const text of ['first', 'second']) {
      assert.equal(await driver.signalWithStart(collector, { id, input: { count: 9 }, message: item(text) }), 'sent');
    }
    assert.deepEqual(await driver.result(id), ['first', 'second']);
    assert.deepEqual((await driver.describe(id)).input, { count: 2 });
  });

  it('starts one workflow for many calls at once, which has the signals of all', async () => {
    const driver = await stage.driver();
    const id = freshId();
    const input = { count: NUMBERS.length };
    await Promise.all(NUMBERS.map((number) => driver.signalWithStart(collector, { id, input, message: item(number) })));
    const result = (await driver.result(id)) as number[];
    assert.deepEqual(
      result.toSorted((a, b) => a - b),
      NUMBERS,
    );
    assert.equal((await driver.describe(id)).run, 1);
  });

  it('takes a signal id once, that of the start too', async () => {
    const driver = await stage.driver();
    const id = freshId();
    const input = { count: 2 };
    for (const message of [item('first', 'one'), item('first again', 'one'), item('second', 'two')]) {
      assert.equal(await driver.signalWithStart(collector, { id, input, message }), 'sent');
    }
    assert.deepEqual(await driver.result(id), ['first', 'second']);
  });

  it('says that a workflow has ended, however it did, and starts no other one', async () => {
    const driver = await stage.driver();
    const completed = await driver.start(collector, { count: 0 });
    await driver.result(completed);
    const cancelled = await driver.start(collector, { count: 1 });
    await driver.cancel(cancelled);
    await driver.untilStatus(cancelled, 'cancelled');
    for (const [id, status] of [
      [completed, 'completed'],
      [cancelled, 'cancelled'],
    ] as const) {
      const message = item('late');
      assert.equal(await driver.signalWithStart(collector, { id, input: { count: 1 }, message }), 'ended');
      assert.equal((await driver.describe(id)).status, status);
    }
  });

  it('has kept both once it returned, whatever happens to the engine', async () => {
    const driver = await stage.driver();
    const [key, fresh, known] = [freshId('key'), freshId(), freshId()];
    const held = world.hold(key);
    const input = { count: 2, key };
    await driver.signalWithStart(collector, { id: fresh, input, message: item('before') });
    // As a process leaves it that ends between a start and a signal.
    await driver.start(collector, input, known);
    const later = await stage.restarted();
    held.open();
    await later.signalWithStart(collector, { id: known, input, message: item('before') });
    for (const id of [fresh, known]) await later.signalWithStart(collector, { id, input, message: item('after') });
    for (const id of [fresh, known]) assert.deepEqual(await later.result(id), ['before', 'after']);
  });
}
