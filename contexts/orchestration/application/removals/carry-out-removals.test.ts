import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { aborted, sleep } from '#kit/std';
import { FakeClock } from '#testing/fake-clock';
import { CleaningManifest } from '../../testing/pipeline/cleaning-manifest.ts';
import type { OwedRemoval, UnitOfWork, Units } from '../ports.ts';
import { CarryOutRemovals } from './carry-out-removals.ts';

const DEPLOYMENT = '018f0000-0000-7000-8000-000000000001';

function owedTo(strategy: string): OwedRemoval {
  const target = { id: 't1', name: 't1', type: 'kubernetes' } as unknown as OwedRemoval['context']['target'];
  const deployment = { uid: DEPLOYMENT, name: 'web', workspace: 'shop' };
  return {
    strategy,
    context: { target, deployment, revision: 1, idempotencyKey: 'k' },
    attempts: 0,
    failure: undefined,
  };
}

/** One owed call, of a deployment that is being deleted. */
function scene(t: TestContext, cleaning: CleaningManifest | Pick<CleaningManifest, 'type'>) {
  const owed = [owedTo('cleaning')];
  const seen = { woken: 0, failures: [] as string[] };
  const removals: Partial<UnitOfWork['removals']> = {
    isDue: async () => owed.length > 0,
    claim: async () => owed,
    drop: async () => void owed.splice(0),
    failed: async (_, { message }) => void seen.failures.push(message),
  };
  const deployments = { get: async () => ({ deletion: {} }), wake: async () => void (seen.woken += 1) };
  const unit = { removals, deployments } as unknown as UnitOfWork;
  const units: Pick<Units, 'read' | 'write'> = { read: (body) => body(unit), write: (body) => body(unit) };
  const carrying = new CarryOutRemovals({
    units,
    manifests: new Map([[cleaning.type, cleaning]]) as never,
    clock: new FakeClock(),
    sleep,
    random: () => 0.5,
    onTrouble: (error) => assert.fail(String(error)),
    settings: { callWithinMs: 20 },
  });
  const stop = new AbortController();
  t.after(() => stop.abort());
  return { owed, seen, carrying, stop };
}

describe('calls that strategies are owed', () => {
  it('end at their time limit, and with the process, even if the strategy ignores its signal', async (t) => {
    const deaf = Object.assign(new CleaningManifest(), { onRemoved: () => new Promise<never>(() => {}) });
    const { seen, carrying, stop } = scene(t, deaf);
    await carrying.round(stop.signal);
    assert.deepEqual(seen.failures, ['it did not answer in time']);
    const called = Promise.withResolvers<void>();
    const stuck = scene(t, Object.assign(deaf, { onRemoved: () => (called.resolve(), new Promise<never>(() => {})) }));
    const ended = stuck.carrying.run(stuck.stop.signal);
    await called.promise;
    stuck.stop.abort(new Error('the process stops'));
    await assert.rejects(ended, /the process stops/);
  });

  it('wake the deployment that waits for them when the first call succeeds', async (t) => {
    const { seen, carrying, stop, owed } = scene(t, new CleaningManifest());
    await carrying.round(stop.signal);
    assert.deepEqual([owed.length, seen.woken], [0, 1]);
  });

  it('are dropped for a strategy that was not registered at the time and declares nothing', async (t) => {
    const dropped = Promise.withResolvers<void>();
    const { carrying, stop, owed, seen } = scene(t, { type: 'cleaning' });
    const splice = owed.splice.bind(owed);
    Object.assign(owed, { splice: (at: number) => (dropped.resolve(), splice(at)) });
    const run = carrying.run(stop.signal);
    await dropped.promise;
    stop.abort();
    await assert.rejects(run);
    await aborted(stop.signal);
    assert.deepEqual([owed.length, seen.failures], [0, []]);
  });
});
