import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { Controller, type ControllerOptions } from './controller.ts';
import { DONE, type Result } from './result.ts';

function stage(options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const seen: string[] = [];
  const reconcile = (key: string): Promise<Result> => {
    seen.push(key);
    return Promise.resolve(DONE);
  };
  const ports = { clock, sleep: clock.sleep, random: () => 0.5 };
  const controller = new Controller({ name: 'lights', keys: () => [], reconcile, ...ports, ...options });
  return { clock, stop, seen, controller };
}

describe('a controller', () => {
  it('reconciles keys that were woken before it ran, and those that are woken while it runs', async () => {
    const { clock, stop, seen, controller } = stage();
    controller.wake('kitchen');
    const running = controller.run(stop.signal);
    await clock.advance(0);
    assert.deepEqual(seen.splice(0), ['kitchen']);
    controller.wake('hall', { afterMs: 50 });
    await clock.advance(49);
    assert.deepEqual(seen, []);
    await clock.advance(1);
    assert.deepEqual(seen, ['hall']);
    stop.abort();
    await running;
    assert.equal(clock.sleeping, 0);
  });

  it('is not fed and reconciles nothing before it is ready', async () => {
    const ready = Promise.withResolvers<void>();
    const calls: string[] = [];
    const { clock, stop, seen, controller } = stage({
      ready: () => ready.promise,
      feeds: [
        (wake) => {
          calls.push('fed');
          wake('hall');
          return () => calls.push('ended');
        },
      ],
    });
    controller.wake('kitchen');
    const running = controller.run(stop.signal);
    await clock.advance(1_000);
    assert.deepEqual([...seen, ...calls], []);
    ready.resolve();
    await clock.advance(0);
    assert.deepEqual(seen, ['kitchen', 'hall']);
    stop.abort();
    await running;
    assert.deepEqual(calls, ['fed', 'ended']);
  });

  it('does not start when what it reads never gets ready', async () => {
    const { stop, seen, controller } = stage({ ready: () => Promise.reject(new Error('no list')) });
    controller.wake('kitchen');
    await assert.rejects(controller.run(stop.signal), { message: 'no list' });
    assert.deepEqual(seen, []);
  });

  it('looks at all keys at each resync', async () => {
    const { clock, stop, seen, controller } = stage({ keys: () => ['kitchen', 'hall'], resyncMs: 10_000 });
    const running = controller.run(stop.signal);
    await clock.advance(11_000);
    assert.deepEqual(seen.toSorted(), ['hall', 'kitchen']);
    stop.abort();
    await running;
  });

  for (const { why, drainWithinMs, want } of [
    { why: 'lets reconciles in progress end', drainWithinMs: 1_000, want: false },
    { why: 'aborts them at once without a time to drain', drainWithinMs: 0, want: true },
  ]) {
    it(`when it is stopped, ${why}`, async () => {
      const gate = Promise.withResolvers<Result>();
      let own: AbortSignal | undefined;
      const reconcile: ControllerOptions['reconcile'] = (_, signal) => {
        own = signal;
        return gate.promise;
      };
      const { clock, stop, controller } = stage({ drainWithinMs, reconcile });
      controller.wake('kitchen');
      const running = controller.run(stop.signal);
      await clock.advance(0);
      stop.abort();
      await clock.advance(0);
      assert.equal(own?.aborted, want);
      gate.resolve(DONE);
      await running;
    });
  }
});
