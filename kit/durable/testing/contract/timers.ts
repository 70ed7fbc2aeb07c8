import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../eventually.ts';
import { alarms, sleeper } from '../workflows/index.ts';
import { freshId, SKEW_MS, whileAsleep } from './driver.ts';
import type { Stage } from './stage.ts';

interface Slept {
  readonly before: number;
  readonly after: number;
}

export function timersContract(stage: Stage): void {
  it('sleeps at least as long as it was told', async () => {
    const driver = await stage.driver();
    const id = await driver.start(sleeper, { ms: 120, key: freshId('key') });
    const { before, after } = (await driver.result(id)) as unknown as Slept;
    assert.ok(after - before >= 120, `${after - before} ms`);
  });

  it('lets several pass in the order of their times', async () => {
    const driver = await stage.driver();
    const id = await driver.start(alarms, { times: [400, 1, 200, 0] });
    const passed = (await driver.result(id)) as number[];
    assert.deepEqual(passed.slice(2), [200, 400]);
    assert.deepEqual(new Set(passed.slice(0, 2)), new Set([0, 1]));
  });

  it('tells until when it sleeps', async () => {
    const driver = await stage.driver();
    const begun = Date.now();
    const id = await driver.start(sleeper, { ms: 3_600_000, key: freshId('key') });
    const { until = 0, step } = await driver.untilWaitingFor(id, 'timer');
    assert.equal(step, 1);
    const since = until - 3_600_000;
    assert.ok(since >= begun - SKEW_MS && since <= Date.now() + SKEW_MS, new Date(until).toISOString());
    await driver.cancel(id);
  });

  it('sleeps on after a restart', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const id = await driver.start(sleeper, { ms: 1_500, key });
    const { until = 0 } = await driver.untilWaitingFor(id, 'timer');
    const later = await stage.restarted();
    const { before, after } = (await later.result(id)) as unknown as Slept;
    assert.ok(after - before >= 1_500, `${after - before} ms`);
    assert.ok(Date.now() >= until);
    assert.equal(stage.world.calls(key).length, 1);
  });

  it('fires at once when the time passed while nothing ran', async () => {
    const key = await whileAsleep(400, async (ms) => {
      const driver = await stage.driver();
      const own = freshId('key');
      const id = await driver.start(sleeper, { ms, key: own });
      const { until = 0 } = await driver.untilWaitingFor(id, 'timer');
      let stopped = 0;
      const later = await stage.restarted('main', async () => {
        stopped = Date.now();
        await eventually('the time to pass', () => Date.now() > until + 50);
        if (stopped < until) assert.equal(stage.world.calls(own).length, 0);
      });
      const { before, after } = (await later.result(id)) as unknown as Slept;
      assert.ok(after - before >= ms, `${after - before} ms`);
      return stopped < until ? own : undefined;
    });
    assert.equal(stage.world.calls(key).length, 1);
  });
}
