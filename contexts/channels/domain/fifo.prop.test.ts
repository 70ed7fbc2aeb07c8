import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testSeed } from '#testing/seeded';
import { Fifo, type Queued } from './fifo.ts';

interface Item extends Queued<Item> {
  readonly value: number;
}

const STEPS = ['push', 'unshift', 'shift', 'removeSecond', 'removeOdd'] as const;

test('it does what an array does', () => {
  const property = fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 40 }), (steps) => {
    const fifo = new Fifo<Item>();
    let model: number[] = [];
    for (const [value, step] of steps.entries()) {
      const item: Item = { value, next: undefined };
      if (step === 'push') {
        fifo.push(item);
        model.push(value);
      } else if (step === 'unshift') {
        fifo.unshift(item);
        model.unshift(value);
      } else if (step === 'shift') {
        assert.equal(fifo.shift()?.value, model.shift());
      } else if (step === 'removeSecond') {
        assert.equal(fifo.removeSecond()?.value, model.splice(1, 1)[0]);
      } else {
        const removed = fifo.removeWhere((it) => it.value % 2 === 1).map((it) => it.value);
        assert.deepEqual(
          removed,
          model.filter((one) => one % 2 === 1),
        );
        model = model.filter((one) => one % 2 === 0);
      }
      assert.deepEqual(valuesOf(fifo), model);
      assert.equal(fifo.size, model.length);
    }
  });
  fc.assert(property, { numRuns: 500, seed: testSeed() });
});

function valuesOf(fifo: Fifo<Item>): number[] {
  const values: number[] = [];
  for (let item = fifo.first; item !== undefined; item = item.next) values.push(item.value);
  return values;
}
