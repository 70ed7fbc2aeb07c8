import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { BatchWriter } from './batch-writer.ts';

function running(t: TestContext) {
  const writes: (PromiseWithResolvers<void> & { readonly items: readonly number[] })[] = [];
  const begun: (() => void)[] = [];
  const writer = new BatchWriter<number>({
    write: async (items) => {
      const write = { items, ...Promise.withResolvers<void>() };
      writes.push(write);
      begun.shift()?.();
      await write.promise;
    },
    onRetry: () => {},
  });
  const over = new AbortController();
  const run = writer.run(over.signal);
  const stop = async (reason: Error): Promise<void> => {
    over.abort(reason);
    writes.at(-1)?.reject(reason);
    await run;
  };
  t.after(() => stop(new Error('the test is over')));
  return {
    writer,
    writes,
    stop,
    nextWrite: () => new Promise<void>((resolve) => begun.push(resolve)),
  };
}

describe('a batch writer', () => {
  it('writes one batch at a time: items that arrive meanwhile are the next', async (t) => {
    const { writer, writes, nextWrite } = running(t);
    const first = nextWrite();
    const one = writer.add([1], t.signal);
    await first;
    const second = nextWrite();
    const all = Promise.all(Array.from({ length: 99 }, (_, index) => writer.add([index + 2], t.signal)));
    assert.equal(writes.length, 1);
    writes[0]?.resolve();
    await one;
    await second;
    assert.deepEqual([writes.length, writes[1]?.items.length], [2, 99]);
    writes[1]?.resolve();
    await all;
  });

  it('writes the items of a caller that aborted, with those of the others', async (t) => {
    const { writer, writes, nextWrite } = running(t);
    const begun = nextWrite();
    const gone = new AbortController();
    const told = Promise.allSettled([writer.add([1, 2], gone.signal), writer.add([3], t.signal)]);
    gone.abort(new Error('gone'));
    await begun;
    assert.deepEqual(writes[0]?.items, [1, 2, 3]);
    writes[0]?.resolve();
    assert.deepEqual(
      (await told).map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
  });

  it('makes callers wait when too many items do, and takes those that others bound', async (t) => {
    const { writer, writes, nextWrite } = running(t);
    const begun = nextWrite();
    const full = writer.add(
      Array.from({ length: 21_000 }, (_, index) => index),
      t.signal,
    );
    await begun;
    let hasRoom = false;
    const late = writer.add([-1], t.signal).then(() => {
      hasRoom = true;
    });
    const { promise: isStored, resolve: stored } = Promise.withResolvers<void>();
    writer.put(-2, { stored, refused: (error) => assert.fail(String(error)) });
    for (let next = 0; !hasRoom; next += 1) {
      const following = nextWrite();
      writes[next]?.resolve();
      await Promise.race([following, late]);
      if (next === 1) await isStored;
    }
    await Promise.all([full, late]);
    const order = writes.flatMap(({ items }) => items);
    assert.equal(order.length, 21_002);
    assert.ok(order.indexOf(-2) < 2_000, 'a bounded item is in the next write');
    assert.equal(order.at(-1), -1, 'the caller had to wait');
  });

  it('rejects callers when it ends, and neither stores nor refuses what it did not write', async (t) => {
    const { writer, nextWrite, stop } = running(t);
    const begun = nextWrite();
    const settled: string[] = [];
    writer.put(1, { stored: () => settled.push('stored'), refused: () => settled.push('refused') });
    const waiting = writer.add([2], t.signal);
    waiting.catch(() => {});
    await begun;
    await stop(new Error('stopped'));
    await assert.rejects(waiting, /stopped/);
    await assert.rejects(writer.add([3], t.signal), /stopped/);
    assert.deepEqual(settled, []);
  });
});
