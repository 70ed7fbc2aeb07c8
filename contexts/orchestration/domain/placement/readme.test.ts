import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EXCLUSION_REASONS } from './exclusion.ts';
import { createPlacementRegistry } from './placement-registry.ts';
import { REMOVAL_CAUSES } from './removal-cause.ts';

const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

for (const { what, header, wanted } of [
  { what: 'strategies', header: '| type |', wanted: [...createPlacementRegistry().keys()] },
  { what: 'reasons', header: '| reason |', wanted: EXCLUSION_REASONS },
  { what: 'causes', header: '| cause | what happened |', wanted: REMOVAL_CAUSES },
]) {
  test(`the README lists exactly the ${what} that there are`, () => {
    const [table = ''] = readme.slice(readme.indexOf(header)).split('\n\n');
    assert.deepEqual(
      Array.from(table.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name),
      wanted,
    );
  });
}
