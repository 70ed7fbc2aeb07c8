import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { sleep } from '#kit/std';
import { PATIENCE_MS } from '#testing/patience';
import { testSeed } from '#testing/seeded';
import type { EffectiveSchema } from '../../domain/index-schema.ts';
import { aKind, anObject, aSchema } from '../../testing/an-index.ts';
import { FeedWorld } from '../../testing/feed-world.ts';

const TYPES = ['v1/Box', 'v1/Crate', 'shop.test/v1/Shelf'];
const WIDE = aSchema(...TYPES.map((type) => aKind(type)));
const SCHEMAS: readonly EffectiveSchema[] = [
  WIDE,
  aSchema(aKind('v1/Crate')),
  aSchema(aKind('v1/Box', { fields: [{ name: 'weight', path: 'spec.size', type: 'string' }] }), aKind('v1/Crate')),
  aSchema(aKind('v1/Box', { only: [{ path: 'spec.size', in: ['1', '2'] }] })),
];

const type = fc.constantFrom(...TYPES);
const name = fc.nat(4).map((number) => `n${number}`);
const size = fc.nat(3);
const change = fc.record({ kind: fc.constantFrom('put', 'put', 'remove'), type, name, size });
type Change = { readonly kind: string; readonly type: string; readonly name: string; readonly size: number };
const step = fc.oneof(
  { weight: 8, arbitrary: change.map((its) => ({ ...its, is: 'change' as const })) },
  { weight: 2, arbitrary: fc.constant({ is: 'pause' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'cut' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'restartAgent' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'restartPlatform' as const }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('schema' as const), index: fc.nat(SCHEMAS.length - 1) }) },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('forget' as const), type, meanwhile: fc.array(change, { maxLength: 12 }) }),
  },
  // As after restoring a backup.
  { weight: 1, arbitrary: fc.record({ is: fc.constant('lose' as const), every: fc.integer({ min: 1, max: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function happen({ source }: FeedWorld, { kind, type: of, name: called, size: its }: Change): void {
  const object = anObject(called, { type: of, size: its });
  if (kind === 'put') source.put(object);
  else source.remove(object);
}

async function take(world: FeedWorld, taken: Step): Promise<void> {
  switch (taken.is) {
    case 'change':
      return happen(world, taken);
    case 'pause':
      for (let count = 0; count < 20; count += 1) await turn();
      return;
    case 'cut':
      return world.cut();
    case 'restartAgent':
      return await world.restartAgent();
    case 'restartPlatform':
      return await world.restartPlatform();
    case 'schema':
      world.schema = SCHEMAS[taken.index] ?? WIDE;
      return world.refresh();
    case 'forget': {
      const meanwhile = taken.meanwhile.filter((each) => each.type === taken.type);
      return world.source.forget(taken.type, () => meanwhile.forEach((each) => happen(world, each)));
    }
    case 'lose': {
      const objects = world.store.targets.get('target-1') ?? new Map();
      [...objects.keys()].forEach((key, index) => index % taken.every === 0 && objects.delete(key));
      return world.cut();
    }
  }
}

describe('the index of a target', () => {
  it('comes to be what is there, whatever happened, and nothing is told that was known', {
    timeout: PATIENCE_MS,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const world = new FeedWorld(WIDE);
        try {
          for (const each of steps) await take(world, each);
          assert.ok(await world.settles(), `has\n${world.held().join('\n')}\nnot\n${world.expected().join('\n')}`);
          // Messages that are still in flight change nothing any more.
          await sleep(5, new AbortController().signal);
          assert.deepEqual(world.held(), world.expected());
          assert.equal(world.store.needless, 0, 'told again what the platform had');
        } finally {
          await world.close();
        }
      }),
      { numRuns: 80, seed: testSeed() },
    );
  });
});
