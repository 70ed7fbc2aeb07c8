import assert from 'node:assert/strict';
import { it } from 'node:test';
import { collector, impatient, rivals, sorter } from '../workflows/index.ts';
import { freshId } from './driver.ts';
import type { Stage } from './stage.ts';

const NUMBERS = Array.from({ length: 20 }, (_, index) => index);

export function signalsContract(stage: Stage): void {
  const { world } = stage;

  it('gives signals in the order in which they were sent', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: NUMBERS.length });
    for (const number of NUMBERS) await driver.signal(id, 'item', number);
    assert.deepEqual(await driver.result(id), NUMBERS);
  });

  it('keeps those that come before anybody waits', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const held = world.hold(key);
    const id = await driver.start(collector, { count: 3, key });
    for (const item of ['a', { b: [1] }, null]) await driver.signal(id, 'item', item);
    held.open();
    assert.deepEqual(await driver.result(id), ['a', { b: [1] }, null]);
  });

  it('gives one to a workflow that has waited for it', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: 1 });
    const { name } = await driver.untilWaitingFor(id, 'signal');
    assert.equal(name, 'item');
    await driver.signal(id, 'item', 'late');
    assert.deepEqual(await driver.result(id), ['late']);
  });

  it('takes a signal id once', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: 3 });
    await driver.signal(id, 'item', 'first', 'one');
    await driver.signal(id, 'item', 'first again', 'one');
    await driver.signal(id, 'item', 'second', 'two');
    await driver.signal(id, 'item', 'first yet again', 'one');
    await driver.signal(id, 'item', 'third');
    assert.deepEqual(await driver.result(id), ['first', 'second', 'third']);
  });

  it('takes a signal id once, also when it is sent again together, or after a restart', async () => {
    const driver = await stage.driver();
    const id = await driver.start(collector, { count: 2 });
    await Promise.all(NUMBERS.map(() => driver.signal(id, 'item', 'first', 'one')));
    const later = await stage.restarted();
    await later.signal(id, 'item', 'first', 'one');
    await later.signal(id, 'item', 'second', 'two');
    assert.deepEqual(await later.result(id), ['first', 'second']);
  });

  it('keeps names apart', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const held = world.hold(key);
    const id = await driver.start(sorter, { key });
    await driver.signal(id, 'first', 1);
    await driver.signal(id, 'unheard-of', 0);
    await driver.signal(id, 'second', 2);
    held.open();
    assert.deepEqual(await driver.result(id), [2, 1]);
  });

  it('gives each signal to one waiter, first come first served', async () => {
    const driver = await stage.driver();
    const id = await driver.start(rivals, null);
    await driver.untilWaitingFor(id, 'signal');
    await driver.signal(id, 'item', 'first');
    await driver.signal(id, 'item', 'second');
    assert.deepEqual(await driver.result(id), ['first', 'second']);
  });

  it('stops waiting when the time is up, and loses nothing that comes later', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const id = await driver.start(impatient, { timeoutMs: 30, key });
    await world.untilCalled(key);
    await driver.signal(id, 'item', 'late');
    assert.deepEqual(await driver.result(id), { first: 'none', second: 'late' });
  });

  it('forgets the time when the signal comes first', async () => {
    const driver = await stage.driver();
    const id = await driver.start(impatient, { timeoutMs: 3_600_000, key: freshId('key') });
    await driver.signal(id, 'item', 'early');
    await driver.signal(id, 'item', 'next');
    assert.deepEqual(await driver.result(id), { first: 'early', second: 'next' });
  });

  it('has kept a signal once sending it returned, taken or not', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const held = world.hold(key);
    const waiting = await driver.start(collector, { count: 2 });
    const busy = await driver.start(collector, { count: 2, key });
    await world.untilCalled(key);
    await Promise.all([waiting, busy].map((id) => driver.signal(id, 'item', 'before')));
    const later = await stage.restarted();
    held.open();
    await Promise.all([waiting, busy].map((id) => later.signal(id, 'item', 'after')));
    assert.deepEqual(await later.result(waiting), ['before', 'after']);
    assert.deepEqual(await later.result(busy), ['before', 'after']);
  });
}
