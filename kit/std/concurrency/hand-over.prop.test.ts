import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Catalogue, type ErrorCategory, FleetError } from '../errors.ts';
import { handOver } from './hand-over.ts';

const ERRORS = {
  AWAY: { category: 'unavailable', retry: 'later' },
  STALE: { category: 'conflict', retry: 'later' },
  BAD: { category: 'invalid', retry: 'never' },
} as const satisfies Catalogue;

class Refusal extends FleetError<keyof typeof ERRORS> {
  get entry(): { readonly category: ErrorCategory; readonly retry: 'later' | 'never' } {
    return ERRORS[this.code];
  }
}

const never = new AbortController().signal;

test('all but the bad ones arrive once and in order, each bad one is set aside alone, and few tries are needed', async () => {
  const anyBatch = fc.uniqueArray(fc.nat(10_000), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(anyBatch, fc.func(fc.integer({ min: 0, max: 20 })), async (items, luck) => {
      const isBad = (item: number): boolean => luck(item) === 0;
      const [arrived, aside]: [number[], number[]] = [[], []];
      let tries = 0;
      const hand = async (some: readonly number[]): Promise<void> => {
        tries += 1;
        if (some.some(isBad)) throw new TypeError('cannot be read');
        arrived.push(...some);
      };
      await handOver(items, { hand, setAside: (item) => aside.push(item), pause: () => assert.fail('in vain') }, never);
      assert.deepEqual(
        arrived,
        items.filter((item) => !isBad(item)),
      );
      assert.deepEqual(aside, items.filter(isBad));
      assert.ok(tries <= 1 + aside.length * 2 * Math.ceil(Math.log2(items.length + 1)));
    }),
  );
});

test('while the receiver is away nothing is set aside, however long it takes', async () => {
  let pauses = 0;
  const hand = async (): Promise<void> => {
    if (pauses < 100) throw new Refusal('AWAY', 'the database is away');
  };
  const pause = async (): Promise<void> => void (pauses += 1);
  await handOver([1, 2], { hand, pause, setAside: () => assert.fail('it was only away') }, never);
  assert.equal(pauses, 100);
});

test('what may pass is tried some times, and then set aside alone', async () => {
  const [aside, arrived]: [number[], number[]] = [[], []];
  const hand = async (items: readonly number[]): Promise<void> => {
    if (items.includes(2)) throw new Refusal('STALE', 'changed meanwhile');
    arrived.push(...items);
  };
  await handOver([1, 2, 3], { hand, pause: async () => {}, setAside: (item) => aside.push(item) }, never);
  assert.deepEqual([arrived, aside], [[1, 3], [2]]);
});

test('the others of a thousand do not wait for the attempts of one at every halving', async () => {
  const items = Array.from({ length: 1_000 }, (_, item) => item);
  const aside: number[] = [];
  let [pauses, pausesBeforeAll] = [0, 0];
  let arrived = 0;
  const hand = async (some: readonly number[]): Promise<void> => {
    if (some.includes(300)) throw new Refusal('STALE', 'changed meanwhile');
    arrived += some.length;
    if (arrived === 999) pausesBeforeAll = pauses;
  };
  const pause = async (): Promise<void> => void (pauses += 1);
  await handOver(items, { hand, pause, setAside: (item) => aside.push(item) }, never);
  assert.deepEqual([aside, pauses, pausesBeforeAll], [[300], 8, 8]);
});

test('one that is told to stop sets nothing aside', async () => {
  const over = new AbortController();
  const hand = async (): Promise<void> => {
    over.abort();
    throw new Refusal('BAD', 'no');
  };
  await handOver([1], { hand, pause: async () => {}, setAside: () => assert.fail('it was stopped') }, over.signal);
});
