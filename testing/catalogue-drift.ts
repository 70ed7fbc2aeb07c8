import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Catalogue } from '#kit/std';

interface Documented {
  readonly catalogue: Catalogue;
  /** `new URL('./README.md', import.meta.url)` */
  readonly readme: URL;
}

const COLUMNS = ['code', 'category', 'retry', 'when'];

/**
 * Asserts that the table under `## Errors` in a module's README lists exactly the codes of its catalogue, each with the
 * same category and retry, and with a description of when it is thrown.
 */
export function catalogueMatchesReadme({ catalogue, readme }: Documented): void {
  const documented = new Map<string, { category: string; retry: string }>();
  for (const [code = '', category = '', retry = '', when = ''] of errorRows(readFileSync(readme, 'utf8'))) {
    assert.ok(!documented.has(code), `${code} is listed twice in ${readme.pathname}`);
    assert.notEqual(when, '', `${code} is listed in ${readme.pathname} without a word on when it is thrown`);
    documented.set(code, { category, retry });
  }
  assert.deepEqual(
    Object.fromEntries(documented),
    Object.fromEntries(Object.entries(catalogue).map(([code, { category, retry }]) => [code, { category, retry }])),
    `the error table of ${readme.pathname} differs from the catalogue`,
  );
}

function errorRows(markdown: string): string[][] {
  const lines = markdown.split('\n');
  const heading = lines.indexOf('## Errors');
  assert.notEqual(heading, -1, 'the README has no heading "## Errors"');
  const next = lines.findIndex((line, index) => index > heading && line.startsWith('## '));
  const section = lines.slice(heading + 1, next === -1 ? undefined : next);
  const [header, , ...rows] = section.filter((line) => line.trimStart().startsWith('|')).map(cells);
  assert.deepEqual(header, COLUMNS, 'the first table under "## Errors" has the wrong columns');
  return rows;
}

function cells(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim().replaceAll('`', ''));
}
