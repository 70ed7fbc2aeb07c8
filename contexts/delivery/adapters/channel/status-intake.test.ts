import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sleep } from '#kit/std';
import type { DeliveryReport } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { DeliveryError } from '../../domain/delivery-error.ts';
import { aTarget, uidOf } from '../../testing/an-order.ts';
import { encodeSaid } from './status-codec.ts';
import { StatusIntake } from './status-intake.ts';

const [bad, ...good] = [1, 2, 3, 4].map((number) => aTarget(number).id) as [TargetId, TargetId, TargetId, TargetId];

function running(t: TestContext, refuse: (reports: readonly DeliveryReport[]) => Error | undefined) {
  const [taken, stored, aside, troubles]: [TargetId[], TargetId[], TargetId[], unknown[]] = [[], [], [], []];
  const intake = new StatusIntake({
    reports: {
      report: async (reports) => {
        const error = refuse(reports);
        if (error !== undefined) throw error;
        stored.push(...reports.map(({ target }) => target));
      },
      inventory: async () => {},
      connectionChanged: async () => {},
    },
    sleep: (_ms, signal) => sleep(1, signal),
    onTrouble: (error) => troubles.push(error),
    setAside: ({ target }) => aside.push(target),
  });
  const over = new AbortController();
  const done = intake.run(over.signal);
  t.after(async () => {
    over.abort();
    await done;
  });
  const say = (target: TargetId): Promise<void> => {
    const report = { target, deployment: uidOf(1), revision: 1, kind: 'removed' } as const;
    const { promise, resolve } = Promise.withResolvers<void>();
    intake.take(target, encodeSaid({ kind: 'report', report }), () => {
      taken.push(target);
      resolve();
    });
    return promise;
  };
  return { intake, say, taken, stored, aside, troubles };
}

describe('a message that can never be taken', () => {
  it('is set aside alone, with its sender: all that came with it is stored', async (t) => {
    const isBad = (reports: readonly DeliveryReport[]) => reports.some(({ target }) => target === bad);
    const { say, stored, aside, troubles } = running(t, (all) =>
      isBad(all) ? new RangeError('too large') : undefined,
    );
    await Promise.all([say(good[0]), say(bad), say(good[1]), say(bad), say(good[2])]);
    assert.deepEqual([stored, aside, troubles], [good, [bad, bad], []]);
  });

  it('for it cannot be read is acknowledged, and never reaches a batch', async (t) => {
    const { intake, aside, stored } = running(t, () => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    intake.take(bad, Uint8Array.of(0xff, 0xff, 0xff), resolve);
    await promise;
    assert.deepEqual([aside, stored], [[bad], []]);
  });
});

it('while the database is away all wait, and nothing is set aside', async (t) => {
  let refusals = 20;
  const away = new DeliveryError('CONNECTION_LOST', 'stands for a database that is away');
  const { say, stored, aside, troubles } = running(t, () => (refusals-- > 0 ? away : undefined));
  await Promise.all([say(good[0]), say(good[1])]);
  assert.deepEqual([stored, aside, troubles.length], [[good[0], good[1]], [], 20]);
});
