import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createUuidv7, systemClock } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { PATIENCE_MS } from '#testing/patience';
import type { Units } from '../../application/ports.ts';
import { createReportIntake } from './report-intake.ts';

const signal = new AbortController().signal;
const deployment = createUuidv7(systemClock)();
const accepted = (target: string) =>
  ({ kind: 'accepted', target: target as TargetId, deployment, revision: 1 }) as const;
const applied = (target: string) =>
  ({ kind: 'applied', target: target as TargetId, deployment, revision: 1, hash: 'one' }) as const;

/** Counts the writes, and lets the test decide when they finish. */
function intakeOf() {
  const writes: PromiseWithResolvers<void>[] = [];
  const never = async (): Promise<never> => assert.fail('nobody asked for that');
  const units: Units = {
    write: never,
    read: never,
    async writeOf<T>() {
      const write = Promise.withResolvers<void>();
      writes.push(write);
      await write.promise;
      return undefined as T;
    },
  };
  return { intake: createReportIntake({ units, clock: systemClock }), writes };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

it('writes what was merely taken together with what overtakes it', { timeout: PATIENCE_MS }, async () => {
  const { intake, writes } = intakeOf();
  const told = Promise.all([intake.handOver(accepted('a'), signal), intake.report([applied('a')], signal)]);
  await until(() => writes.length === 1);
  writes[0]?.resolve();
  await told;
  assert.equal(writes.length, 1);
});

it('does not hold up a report of one target with what was merely taken by others, and writes that, too', async () => {
  const { intake, writes } = intakeOf();
  let isTaken = false;
  const taken = intake.handOver(accepted('a'), signal).then(() => {
    isTaken = true;
  });
  const told = intake.report([applied('b')], signal);
  await until(() => writes.length === 1);
  writes[0]?.resolve();
  await told;
  assert.equal(isTaken, false);
  await until(() => writes.length === 2);
  writes[1]?.resolve();
  await taken;
});

it('brings the trouble of a write to whoever it is of, and to nobody else', async () => {
  const { intake, writes } = intakeOf();
  const told = Promise.allSettled([intake.report([applied('a')], signal), intake.report([applied('b')], signal)]);
  await until(() => writes.length === 1);
  writes[0]?.reject(new Error('together'));
  await until(() => writes.length === 2);
  writes[1]?.reject(new Error('alone'));
  await until(() => writes.length === 3);
  writes[2]?.resolve();
  assert.deepEqual(
    (await told).map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
});
