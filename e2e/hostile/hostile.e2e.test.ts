import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { ATTACKS } from './attacks.ts';
import { runAttack } from './run-attack.ts';

for (const engine of DATABASES) {
  describe(`attacks on a platform on ${engine}`, () => {
    for (const attack of ATTACKS.filter((each) => each.engine === undefined || each.engine === engine)) {
      it(`holds off: ${attack.name} (finding ${attack.finding})`, async (t) => {
        const { succeeded, evidence } = await runAttack(attack, engine, t.signal);
        assert.equal(succeeded, false, evidence);
      });
    }
  });
}
