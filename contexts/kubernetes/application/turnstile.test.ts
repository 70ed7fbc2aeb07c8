import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FILE_MS } from '#testing/patience';
import { Turnstile } from './turnstile.ts';

const signal = AbortSignal.timeout(FILE_MS);

describe('a turnstile', () => {
  it('lets so many through at a time, in the order in which they came', async () => {
    const turnstile = new Turnstile(2);
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const inside: number[] = [];
    const passes = gates.map(async ({ promise }, index) => {
      await turnstile.pass(async () => {
        inside.push(index);
        await promise;
      }, signal);
    });
    await new Promise(setImmediate);
    assert.deepEqual(inside, [0, 1]);
    gates[1]?.resolve();
    await passes[1];
    await new Promise(setImmediate);
    assert.deepEqual(inside, [0, 1, 2]);
    for (const { resolve } of gates) resolve();
    await Promise.all(passes);
    assert.deepEqual(inside, [0, 1, 2, 3]);
  });

  it('loses no place to who gave up waiting, nor to who failed', async () => {
    const turnstile = new Turnstile(1);
    const gate = Promise.withResolvers<void>();
    const first = turnstile.pass(async () => await gate.promise, signal);
    const gaveUp = new AbortController();
    const second = turnstile.pass(async () => {}, gaveUp.signal);
    gaveUp.abort();
    await assert.rejects(second, { name: 'AbortError' });
    gate.resolve();
    await first;
    await assert.rejects(
      turnstile.pass(async () => {
        throw new Error('no');
      }, signal),
      { message: 'no' },
    );
    assert.equal(await turnstile.pass(async () => 7, signal), 7);
  });
});
