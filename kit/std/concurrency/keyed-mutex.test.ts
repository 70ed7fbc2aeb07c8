import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { KeyedMutex } from './keyed-mutex.ts';

const { signal } = new AbortController();

describe('a keyed mutex', () => {
  it('runs bodies with a common key in order of arrival, and others beside them', async () => {
    const { did, start, finish } = stage();
    const all = Promise.all([start('a', ['x']), start('b', ['x', 'y']), start('c', ['y']), start('d', ['z'])]);
    await nextTurn();
    assert.deepEqual(did, ['a begins', 'd begins']);
    await finish('d');
    await finish('a');
    assert.deepEqual(did.slice(2), ['d ends', 'a ends', 'b begins']);
    await finish('b');
    await finish('c');
    await all;
    assert.deepEqual(did.slice(5), ['b ends', 'c begins', 'c ends']);
  });

  it('goes on after a body that failed', async () => {
    const mutex = new KeyedMutex();
    const failing = mutex.run(['x'], () => Promise.reject(new Error('no')), signal);
    const next = mutex.run(['x'], async () => 'done', signal);
    await assert.rejects(failing, /no/);
    assert.equal(await next, 'done');
  });

  it('after an abort, admits those behind only after those before', async () => {
    const { mutex, did, start, finish } = stage();
    const first = start('first', ['x']);
    const abort = new AbortController();
    const second = start('second', ['x'], abort.signal);
    const third = start('third', ['x']);
    abort.abort();
    await assert.rejects(second, { name: 'AbortError' });
    await nextTurn();
    assert.deepEqual(did, ['first begins']);
    await finish('first');
    await finish('third');
    await Promise.all([first, third]);
    assert.deepEqual(did, ['first begins', 'first ends', 'third begins', 'third ends']);
    await nextTurn();
    assert.equal(mutex.size, 0);
  });

  it('does not run a body whose signal is aborted', async () => {
    const body = (): Promise<never> => assert.fail('it ran');
    await assert.rejects(new KeyedMutex().run(['x'], body, AbortSignal.abort()), { name: 'AbortError' });
  });
});

/** Bodies that tell when they begin and end, and end when told. */
function stage() {
  const mutex = new KeyedMutex();
  const did: string[] = [];
  const gates = new Map<string, () => void>();
  return {
    mutex,
    did,
    start: (name: string, keys: readonly string[], until = signal): Promise<void> =>
      mutex.run(
        keys,
        async () => {
          did.push(`${name} begins`);
          await new Promise<void>((resolve) => gates.set(name, resolve));
          did.push(`${name} ends`);
        },
        until,
      ),
    finish: async (name: string): Promise<void> => {
      gates.get(name)?.();
      await nextTurn();
    },
  };
}
