import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sleep } from '#kit/std';
import type { DeliveryReport, Handover, TargetObservation } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { PATIENCE_MS } from '#testing/patience';
import { DeliveryError } from '../../domain/delivery-error.ts';
import { aTarget, uidOf } from '../../testing/an-order.ts';
import { encodeStatus } from './status-codec.ts';
import { StatusIntake } from './status-intake.ts';

const [bad, ...good] = [1, 2, 3, 4].map((number) => aTarget(number).id) as [TargetId, TargetId, TargetId, TargetId];

function started(t: TestContext, intake: StatusIntake): void {
  const over = new AbortController();
  const done = intake.run(over.signal);
  t.after(async () => {
    over.abort();
    await done;
  });
}

function running(t: TestContext, refuse: (targets: readonly (TargetId | undefined)[]) => Error | undefined) {
  const [taken, stored, aside, troubles]: [TargetId[], TargetId[], TargetId[], unknown[]] = [[], [], [], []];
  const intake = new StatusIntake({
    store: async (observations) => {
      const targets = observations.map((each) => (each.about === 'report' ? each.report.target : undefined));
      const error = refuse(targets);
      if (error !== undefined) throw error;
      stored.push(...targets.flatMap((target) => target ?? []));
    },
    sleep: (_ms, signal) => sleep(1, signal),
    onRetry: (error) => troubles.push(error),
  });
  started(t, intake);
  const receive = (target: TargetId, payload: Uint8Array): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    intake.receive(target, payload, ({ kind }) => {
      (kind === 'refused' ? aside : taken).push(target);
      resolve();
    });
    return promise;
  };
  const say = (target: TargetId): Promise<void> => {
    const report = { target, deployment: uidOf(1), revision: 1, kind: 'removed' } as const;
    return receive(target, encodeStatus({ about: 'report', report }));
  };
  return { intake, receive, say, taken, stored, aside, troubles };
}

describe('a message that can never be taken', () => {
  it('is set aside alone, with its sender: all that came with it is stored', async (t) => {
    const { say, stored, taken, aside, troubles } = running(t, (targets) =>
      targets.includes(bad) ? new RangeError('too large') : undefined,
    );
    await Promise.all([say(good[0]), say(bad), say(good[1]), say(bad), say(good[2])]);
    assert.deepEqual([stored, taken, aside, troubles], [good, good, [bad, bad], []]);
  });

  it('for it cannot be read is acknowledged, and never reaches a batch', async (t) => {
    const { receive, aside, stored } = running(t, () => undefined);
    await receive(bad, Uint8Array.of(0xff, 0xff, 0xff));
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

describe('observations of code in this process', () => {
  const deployment = uidOf(1);
  const accepted = (target: TargetId): [TargetObservation] => {
    const handover: Handover = { kind: 'accepted', target, deployment, revision: 1 };
    return [{ about: 'handover', handover }];
  };
  const applied = (target: TargetId): [TargetObservation] => {
    const report: DeliveryReport = { kind: 'applied', target, deployment, revision: 1, hash: 'one' };
    return [{ about: 'report', report }];
  };

  /** Records the writes, and lets the test decide when they finish. */
  function held(t: TestContext) {
    const writes: (PromiseWithResolvers<void> & { readonly size: number })[] = [];
    const intake = new StatusIntake({
      store: async ({ length: size }) => {
        const write = { size, ...Promise.withResolvers<void>() };
        writes.push(write);
        await write.promise;
      },
      sleep,
      onRetry: () => {},
    });
    started(t, intake);
    return { intake, writes };
  }

  async function until(isSo: () => boolean, { signal }: TestContext): Promise<void> {
    while (!isSo()) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  it('write an acceptance together with the report that overtakes it', { timeout: PATIENCE_MS }, async (t) => {
    const { intake, writes } = held(t);
    const told = Promise.all([intake.observe(accepted(good[0]), t.signal), intake.observe(applied(good[0]), t.signal)]);
    await until(() => writes.length === 1, t);
    writes[0]?.resolve();
    await told;
    assert.deepEqual(
      writes.map(({ size }) => size),
      [2],
    );
  });

  it('do not hold up a report of one target with the acceptance of another, which is written, too', async (t) => {
    const { intake, writes } = held(t);
    let isTaken = false;
    const taken = intake.observe(accepted(good[0]), t.signal).then(() => {
      isTaken = true;
    });
    const told = intake.observe(applied(good[1]), t.signal);
    await until(() => writes.length === 1, t);
    writes[0]?.resolve();
    await told;
    assert.equal(isTaken, false);
    await until(() => writes.length === 2, t);
    writes[1]?.resolve();
    await taken;
  });

  it('are refused to the caller that they are of, and to no other', async (t) => {
    const { intake, writes } = held(t);
    const told = Promise.allSettled([
      intake.observe(applied(good[0]), t.signal),
      intake.observe(applied(good[1]), t.signal),
    ]);
    await until(() => writes.length === 1, t);
    writes[0]?.reject(new Error('together'));
    await until(() => writes.length === 2, t);
    writes[1]?.reject(new Error('alone'));
    await until(() => writes.length === 3, t);
    writes[2]?.resolve();
    assert.deepEqual(
      (await told).map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
  });
});
