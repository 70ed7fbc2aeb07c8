import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { Notifier } from './notifier.ts';

const never = new AbortController().signal;

describe('Notifier', () => {
  it('ends a wait when it is raised, and when the time is over', async () => {
    const clock = new FakeClock();
    const notifier = new Notifier(clock.sleep);
    const raised = notifier.wait(1_000, never);
    notifier.notify();
    await raised;
    const timed = notifier.wait(1_000, never);
    await clock.advance(1_000);
    await timed;
  });

  it('remembers a call that came while nobody waited, once', async () => {
    const clock = new FakeClock();
    const notifier = new Notifier(clock.sleep);
    notifier.notify();
    notifier.notify();
    await notifier.wait(1_000, never);
    let ended = false;
    const second = notifier.wait(1_000, never).then(() => {
      ended = true;
    });
    await clock.untilSleeping();
    assert.equal(ended, false);
    await clock.advance(1_000);
    await second;
  });

  it('wakes all that wait', async () => {
    const notifier = new Notifier(new FakeClock().sleep);
    const waits = [notifier.wait(1_000, never), notifier.wait(1_000, never)];
    notifier.notify();
    await Promise.all(waits);
  });

  it('rejects with the reason of its signal', async () => {
    const stop = new AbortController();
    const notifier = new Notifier(new FakeClock().sleep);
    const waiting = notifier.wait(1_000, stop.signal);
    stop.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    await assert.rejects(notifier.wait(1_000, stop.signal), /enough/);
  });
});
