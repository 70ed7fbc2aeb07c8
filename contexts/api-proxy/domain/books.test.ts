import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NotedReads } from './noted-reads.ts';
import { RateBook } from './rate-book.ts';
import { StreamBook } from './stream-book.ts';

test('whatever comes and goes, nobody has more than his share, and what is given back is there again', () => {
  const steps = fc.array(fc.record({ caller: fc.constantFrom('a', 'b', 'c'), gives: fc.boolean() }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const book = new StreamBook({ perCaller: 3, perTarget: 5 });
      const held: { caller: string; release: () => void }[] = [];
      for (const { caller, gives } of all) {
        if (gives) held.shift()?.release();
        const own = held.filter((each) => each.caller === caller).length;
        const taken = book.take(caller, 'web');
        const want = own >= 3 ? 'caller' : held.length >= 5 ? 'target' : undefined;
        assert.equal(taken.kind === 'full' ? taken.whose : undefined, want);
        if (taken.kind === 'taken') held.push({ caller, release: taken.release });
        assert.equal(book.size, held.length);
      }
      for (const { release } of held) release();
      for (const { release } of held) release();
      assert.equal(book.size, 0);
    }),
  );
});

test('a read is noted once a minute, and forgotten after it', () => {
  const reads = new NotedReads();
  assert.deepEqual(
    [reads.take('a', 0), reads.take('a', 59_999), reads.take('b', 59_999), reads.take('a', 60_000), reads.size],
    [true, false, true, true, 2],
  );
  reads.giveBack('a');
  assert.equal(reads.take('a', 60_001), true);
  assert.equal(reads.take('c', 999_999), true);
  assert.equal(reads.size, 1);
});

test('a window counts each by himself, and begins anew', () => {
  const book = new RateBook({ max: 2, windowMs: 1_000 });
  assert.deepEqual(
    [1, 2, 3].map(() => book.count('a', 500)),
    [undefined, undefined, 1_000],
  );
  assert.equal(book.count('b', 600), undefined);
  assert.equal(book.look('a', 700), 800);
  assert.equal(book.look('a', 1_500), undefined);
  assert.equal(book.count('a', 1_500), undefined);
  assert.equal(book.look('nobody', 0), undefined);
});
