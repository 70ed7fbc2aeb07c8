import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { pageThrough, type Scan } from './page-through.ts';
import type { PageKey } from './page-token.ts';

const signal = new AbortController().signal;

/** A list of names in order, and a record of the reads. */
function source(count: number) {
  const items = Array.from({ length: count }, (_, index) => `n${String(index).padStart(5, '0')}`);
  const reads: number[] = [];
  const fetchChunk: Scan<string>['fetchChunk'] = async (after, limit) => {
    reads.push(limit);
    const from = after === undefined ? 0 : items.findIndex((name) => name > String(after[0]));
    return from === -1 ? [] : items.slice(from, from + limit);
  };
  return { items, reads, fetchChunk, keyOf: (name: string): PageKey => [name] };
}

async function allPages(scan: Omit<Scan<string>, 'after'>): Promise<string[][]> {
  const pages: string[][] = [];
  let after: PageKey | undefined;
  do {
    const page = await pageThrough({ ...scan, after }, signal);
    pages.push([...page.items]);
    after = page.next;
    assert.ok(pages.length < 5000, 'the pages never end');
  } while (after !== undefined);
  return pages;
}

describe('pages', () => {
  it('one after the other are exactly the filtered list', async () => {
    const shape = fc.record({
      count: fc.integer({ min: 0, max: 2000 }),
      pageSize: fc.integer({ min: 1, max: 300 }),
      keepEvery: fc.integer({ min: 1, max: 400 }),
      budget: fc.option(fc.integer({ min: 1, max: 700 }), { nil: undefined }),
      slow: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ count, pageSize, keepEvery, budget, slow }) => {
        const { items, fetchChunk, keyOf } = source(count);
        const isKept = (name: string): boolean => Number(name.slice(1)) % keepEvery === 0;
        const keep = (name: string) => (slow ? Promise.resolve(isKept(name)) : isKept(name));
        const limits = budget === undefined ? {} : { budget: { items: budget, ms: 60_000 } };
        const pages = await allPages({ fetchChunk, keyOf, keep, pageSize, ...limits });
        assert.deepEqual(pages.flat(), items.filter(isKept));
        assert.ok(pages.every((page) => page.length <= pageSize));
      }),
      { numRuns: 100 },
    );
  });

  it('without a filter are full, and the last one says that it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 100 }), async (count, pageSize) => {
        const { items, fetchChunk, keyOf } = source(count);
        const pages = await allPages({ fetchChunk, keyOf, pageSize });
        assert.deepEqual(pages.flat(), items);
        assert.equal(pages.length, Math.max(1, Math.ceil(count / pageSize)));
      }),
    );
  });

  it('without a filter read one item more than they show', async () => {
    const { reads, fetchChunk, keyOf } = source(500);
    await pageThrough({ fetchChunk, keyOf, pageSize: 100, after: undefined }, signal);
    assert.deepEqual(reads, [101]);
  });

  it('end early when the budget is used up, and go on from there', async () => {
    const { fetchChunk, keyOf, reads } = source(5000);
    const keep = (): boolean => false;
    const budget = { items: 1000, ms: 60_000 };
    const page = await pageThrough({ fetchChunk, keyOf, keep, budget, pageSize: 10, after: undefined }, signal);
    assert.deepEqual(page, { items: [], next: ['n00999'] });
    assert.equal(reads.length, 2);
    const spent = { items: 1_000_000, ms: 0 };
    const next = await pageThrough({ fetchChunk, keyOf, keep, budget: spent, pageSize: 10, after: page.next }, signal);
    assert.deepEqual(next.next, ['n01499'], 'there is progress even without any time');
  });

  it('stop when nobody waits for them any more', async () => {
    const { fetchChunk, keyOf } = source(5000);
    const gone = new AbortController();
    const keep = (name: string): boolean => {
      if (name === 'n00600') gone.abort(new RangeError('gone'));
      return false;
    };
    await assert.rejects(
      pageThrough({ fetchChunk, keyOf, keep, pageSize: 1, after: undefined }, gone.signal),
      RangeError,
    );
  });

  it('let others have a turn while a filter works', async () => {
    const { fetchChunk, keyOf } = source(300);
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 1);
    const keep = (): boolean => {
      const until = performance.now() + 1;
      while (performance.now() < until);
      return false;
    };
    await pageThrough({ fetchChunk, keyOf, keep, pageSize: 1, after: undefined }, signal);
    clearInterval(ticking);
    assert.ok(turns >= 5, `only ${turns} turns in 300 ms`);
  });
});
