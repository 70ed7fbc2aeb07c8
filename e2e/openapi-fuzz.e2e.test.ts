import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { fuzzPlatform, soak } from './openapi-fuzz.soak.ts';

/** Nothing that a client can do makes a workflow yet, so that none is ever found. */
const ABOUT_NOTHING = '/v1/workflows/';

/** The same seed gets the same answers from both; the second is asked less, to find what only it takes amiss. */
const COUNTS: Readonly<Record<Engine, number>> = { sqlite: soak.defaultCount, postgres: soak.defaultCount * 0.3 };

describe('requests generated from the description of the API', () => {
  for (const engine of DATABASES) {
    it(`get no 5xx and no answer outside its schema, on ${engine}`, async (t) => {
      const size = { count: COUNTS[engine], seed: testSeed() };
      const { operations, statuses } = await fuzzPlatform(engine, quietly(size, t.signal));
      // A generator that does not get through to anything would find nothing wrong either.
      const refused = operations.filter(({ id, path }) => {
        const seen = [...(statuses.get(id)?.keys() ?? [])];
        return !path.startsWith(ABOUT_NOTHING) && !seen.some((status) => status < 300);
      });
      assert.deepEqual(refused, []);
    });
  }
});
