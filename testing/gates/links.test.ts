import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { it } from 'node:test';
import { findFiles, ROOT } from '../../scripts/repository.ts';

/** `[text](target)`, outside of code. */
const LINK = /\[[^\]]*\]\(([^()\s]+)\)/g;
const CODE = /^(`{3,})[^\n]*\n.*?^\1$|`[^`\n]+`/gms;
const HEADING = /^#{1,6} (.+)$/gm;

it('every link between documents leads somewhere', async () => {
  const pages = await findFiles('**/*.md');
  assert.ok(pages.length > 30, 'the pages are found');
  const broken = pages.flatMap((page) =>
    linksOf(page).flatMap((link) => (leadsNowhere(page, link) ? [`${page}: ${link}`] : [])),
  );
  assert.deepEqual(broken, []);
});

it('a link that leads nowhere is found', () => {
  const cases = { 'README.md': false, 'README.md#two-commands': false, 'nowhere.md': true, 'README.md#nowhere': true };
  for (const [link, want] of Object.entries(cases)) assert.equal(leadsNowhere('CHANGELOG.md', link), want, link);
});

function linksOf(page: string): string[] {
  const links = Array.from(textOf(page).replace(CODE, '').matchAll(LINK), ([, link = '']) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function leadsNowhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
  if (!existsSync(join(ROOT, file))) return true;
  return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
}

/** Anchors as GitHub derives them from headings: lower case, no punctuation, dashes for spaces. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = textOf(page).matchAll(HEADING);
  return new Set(
    Array.from(headings, ([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}
