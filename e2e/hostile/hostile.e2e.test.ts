import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { share, testSeed } from '#testing/seeded';
import type { Attack } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { runAttack } from './run-attack.ts';

describe('attacks on a platform', () => {
  for (const [index, attack] of ATTACKS.entries()) {
    for (const engine of enginesOf(attack, index)) {
      it(`holds off on ${engine}: ${attack.name} (finding ${attack.finding})`, async (t) => {
        const { succeeded, evidence } = await runAttack(attack, engine, t.signal);
        assert.equal(succeeded, false, evidence);
      });
    }
  }
});

/** A run makes every attack on one database, chosen by the seed; with a share of 1, on all databases. */
function enginesOf({ engine }: Attack, index: number): readonly Engine[] {
  if (engine !== undefined) return DATABASES.filter((each) => each === engine);
  const first = (index + testSeed()) % DATABASES.length;
  return [...DATABASES.slice(first), ...DATABASES.slice(0, first)].slice(0, share(DATABASES.length));
}
