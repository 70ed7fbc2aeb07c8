import assert from 'node:assert/strict';
import { it } from 'node:test';
import { echo, ending, sleeper, steps } from '../workflows/index.ts';
import { doneText } from '../world.ts';
import { bounded, type Driver, freshId, rejectsWith } from './driver.ts';
import type { Stage } from './stage.ts';

export function startingContract(stage: Stage): void {
  it('runs a workflow to its result', async () => {
    const driver = await stage.driver();
    const id = await driver.start(steps, { keys: ['start-a', 'start-b'] });
    assert.deepEqual(await driver.result(id), [doneText('start-a'), doneText('start-b')]);
    assert.equal((await driver.describe(id)).status, 'completed');
  });

  it('gives the one that is there when an id is started again, running or ended', async () => {
    const driver = await stage.driver();
    const [id, key] = [freshId(), freshId('key')];
    const held = stage.world.hold(key);
    await driver.start(steps, { keys: [key] }, id);
    await stage.world.untilCalled(key);
    await driver.start(steps, { keys: ['another input'] }, id);
    held.open();
    await driver.result(id);
    await driver.start(steps, { keys: ['another input'] }, id);
    assert.deepEqual(await driver.result(id), [doneText(key)]);
    assert.equal(stage.world.calls(key).length, 1);
    assert.equal(stage.world.calls('another input').length, 0);
  });

  it('starts an id once, however many start it together', async () => {
    const driver = await stage.driver();
    const [id, key] = [freshId(), freshId('key')];
    await Promise.all(Array.from({ length: 10 }, () => driver.start(steps, { keys: [key] }, id)));
    await driver.result(id);
    assert.equal(stage.world.calls(key).length, 1);
  });

  it('refuses an id that another workflow has', async () => {
    const driver = await stage.driver();
    const id = await driver.start(steps, { keys: [] });
    await rejectsWith('WORKFLOW_EXISTS', driver.start(sleeper, { ms: 1, key: id }, id));
    await driver.result(id);
    await rejectsWith('WORKFLOW_EXISTS', driver.start(sleeper, { ms: 1, key: id }, id));
  });

  it('runs many at once', async () => {
    const driver = await stage.driver();
    const keys = Array.from({ length: 100 }, () => freshId('many'));
    const ids = await Promise.all(keys.map((key) => driver.start(steps, { keys: [key, `${key}-b`] })));
    const results = await Promise.all(ids.map((id) => driver.result(id)));
    assert.deepEqual(
      results,
      keys.map((key) => [doneText(key), doneText(`${key}-b`)]),
    );
  });

  it('tells why one failed', async () => {
    const driver = await stage.driver();
    const id = await driver.start(ending, { key: freshId('key'), as: 'plain error' });
    await assert.rejects(driver.result(id), {
      code: 'WORKFLOW_FAILED',
      details: { code: 'TypeError', message: 'this is no number' },
    });
    const { status, reason, endTime } = await driver.describe(id);
    assert.equal(status, 'failed');
    assert.deepEqual(reason, { code: 'TypeError', message: 'this is no number' });
    assert.equal(typeof endTime, 'number');
  });

  it('keeps nothing and null apart', async () => {
    const driver = await stage.driver();
    const nothing = await driver.start(ending, { key: freshId('key'), as: 'nothing' });
    const nil = await driver.start(ending, { key: freshId('key'), as: 'null' });
    assert.equal(await driver.result(nothing), undefined);
    assert.equal(await driver.result(nil), null);
  });

  it('carries every JSON value as it is', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const value = {
      text: 'ü 漢 𝄞 \' " \\ \n \u0000 <&>',
      deep: [[{ a: [null, true, -0.5, 1e21] }]],
      empty: {},
      none: [],
    };
    stage.world.behave(key, (_, work) => work.note ?? null);
    const id = await driver.start(echo, { key, value });
    assert.deepEqual(await driver.result(id), { own: value, fromWork: value });
  });

  it('knows no id that was not started', async () => {
    const driver = await stage.driver();
    for (const [why, call] of Object.entries(CALLS)) {
      await assert.rejects(call(driver, 'nobody'), { code: 'WORKFLOW_NOT_FOUND' }, why);
    }
  });

  it('steers nothing that has ended', async () => {
    const driver = await stage.driver();
    const id = await driver.start(steps, { keys: [] });
    await driver.result(id);
    for (const [why, call] of Object.entries(STEERING)) {
      await assert.rejects(call(driver, id), { code: 'WORKFLOW_ENDED' }, why);
    }
  });

  it('stops waiting for a result when the caller does', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const held = stage.world.hold(key);
    const id = await driver.start(steps, { keys: [key] });
    const caller = new AbortController();
    const waiting = driver.client.result(id, AbortSignal.any([caller.signal, bounded()]));
    const rejected = assert.rejects(waiting, { message: 'the caller left' });
    caller.abort(new Error('the caller left'));
    await rejected;
    held.open();
    await driver.result(id);
  });

  it('starts what a stopped engine was asked to start', async () => {
    const driver = await stage.driver();
    const keys = Array.from({ length: 20 }, () => freshId('key'));
    const ids = await Promise.all(keys.map((key) => driver.start(steps, { keys: [key] })));
    const later = await stage.restarted();
    assert.deepEqual(
      await Promise.all(ids.map((id) => later.result(id))),
      keys.map((key) => [doneText(key)]),
    );
  });
}

const STEERING: Readonly<Record<string, (driver: Driver, id: string) => Promise<unknown>>> = {
  signal: (driver, id) => driver.signal(id, 'item'),
  cancel: (driver, id) => driver.cancel(id),
  pause: (driver, id) => driver.pause(id),
  resume: (driver, id) => driver.resume(id),
};

const CALLS: typeof STEERING = {
  ...STEERING,
  result: (driver, id) => driver.result(id),
  query: (driver, id) => driver.query(id, 'taken'),
  describe: (driver, id) => driver.describe(id),
  history: (driver, id) => driver.history(id),
};
