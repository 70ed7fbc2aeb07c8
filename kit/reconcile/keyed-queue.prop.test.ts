import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '#testing/fake-clock';
import { KeyedQueue } from './keyed-queue.ts';
import { PRIORITIES } from './ready-lanes.ts';
import { takeNow } from './testing/take-now.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key, priority: fc.constantFrom(...PRIORITIES), afterMs: fc.nat(30) }),
  fc.record({
    do: fc.constant('add' as const),
    key,
    priority: fc.constantFrom(...PRIORITIES),
    afterMs: fc.constant(0),
  }),
  fc.record({ do: fc.constant('retry' as const), key }),
  fc.record({ do: fc.constant('forget' as const), key }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), which: fc.nat(3) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 20 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The queue next to the simplest correct model: for each key, the time from which it may be taken. */
class Checked {
  readonly clock = new FakeClock(0);
  readonly queue = new KeyedQueue({ clock: this.clock, sleep: this.clock.sleep, random: () => 0.7 });
  readonly due = new Map<string, number>();
  readonly taken = new Set<string>();

  async do(it: Step): Promise<void> {
    switch (it.do) {
      case 'add':
        this.queue.add(it.key, it);
        return this.#expect(it.key, it.afterMs);
      case 'retry':
        return this.#expect(it.key, this.queue.retry(it.key));
      case 'forget':
        return this.queue.forget(it.key);
      case 'take':
        return this.#take();
      case 'done':
        return this.#done(it.which);
      case 'advance':
        return this.clock.advance(it.ms);
    }
  }

  /** Runs everything to its end and checks that all expected keys were taken. */
  async settle(): Promise<void> {
    while (this.due.size > 0) {
      for (const held of this.taken) this.#finish(held);
      await this.clock.advance(1_000);
      await this.#take();
    }
    for (const held of this.taken) this.#finish(held);
    assert.equal(this.queue.size, 0);
  }

  #expect(added: string, afterMs: number): void {
    this.due.set(added, Math.min(this.due.get(added) ?? Number.POSITIVE_INFINITY, this.clock.now() + afterMs));
  }

  async #take(): Promise<void> {
    const ready = [...this.due].filter(([it, due]) => due <= this.clock.now() && !this.taken.has(it));
    const got = await takeNow(this.queue);
    if (got === undefined) return assert.deepEqual(ready, [], 'a key was ready, and nobody got it');
    assert.ok(!this.taken.has(got), `${got} is taken twice at once`);
    assert.ok(
      ready.some(([it]) => it === got),
      `${got} was not asked for, or not yet`,
    );
    this.due.delete(got);
    this.taken.add(got);
  }

  #done(which: number): void {
    const held = [...this.taken][which];
    if (held !== undefined) this.#finish(held);
  }

  #finish(held: string): void {
    this.taken.delete(held);
    this.queue.done(held);
  }
}

test('in any order of steps: no key twice at once, none too early, none lost, none for nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const checked = new Checked();
      for (const it of steps) await checked.do(it);
      await checked.settle();
    }),
    { numRuns: 300 },
  );
});
