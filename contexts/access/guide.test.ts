import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PERMISSIONS } from './domain/permission.ts';

const GUIDE = readFileSync(new URL('../../docs/guide/access.md', import.meta.url), 'utf8');

test('the guide says of each permission who has it, and what it is about', () => {
  const rows = GUIDE.matchAll(/^\| `(\w+\.\w+)` \| ([\w-]+) \| (\w+) \| .+ \|$/gm);
  assert.deepEqual(
    Array.from(rows, ([, name, role, reach]) => [name, { role, reach }]),
    Object.entries(PERMISSIONS).map(([name, { role, reach }]) => [name, { role, reach }]),
  );
});
