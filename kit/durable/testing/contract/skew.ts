import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Payload } from '#kit/durable';
import type { EngineTraits } from '../engine-harness.ts';
import { eventually } from '../eventually.ts';
import { tryWork } from '../workflows/index.ts';
import * as before from '../workflows/skew/before.ts';
import { doneText } from '../world.ts';
import { type Driver, freshId } from './driver.ts';
import type { Stage } from './stage.ts';

const CHANGES = [
  {
    why: 'another input',
    workflow: before.otherInput,
    recorded: /work\b.*"key":"K"/,
    now: /work\b.*"key":"K-changed"/,
  },
  { why: 'another activity', workflow: before.otherActivity, recorded: /activity work\b/, now: /activity work-once\b/ },
  { why: 'another kind of step', workflow: before.otherKind, recorded: /activity work\b/, now: /timer.*77/ },
  { why: 'another order', workflow: before.otherOrder, recorded: /activity work\b/, now: /activity work-once\b/ },
  { why: 'no such step', workflow: before.stepRemoved, recorded: /activity work\b/, now: /nothing|ended/ },
] as const;

export function skewContract(stage: Stage, { noticesTimersAndChildren }: EngineTraits): void {
  const { world } = stage;

  async function waiting(driver: Driver, workflow: typeof before.bystander): Promise<{ id: string; key: string }> {
    const key = freshId('key');
    const id = await driver.start(workflow, { key });
    await driver.untilWaitingFor(id, 'signal');
    return { id, key };
  }

  it('goes on as it began where a marker was set since, and begins the new way after it', async () => {
    const old = await waiting(await stage.driver('before'), before.skewed);
    const driver = await stage.restarted('after');
    const fresh = await waiting(driver, before.skewed);
    for (const { id } of [old, fresh]) await driver.signal(id, 'go');
    assert.deepEqual(await driver.result(old.id), [doneText(`${old.key}-old`), doneText(`${old.key}-old-end`)]);
    assert.deepEqual(await driver.result(fresh.id), [doneText(`${fresh.key}-new`), doneText(`${fresh.key}-new-end`)]);
  });

  it('takes the new way when it gets to the marker after it was set', async () => {
    const { id, key } = await waiting(await stage.driver('before'), before.skewedLater);
    const driver = await stage.restarted('after');
    await driver.signal(id, 'go');
    assert.deepEqual(await driver.result(id), doneText(`${key}-new`));
  });

  it('remembers a marker over restarts', async () => {
    const { id, key } = await waiting(await stage.driver('after'), before.skewed);
    const driver = await stage.restarted('after');
    await driver.signal(id, 'go');
    assert.deepEqual(await driver.result(id), [doneText(`${key}-new`), doneText(`${key}-new-end`)]);
  });

  it('parks a newer history under older code, and goes on once the newer code is back', async () => {
    const { id, key } = await waiting(await stage.driver('after'), before.skewed);
    const older = await stage.restarted('before');
    await older.signal(id, 'go');
    assert.equal((await older.untilStatus(id, 'parked')).reason?.code, 'REPLAY_DIVERGED');
    const driver = await stage.restarted('after');
    assert.deepEqual(await driver.result(id), [doneText(`${key}-new`), doneText(`${key}-new-end`)]);
  });

  it('parks those whose code asks for something else, names the step and both, and harms no other', async () => {
    const driver = await stage.driver('before');
    const good = await waiting(driver, before.bystander);
    const bad = await Promise.all(
      CHANGES.map(async (change) => ({ ...change, ...(await waiting(driver, change.workflow)) })),
    );
    const changed = await stage.restarted('after');
    for (const { id } of [...bad, good]) await changed.signal(id, 'go');
    for (const { why, id, key, recorded, now } of bad) {
      const { reason } = await changed.untilStatus(id, 'parked');
      assert.equal(reason?.code, 'REPLAY_DIVERGED', why);
      for (const said of [/\bstep 1\b/, recorded, now]) assert.match(reason.message, withKey(said, key), why);
    }
    assert.deepEqual(await changed.result(good.id), [doneText(good.key), doneText(`${good.key}-end`)]);
    const mended = await stage.restarted('before');
    for (const { why, id, key } of bad) assert.deepEqual(await mended.result(id), doneText(key), why);
  });

  it('keeps a parked workflow as it is until code that fits is there, however often others are tried', async () => {
    const bad = await waiting(await stage.driver('before'), before.otherInput);
    const changed = await stage.restarted('after');
    await changed.signal(bad.id, 'go');
    await changed.untilStatus(bad.id, 'parked');
    assert.deepEqual((await changed.history(bad.id)).map(({ kind, name }) => ({ kind, name })).slice(0, 1), [
      { kind: 'activity', name: 'work' },
    ]);
    assert.equal(world.calls(`${bad.key}-changed`).length, 0, 'code that does not fit does nothing');
    const again = await stage.restarted('after');
    await again.untilStatus(bad.id, 'parked');
    const mended = await stage.restarted('before');
    assert.deepEqual(await mended.result(bad.id), doneText(bad.key));
  });

  it('lets the time pass for a parked one too', async () => {
    const driver = await stage.driver('before');
    const id = await driver.start(before.sleeping, { key: freshId('key') });
    const { until = 0 } = await driver.untilWaitingFor(id, 'timer');
    const changed = await stage.restarted('after');
    await changed.untilStatus(id, 'parked');
    await eventually('its time to pass', () => Date.now() > until + 50);
    const mended = await stage.restarted('before');
    const seen = new Set<number | undefined>();
    await eventually('it to wake up', async () => {
      const { status, waitingFor } = await mended.describe(id);
      for (const waiting of waitingFor) if (waiting.kind === 'timer') seen.add(waiting.until);
      return status === 'completed';
    });
    assert.deepEqual([...seen.add(until)], [until], 'it sleeps until the same moment, which has passed');
    assert.equal(await mended.result(id), 'awake');
  });

  for (const { what, workflow, recorded, now } of [
    { what: 'duration of a timer', workflow: before.otherDuration, recorded: /timer.*50/, now: /timer.*75/ },
    { what: 'input of a child', workflow: before.otherChild, recorded: /"of":"K"/, now: /"of":"K-changed"/ },
  ] as const) {
    const does = noticesTimersAndChildren ? 'parks those with another' : 'does not notice another';
    it(`${does} ${what}`, async () => {
      const { id, key } = await waiting(await stage.driver('before'), workflow);
      const changed = await stage.restarted('after');
      await changed.signal(id, 'go');
      if (!noticesTimersAndChildren) return assert.equal(await changed.result(id), key);
      const { reason } = await changed.untilStatus(id, 'parked');
      assert.equal(reason?.code, 'REPLAY_DIVERGED');
      for (const said of [/\bstep 1\b/, recorded, now]) assert.match(reason.message, withKey(said, key));
      const mended = await stage.restarted('before');
      assert.equal(await mended.result(id), key);
    });
  }

  it('parks a workflow that no code is registered for, until there is', async () => {
    const driver = await stage.driver('before');
    const { id, key } = await waiting(driver, before.removed);
    const without = await stage.restarted('after');
    await without.signal(id, 'go');
    assert.equal((await without.untilStatus(id, 'parked')).reason?.code, 'WORKFLOW_UNKNOWN');
    const again = await stage.restarted('before');
    assert.deepEqual(await again.result(id), doneText(key));
  });

  it('takes a start that no code is registered for, and runs it once there is', async () => {
    const driver = await stage.driver('after');
    const key = freshId('key');
    const id = await driver.start(before.removed, { key });
    assert.equal((await driver.untilStatus(id, 'parked')).reason?.code, 'WORKFLOW_UNKNOWN');
    const again = await stage.restarted('before');
    await again.signal(id, 'go');
    assert.deepEqual(await again.result(id), doneText(key));
  });

  it('tries an activity that nobody implements like one that fails', async () => {
    const driver = await stage.driver();
    const id = await driver.start(tryWork, { kind: 'ofNobody', key: freshId('key') });
    const { code, details } = (await driver.result(id)) as { code: string; details: { [key: string]: Payload } };
    assert.deepEqual(
      { code, of: details['code'], attempts: details['attempts'] },
      { code: 'ACTIVITY_FAILED', of: 'ACTIVITY_UNKNOWN', attempts: 3 },
    );
  });
}

/** Inserts the generated key into a pattern. */
function withKey(pattern: RegExp, key: string): RegExp {
  return new RegExp(pattern.source.replaceAll('"K', `"${key}`));
}
