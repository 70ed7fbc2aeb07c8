import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Due, DueHeap } from './due-heap.ts';

test('whatever is added and taken out, the earliest is first', () => {
  const step = fc.oneof(fc.record({ add: fc.nat(50) }), fc.record({ remove: fc.nat() }), fc.constant('first' as const));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = new DueHeap<Due>();
      const model = new Set<Due>();
      for (const it of steps) {
        const known = [...model];
        const item = it === 'first' ? heap.earliest : 'remove' in it ? known[it.remove % known.length] : undefined;
        if (item) {
          heap.remove(item);
          model.delete(item);
        } else if (typeof it === 'object' && 'add' in it) {
          const added = { due: it.add, slot: -1 };
          heap.add(added);
          model.add(added);
        }
        assert.equal(heap.size, model.size);
        assert.equal(heap.earliest?.due, model.size === 0 ? undefined : Math.min(...[...model].map(({ due }) => due)));
      }
    }),
  );
});
