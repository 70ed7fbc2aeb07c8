import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DurableError } from '#kit/durable';
import { eventually } from '../eventually.ts';
import { steps, tryWork } from '../workflows/index.ts';
import { type Behaviour, doneText } from '../world.ts';
import { freshId } from './driver.ts';
import type { Stage } from './stage.ts';

const broken: Behaviour = () => {
  throw new RangeError('out of range');
};

/** Hangs until it is given up; counts how often it was. */
function hanging(): { behaviour: Behaviour; aborted: () => number } {
  let aborted = 0;
  const behaviour: Behaviour = async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    aborted += 1;
    signal.throwIfAborted();
    return 'unreachable';
  };
  return { behaviour, aborted: () => aborted };
}

export function activitiesContract(stage: Stage): void {
  const { world } = stage;

  it('tries again what failed, under the same idempotency key', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    world.behave(key, (environment, work) => (environment.attempt < 3 ? broken(environment, work) : 'at last'));
    const id = await driver.start(tryWork, { kind: 'plain', key });
    assert.deepEqual(await driver.result(id), { result: 'at last' });
    const calls = world.calls(key);
    assert.deepEqual(
      calls.map(({ attempt, workflowId }) => ({ attempt, workflowId })),
      [1, 2, 3].map((attempt) => ({ attempt, workflowId: id })),
    );
    assert.equal(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
  });

  it('gives every step an idempotency key of its own', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const ids = await Promise.all([1, 2].map(() => driver.start(steps, { keys: [key, key] })));
    await Promise.all(ids.map((id) => driver.result(id)));
    assert.equal(new Set(world.calls(key).map(({ idempotencyKey }) => idempotencyKey)).size, 4);
  });

  it('gives up after the last try, and says what was tried', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    world.behave(key, broken);
    const id = await driver.start(tryWork, { kind: 'plain', key });
    assert.deepEqual(await driver.result(id), {
      code: 'ACTIVITY_FAILED',
      details: { activity: 'work', code: 'RangeError', message: 'out of range', attempts: 3 },
    });
    assert.equal(world.calls(key).length, 3);
  });

  for (const { why, kind, error } of [
    { why: 'a code that its policy names', kind: 'picky', error: namedError('HOPELESS') },
    {
      why: 'an error whose catalogue says never',
      kind: 'plain',
      error: new DurableError('WORKFLOW_NOT_FOUND', 'look for it'),
    },
  ] as const) {
    it(`does not try again after ${why}`, async () => {
      const driver = await stage.driver();
      const key = freshId('key');
      world.behave(key, () => {
        throw error;
      });
      const id = await driver.start(tryWork, { kind, key });
      const { code, details } = (await driver.result(id)) as { code: string; details: { attempts: number } };
      assert.deepEqual({ code, attempts: details.attempts }, { code: 'ACTIVITY_FAILED', attempts: 1 });
      assert.equal(world.calls(key).length, 1);
    });
  }

  it('tries again after an error whose catalogue says later, or a code that the policy does not name', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const errors = [new DurableError('ENGINE_STOPPED', 'ask a peer'), namedError('HOPEFUL')];
    world.behave(key, ({ attempt }) => {
      const error = errors[attempt - 1];
      if (error) throw error;
      return 'at last';
    });
    const id = await driver.start(tryWork, { kind: 'picky', key });
    assert.deepEqual(await driver.result(id), { result: 'at last' });
  });

  it('aborts a try that takes too long, and tries again', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const hung = hanging();
    world.behave(key, (environment, work) => (environment.attempt === 1 ? hung.behaviour(environment, work) : 'quick'));
    const id = await driver.start(tryWork, { kind: 'impatient', key });
    assert.deepEqual(await driver.result(id), { result: 'quick' });
    await eventually('the abort', () => hung.aborted() === 1);
  });

  it('fails an activity whose every try takes too long, also when it ignores the abort', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const held = world.hold(key);
    const id = await driver.start(tryWork, { kind: 'impatient', key });
    const { code, details } = (await driver.result(id)) as { code: string; details: { attempts: number } };
    assert.deepEqual({ code, attempts: details.attempts }, { code: 'ACTIVITY_FAILED', attempts: 3 });
    held.open();
  });

  it('gives up a try that falls silent', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const hung = hanging();
    world.behave(key, (environment, work) => (environment.attempt === 1 ? hung.behaviour(environment, work) : 'alive'));
    const id = await driver.start(tryWork, { kind: 'watched', key });
    assert.deepEqual(await driver.result(id), { result: 'alive' });
    await eventually('the abort', () => hung.aborted() === 1);
  });

  it('leaves a try alone that gives signs of life', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    world.behave(key, async (environment) => {
      // Twice as long as the heartbeat timeout.
      for (let beat = 0; beat < 20; beat += 1) {
        environment.heartbeat();
        await delay(50);
      }
      return 'alive';
    });
    const id = await driver.start(tryWork, { kind: 'watched', key });
    assert.deepEqual(await driver.result(id), { result: 'alive' });
    assert.equal(world.calls(key).length, 1);
  });

  it('has a policy for an activity that names none', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    world.behave(key, (environment, work) => (environment.attempt === 1 ? broken(environment, work) : 'at last'));
    assert.deepEqual(await driver.result(await driver.start(tryWork, { kind: 'byDefault', key })), {
      result: 'at last',
    });
  });

  it('shows what is being tried, and why it was not done yet', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    world.behave(key, broken);
    const id = await driver.start(tryWork, { kind: 'patient', key });
    const waiting = await eventually('the first failure', async () =>
      (await driver.describe(id)).waitingFor.find(({ lastError }) => lastError !== undefined),
    );
    const { kind, name, step, lastError } = waiting;
    assert.deepEqual(
      { kind, name, step, lastError },
      {
        kind: 'activity',
        name: 'work-patient',
        step: 1,
        lastError: { code: 'RangeError', message: 'out of range' },
      },
    );
    await driver.cancel(id);
  });

  it('does nothing twice whose result is recorded, and does again what an engine gave up', async () => {
    const driver = await stage.driver();
    const [done, given] = [freshId('key'), freshId('key')];
    const hung = hanging();
    let finish = false;
    world.behave(given, (environment, work) => (finish ? 'done again' : hung.behaviour(environment, work)));
    const id = await driver.start(steps, { keys: [done, given] });
    await world.untilCalled(given);
    const later = await stage.restarted('main', async () => {
      assert.equal(hung.aborted(), 1, 'the signal of a try aborts when its engine stops');
      finish = true;
    });
    assert.deepEqual(await later.result(id), [doneText(done), 'done again']);
    assert.equal(world.calls(done).length, 1);
    assert.equal(new Set(world.calls(given).map(({ idempotencyKey }) => idempotencyKey)).size, 1);
  });
}

function namedError(name: string): Error {
  return Object.assign(new Error(`this is ${name}`), { name });
}
