import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { aborted, unlessAborted } from './unless-aborted.ts';

const GONE = new Error('gone');
const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('a wait for what others may wait for too', () => {
  it('ends with the outcome, and leaves nothing on the signal', async () => {
    const { signal } = new AbortController();
    const waits = [unlessAborted(Promise.resolve('done'), signal), unlessAborted(Promise.reject(GONE), signal)];
    const [done, refused] = await Promise.allSettled(waits);
    assert.deepEqual(
      [done, refused],
      [
        { status: 'fulfilled', value: 'done' },
        { status: 'rejected', reason: GONE },
      ],
    );
    assert.equal(listenersOf(signal), 0);
  });

  it('ends with the reason of the signal; the others go on', async () => {
    const leaver = new AbortController();
    const stayer = new AbortController();
    const { promise, resolve } = Promise.withResolvers<string>();
    const left = unlessAborted(promise, leaver.signal);
    const stayed = unlessAborted(promise, stayer.signal);
    leaver.abort(GONE);
    await assert.rejects(left, GONE);
    assert.equal(listenersOf(leaver.signal), 0);
    resolve('done');
    assert.equal(await stayed, 'done');
  });

  it('does not begin where the signal has aborted already', async () => {
    const { promise } = Promise.withResolvers<void>();
    await assert.rejects(unlessAborted(promise, AbortSignal.abort(GONE)), GONE);
  });

  it('has the outcome that is there already, even so', async () => {
    assert.equal(await unlessAborted(Promise.resolve('done'), AbortSignal.abort(GONE)), 'done');
  });

  it('leaves no rejection unheard that comes after it', async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    await assert.rejects(unlessAborted(promise, AbortSignal.abort(GONE)), GONE);
    // If it were not handled, the rejection would end this process.
    reject(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('a wait for an abort', () => {
  it('ends when the signal aborts, or at once if it has', async () => {
    const controller = new AbortController();
    const waiting = aborted(controller.signal);
    controller.abort(GONE);
    await waiting;
    assert.equal(listenersOf(controller.signal), 0);
    await aborted(controller.signal);
  });
});
