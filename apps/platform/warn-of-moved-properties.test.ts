import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { eachDatabase } from '#testing/databases';
import { memoryLogger } from '../../contexts/governance/testing/governance-api.ts';
import { aTarget, insertTarget, named, uidOf } from '../../contexts/targets/testing/a-target.ts';
import { warnOfMovedProperties } from './warn-of-moved-properties.ts';

const signal = new AbortController().signal;
const OLD = { apiAuthentication: 'passthrough' };

eachDatabase('properties that are not read any more', (fresh) => {
  it('are warned of once for all targets that have them, with what to do', async (t) => {
    const database = await fresh();
    t.after(() => database.dispose());
    const storage = await database.open(SCHEMA_MODULES);
    const lines: string[] = [];
    const log = memoryLogger(lines);
    const insert = async (targets: Readonly<Record<string, object>>, first: number) => {
      const drafts = Object.entries(targets).map(([name, its], index) =>
        aTarget({ name: named(name), uid: uidOf(first + index), ...its }),
      );
      await storage.commit(drafts.map(insertTarget), signal);
    };
    const innocent = {
      plain: {},
      deeper: { properties: { note: OLD } },
      word: { properties: { note: '"apiAuthentication"' } },
      // Reported by the agent, so there is nothing for a user to correct.
      reported: { reportedProperties: OLD },
    };
    await insert(innocent, 1);
    await warnOfMovedProperties({ storage, log }, signal);
    assert.deepEqual(lines, []);

    const many = Array.from({ length: 25 }, (_, index) => `old-${String(index).padStart(2, '0')}`);
    await insert(Object.fromEntries(many.map((name) => [name, { properties: OLD }])), 100);
    await warnOfMovedProperties({ storage, log }, signal);
    assert.equal(lines.length, 1);
    const [line = ''] = lines;
    const fields = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, unknown>;
    const named20 = many.slice(0, 20).map((name) => `targets/${name}`);
    assert.partialDeepStrictEqual(fields, { count: 25, setting: 'apiAuthentication', subject: named20 });
    assert.match(String(fields['reason']), /PUT \/v1\/targets\/\{target\}\/passthrough/);
  });
});
