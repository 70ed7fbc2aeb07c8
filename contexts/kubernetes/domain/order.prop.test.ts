import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseUuid } from '#kit/std';
import type { DeliveryOrder } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { acceptedOrder, isDone, type Known, verdictOf } from './order.ts';

const DEPLOYMENT = parseUuid('00000000-0000-7000-8000-000000000001');
const TARGET = { id: 't' as TargetId, name: 't', type: 'kubernetes' };

/** Few revisions and contents, so that they collide. */
const orders: fc.Arbitrary<readonly { order: DeliveryOrder; isDone: boolean }[]> = fc.array(
  fc
    .record({
      revision: fc.integer({ min: 1, max: 5 }),
      hash: fc.constantFrom('a', 'b', undefined),
      isDone: fc.boolean(),
    })
    .map(({ revision, hash, isDone: ends }) => {
      const key = { target: TARGET, deployment: DEPLOYMENT, revision };
      const content = {
        hash: hash ?? '',
        documents: [],
        healthRules: [],
        driftPolicy: 'report',
        secretPlaces: [],
      } as const;
      const order: DeliveryOrder =
        hash === undefined ? { kind: 'remove', ...key } : { kind: 'deliver', ...key, ...content };
      return { order, isDone: ends };
    }),
  { maxLength: 20 },
);

/** The records after an order was accepted and, if `ends`, carried out. */
function after(known: Known, order: DeliveryOrder, ends: boolean): Known {
  const { documents: _, ...facts } = acceptedOrder(order);
  if (!ends) return { ...known, order: facts };
  const { deployment, revision, hash } = facts;
  const inventory = { deployment, entries: [], seen: { revision, hash } };
  if (hash === undefined) return { order: undefined, inventory };
  return { order: facts, inventory: { ...inventory, held: { revision, hash } } };
}

describe('an order', () => {
  it('safety: is never taken behind a revision that was seen, done, removed or not', () => {
    fc.assert(
      fc.property(orders, (asked) => {
        let known: Known = { order: undefined, inventory: undefined };
        let highest = 0;
        for (const { order, isDone: ends } of asked) {
          const verdict = verdictOf(known, acceptedOrder(order));
          assert.equal(verdict.kind === 'fenced', order.revision < highest);
          if (verdict.kind === 'fenced') {
            assert.equal(verdict.seen, highest);
            continue;
          }
          highest = order.revision;
          if (verdict.kind === 'again' && isDone(known, acceptedOrder(order))) continue;
          const { revision, hash } = acceptedOrder(order);
          const { held } = known.inventory ?? {};
          // The order in between was not started.
          const isThere = held !== undefined && held.revision === revision && held.hash === hash;
          known = after(known, order, ends);
          assert.equal(verdictOf(known, acceptedOrder(order)).kind, 'again', 'the same again is known');
          assert.equal(isDone(known, acceptedOrder(order)), ends || isThere);
        }
      }),
    );
  });

  it('with another content under the same revision is a later word', () => {
    const [one, two] = ['a', 'b'].map((hash) => ({ revision: 2, hash }));
    const known: Known = {
      order: undefined,
      inventory: { deployment: DEPLOYMENT, entries: [], seen: one ?? { revision: 0 } },
    };
    assert.equal(verdictOf(known, two ?? { revision: 0 }).kind, 'new');
    assert.equal(verdictOf(known, { revision: 2 }).kind, 'new');
  });
});
