import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dynasty, fan, parent, parentOfFailing, steps } from '../workflows/index.ts';
import { doneText } from '../world.ts';
import { freshId, rejectsWith } from './driver.ts';
import type { Stage } from './stage.ts';

const KEYS = 200;
const CONCURRENCY = 20;

export function familiesContract(stage: Stage): void {
  const { world } = stage;

  it('fans out over many keys, as many at once as it may and never more, and tells each outcome', async () => {
    const driver = await stage.driver();
    const keys = Array.from({ length: KEYS }, () => freshId('fan'));
    const bad = new Set(keys.filter((_, index) => index % 50 === 7));
    const full = Promise.withResolvers<void>();
    let [running, most] = [0, 0];
    for (const key of keys) {
      world.behave(key, async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === CONCURRENCY) full.resolve();
        // Bodies end only when this many run concurrently, so that the limit is reached, not just respected.
        await full.promise;
        running -= 1;
        if (bad.has(key)) throw new Error('a bad one');
        return doneText(key);
      });
    }
    const id = await driver.start(fan, { keys, concurrency: CONCURRENCY });
    assert.deepEqual(
      await driver.result(id),
      keys.map((key) => (bad.has(key) ? { key, code: 'ACTIVITY_FAILED' } : { key, value: doneText(key) })),
    );
    assert.equal(most, CONCURRENCY);
    assert.ok(keys.every((key) => world.calls(key).length === 1));
  });

  it('goes on with a fan-out after a restart, and does no key twice that was done', async () => {
    const driver = await stage.driver();
    const keys = Array.from({ length: 60 }, () => freshId('fan'));
    const last = keys.slice(-5);
    const held = last.map((key) => world.hold(key));
    const id = await driver.start(fan, { keys, concurrency: 10 });
    for (const key of last) await world.untilCalled(key);
    const later = await stage.restarted('main', async () => held.forEach((gate) => gate.open()));
    assert.deepEqual(
      await later.result(id),
      keys.map((key) => ({ key, value: doneText(key) })),
    );
    assert.ok(keys.slice(0, -10).every((key) => world.calls(key).length === 1));
  });

  it('waits for a child, which is a workflow like any other', async () => {
    const driver = await stage.driver();
    const child = freshId('child');
    const id = await driver.start(parent, { child, keys: [child] });
    assert.deepEqual(await driver.result(id), { result: [doneText(child)] });
    const { name, status, parent: itsParent } = await driver.describe(child);
    assert.deepEqual({ name, status, parent: itsParent }, { name: 'steps', status: 'completed', parent: id });
    assert.deepEqual(await driver.result(child), [doneText(child)]);
  });

  it('is told how a child failed', async () => {
    const driver = await stage.driver();
    const id = await driver.start(parentOfFailing, { child: freshId('child') });
    assert.deepEqual(await driver.result(id), {
      code: 'WORKFLOW_FAILED',
      details: { code: 'TypeError', message: 'this is no number' },
    });
  });

  it('is told that a child was cancelled, and is not cancelled itself', async () => {
    const driver = await stage.driver();
    const child = freshId('child');
    world.hold(child);
    const id = await driver.start(parent, { child, keys: [child] });
    await world.untilCalled(child);
    await driver.cancel(child, 'only this one');
    const { code } = (await driver.result(id)) as { code: string };
    assert.equal(code, 'WORKFLOW_CANCELLED');
    assert.equal((await driver.describe(id)).status, 'completed');
    await rejectsWith('WORKFLOW_CANCELLED', driver.result(child));
  });

  it('is told that the id of a child is taken, and leaves the one that has it alone', async () => {
    const driver = await stage.driver();
    const [taken, key] = [freshId('taken'), freshId('key')];
    const held = world.hold(key);
    await driver.start(steps, { keys: [key] }, taken);
    const id = await driver.start(parent, { child: taken, keys: [] });
    const { code, details } = (await driver.result(id)) as { code: string; details: { code: string } };
    assert.deepEqual([code, details.code], ['WORKFLOW_FAILED', 'WORKFLOW_EXISTS']);
    held.open();
    assert.deepEqual(await driver.result(taken), [doneText(key)]);
  });

  it('has many children at once, and waits for them over a restart', async () => {
    const driver = await stage.driver();
    const children = Array.from({ length: 30 }, () => freshId('child'));
    const [last = ''] = children.slice(-1);
    const held = world.hold(last);
    const id = await driver.start(dynasty, { children });
    await Promise.all(children.map((child) => world.untilCalled(child)));
    const later = await stage.restarted('main', async () => held.open());
    assert.deepEqual(
      await later.result(id),
      children.map((child) => [doneText(child)]),
    );
  });
}
