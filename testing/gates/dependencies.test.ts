import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

const ROOT = new URL('../../', import.meta.url);

/** Headings of the page, each the name of a section of package.json. */
const SECTIONS = ['dependencies', 'optionalDependencies', 'devDependencies'] as const;

it('every dependency has a line that says what it is for, and no other has', () => {
  const page = readFileSync(new URL('docs/adr/0000-dependencies.md', ROOT), 'utf8');
  const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as Record<string, object>;
  for (const section of SECTIONS) {
    const chapter = page.split(/^## /m).find((part) => part.split('\n')[0]?.includes(`\`${section}\``)) ?? '';
    const rows = chapter.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]));
    assert.deepEqual(new Set(named), new Set(Object.keys(manifest[section] ?? {})), section);
  }
});
