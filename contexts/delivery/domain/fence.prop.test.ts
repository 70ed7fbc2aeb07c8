import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DeliveryOrder } from '#protocol/delivery';
import { anOrder, aRemoval } from '../testing/an-order.ts';
import { fence, type Seen } from './fence.ts';

/** Few revisions and contents, so that they collide. */
const orders = fc.array(
  fc.record({ revision: fc.integer({ min: 1, max: 5 }), content: fc.constantFrom('a', 'b', undefined) }),
  { maxLength: 20 },
);

function orderOf({ revision, content }: { revision: number; content: string | undefined }): DeliveryOrder {
  return content === undefined ? aRemoval({ revision }) : anOrder({ revision, hash: content });
}

/** The behaviour of an agent that receives these orders one after another. */
function play(asked: readonly DeliveryOrder[]) {
  const steps: { order: DeliveryOrder; before: Seen | undefined; after: Seen; kind: string }[] = [];
  let seen: Seen | undefined;
  for (const order of asked) {
    const verdict = fence(seen, order);
    steps.push({ order, before: seen, after: verdict.seen, kind: verdict.kind });
    seen = verdict.seen;
  }
  return steps;
}

test('safety: an agent never goes back, in whatever order it is asked', () => {
  fc.assert(
    fc.property(orders, (raw) => {
      for (const { before, after, order, kind } of play(raw.map(orderOf))) {
        assert.ok(after.revision >= (before?.revision ?? 0), 'what it has seen only grows');
        assert.equal(kind === 'fenced', order.revision < (before?.revision ?? 0), 'all that is older is fenced off');
        if (kind === 'fenced') assert.equal(after, before, 'and leaves no trace');
        else assert.equal(after.revision, order.revision);
      }
    }),
  );
});

test('safety: the last order that was let through has the highest revision of all that were asked', () => {
  fc.assert(
    fc.property(orders, (raw) => {
      const steps = play(raw.map(orderOf));
      const last = steps.findLast(({ kind }) => kind !== 'fenced');
      assert.equal(last?.order.revision ?? 0, Math.max(0, ...raw.map(({ revision }) => revision)));
    }),
  );
});

test('asking twice in a row is asking once: the second time it is known', () => {
  fc.assert(
    fc.property(orders, (raw) => {
      const twice = raw.flatMap((each) => [orderOf(each), orderOf(each)]);
      for (const [index, { kind, before, after }] of play(twice).entries()) {
        if (index % 2 === 0) continue;
        assert.ok(kind === 'again' || kind === 'fenced', kind);
        assert.equal(after, before);
      }
    }),
  );
});

test('a revision with another content is new, a removal included', () => {
  const delivered = fence(undefined, anOrder({ revision: 2, hash: 'a' })).seen;
  assert.equal(fence(delivered, anOrder({ revision: 2, hash: 'b' })).kind, 'new');
  assert.equal(fence(delivered, aRemoval({ revision: 2 })).kind, 'new');
  const removed = fence(delivered, aRemoval({ revision: 2 })).seen;
  assert.equal(fence(removed, anOrder({ revision: 2, hash: 'a' })).kind, 'new');
  assert.equal(fence(removed, aRemoval({ revision: 2 })).kind, 'again');
});
