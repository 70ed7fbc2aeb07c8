import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CHILD_STANDINGS, GROUP_PHASES } from './group-state.ts';

const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');

/** The first column of the table with this heading. */
function column(heading: string): readonly string[] {
  const [, table = ''] = readme.split(`| ${heading} |`);
  const [rows = ''] = table.split('\n\n');
  return [...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, word = '']) => word);
}

test('the README knows every phase and standing, and no others', () => {
  assert.deepEqual(column('phase'), [...GROUP_PHASES]);
  assert.deepEqual(column('standing of a child'), [...CHILD_STANDINGS]);
});
