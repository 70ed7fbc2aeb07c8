import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { Wake } from './wake.ts';

const never = new AbortController().signal;

describe('Wake', () => {
  it('ends a wait when it is raised, and when the time is over', async () => {
    const clock = new FakeClock();
    const wake = new Wake(clock.sleep);
    const raised = wake.wait(1_000, never);
    wake.raise();
    await raised;
    const timed = wake.wait(1_000, never);
    await clock.advance(1_000);
    await timed;
  });

  it('remembers a call that came while nobody waited, once', async () => {
    const clock = new FakeClock();
    const wake = new Wake(clock.sleep);
    wake.raise();
    wake.raise();
    await wake.wait(1_000, never);
    let ended = false;
    const second = wake.wait(1_000, never).then(() => {
      ended = true;
    });
    await clock.untilSleeping();
    assert.equal(ended, false);
    await clock.advance(1_000);
    await second;
  });

  it('rejects with the reason of its signal', async () => {
    const stop = new AbortController();
    const wake = new Wake(new FakeClock().sleep);
    const waiting = wake.wait(1_000, stop.signal);
    stop.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    await assert.rejects(wake.wait(1_000, stop.signal), /enough/);
  });
});
