import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tableUnder } from '#testing/documents';
import { ROOT } from '../../scripts/repository.ts';

/** As in `contexts/a/b.test.ts` "the name of a test, or the part of it that is written in the file". */
const EVIDENCE = /`(?<file>[^`]+)` "(?<name>[^"]+)"/g;

describe('SECURITY.md', () => {
  const rows = tableUnder('SECURITY.md', '## What FleetShift promises');

  it('has a test for each promise', () => {
    assert.ok(rows.length > 20, 'the table is found');
    const without = rows.filter(([, tests = '']) => evidence(tests).length === 0).map(([promise]) => promise);
    assert.deepEqual(without, []);
  });

  it('names tests that are there', () => {
    const named = rows.flatMap(([, tests = '']) => evidence(tests));
    assert.deepEqual(
      named.filter((one) => !isThere(one)),
      [],
    );
  });

  for (const [what, file, name] of [
    ['a file', 'kit/std/nowhere.test.ts', 'is there'],
    ['a name', 'testing/gates/security-promises.test.ts', ['a name', 'of no test'].join(' ')],
  ] as const) {
    it(`would miss ${what} that is not there`, () => assert.equal(isThere({ file, name }), false));
  }
});

interface Evidence {
  readonly file: string;
  readonly name: string;
}

function evidence(cell: string): Evidence[] {
  return Array.from(cell.matchAll(EVIDENCE), ({ groups }) => ({
    file: groups?.['file'] ?? '',
    name: groups?.['name'] ?? '',
  }));
}

function isThere({ file, name }: Evidence): boolean {
  const path = join(ROOT, file);
  // A contract suite is run by the tests of each adapter.
  return /\.test\.ts$|\/testing\/.*\.ts$/.test(file) && existsSync(path) && readFileSync(path, 'utf8').includes(name);
}
