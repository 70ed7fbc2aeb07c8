import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { TEST_CACHE } from '../../testing/go-program.ts';
import { Records, slowerFiles } from './records.ts';
import type { FileResult } from './run-job.ts';

const RECORDED = { a: 4_000, b: 4_000, c: 4_000, short: 100 };

describe('files that became slower', () => {
  for (const { why, took, want } of [
    { why: 'none when all take as long as before', took: { a: 4_000, b: 4_100, c: 3_900 }, want: [] },
    { why: 'none when the whole machine is slower', took: { a: 9_000, b: 8_000, c: 8_100 }, want: [] },
    { why: 'the one that took longer than the others did', took: { a: 4_000, b: 4_000, c: 6_100 }, want: ['c'] },
    { why: 'the same on a busy machine', took: { a: 8_000, b: 8_000, c: 12_200 }, want: ['c'] },
    { why: 'none that is short all the same', took: { a: 4_000, b: 4_000, short: 900 }, want: [] },
    { why: 'one that was short and is long', took: { a: 4_000, b: 4_000, short: 9_000 }, want: ['short'] },
    { why: 'none that is new', took: { a: 4_000, b: 4_000, fresh: 60_000 }, want: [] },
  ]) {
    it(why, () => {
      const files = Object.entries(took).map(([file, ms]) => ({ file, ms }));
      assert.deepEqual(
        slowerFiles(files, RECORDED).map(({ file }) => file),
        want,
      );
    });
  }
});

describe('records of runs', () => {
  it('keep durations of green runs only, and the failures of the last run', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'fleetshift-records-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const records = new Records({ [TEST_CACHE]: folder });
    assert.deepEqual([records.durations(), records.failedFiles()], [{}, []]);
    const passed: FileResult = { file: 'a.test.ts', kind: 'unit', ms: 12.3, cpuMs: 5, tests: [] };
    const failed: FileResult = { ...passed, file: 'b.test.ts', error: 'it was not begun' };
    records.keep({ seed: '1', ms: 1, files: [passed] }, true);
    records.keep({ seed: '1', ms: 1, files: [{ ...passed, ms: 99 }, failed] }, false);
    assert.deepEqual(records.durations(), { 'a.test.ts': 12 });
    assert.deepEqual(records.failedFiles(), ['b.test.ts']);
  });
});
