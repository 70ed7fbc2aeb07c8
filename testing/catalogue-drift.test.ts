import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Catalogue } from '#kit/std';
import { catalogueMatchesReadme } from './catalogue-drift.ts';

const catalogue = {
  LOST: { category: 'unavailable', retry: 'later' },
  REFUSED: { category: 'invalid', retry: 'never' },
} as const satisfies Catalogue;

const HEAD = '# Module\n\n| code | of | another | table |\n|---|---|---|---|\n\n## Errors\n\nSome words.\n\n';
const COLUMNS = '| code | category | retry | when |\n|---|---|---|---|\n';
const LOST = '| `LOST` | unavailable | later | the peer went away |\n';
const REFUSED = '| `REFUSED` | invalid | never | the input is wrong |\n';
const TAIL = '\n## More\n\n| code | x |\n|---|---|\n| `OTHER` | y |\n';

const folder = mkdtempSync(join(tmpdir(), 'catalogue-drift-'));
after(() => rmSync(folder, { recursive: true }));

function compare(markdown: string): void {
  const readme = join(folder, 'README.md');
  writeFileSync(readme, markdown);
  catalogueMatchesReadme({ catalogue, readme: pathToFileURL(readme) });
}

test('a table that lists the catalogue, in any order, matches', () => compare(HEAD + COLUMNS + REFUSED + LOST + TAIL));

for (const { why, markdown } of [
  { why: 'a code of the catalogue is missing', markdown: HEAD + COLUMNS + LOST + TAIL },
  {
    why: 'a code is listed that nobody throws',
    markdown: `${HEAD}${COLUMNS}${LOST}${REFUSED}| \`GONE\` | invalid | never | x |\n`,
  },
  { why: 'the category differs', markdown: HEAD + COLUMNS + LOST + REFUSED.replace('invalid', 'internal') },
  { why: 'the retry differs', markdown: HEAD + COLUMNS + LOST + REFUSED.replace('never', 'later') },
  { why: 'a code is listed twice', markdown: HEAD + COLUMNS + LOST + REFUSED + LOST },
  { why: 'nothing says when', markdown: HEAD + COLUMNS + LOST + REFUSED.replace('the input is wrong', '') },
  { why: 'the columns are others', markdown: HEAD + COLUMNS.replace('retry', 'again') + LOST + REFUSED },
  { why: 'there is no such heading', markdown: HEAD.replace('## Errors', '## Faults') + COLUMNS + LOST + REFUSED },
  { why: 'there is no table', markdown: HEAD },
]) {
  test(`does not match: ${why}`, () => assert.throws(() => compare(markdown), assert.AssertionError));
}
