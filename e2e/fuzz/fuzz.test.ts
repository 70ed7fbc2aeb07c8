// own process: it counts which code of the process runs.
import { test } from 'node:test';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { fuzzParsers } from './fuzz.soak.ts';

test('parsers refuse mutated inputs in their own error types', async (t) => {
  await fuzzParsers(quietly({ count: share(200), seed: testSeed() }, t.signal), { unit: 'inputs', isTimed: false });
});
