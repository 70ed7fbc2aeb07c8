import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ROOT } from '../repository.ts';
import type { TestFile } from './needs.ts';
import { hasPassed, type JobOutcome, runJob } from './run-job.ts';

describe('a job', () => {
  it('tells the tests of each of its files, with their suites', async (t) => {
    const { files } = await planted(t, {
      a: "describe('outer', () => { it('inner', () => {}); it('later', { skip: 'no moon' }, () => {}); });",
      b: "test('fails', () => { throw new Error('on purpose'); });",
    });
    const [a, b] = files;
    assert.deepEqual(
      a?.tests.map(({ path, outcome, reason }) => [path.join(' > '), outcome, reason]),
      [
        ['outer > inner', 'passed', undefined],
        ['outer > later', 'skipped', 'no moon'],
      ],
    );
    assert.match(b?.tests[0]?.error ?? '', /on purpose/);
    assert.deepEqual(files.map(hasPassed), [true, false]);
  });

  it('keeps hooks at the top of a file in that file', async (t) => {
    const { output } = await planted(t, {
      a: "beforeEach(() => console.log('hook of a')); after(() => console.log('a is over')); test('a', () => console.log('in a'));",
      b: "console.log('b is loaded'); test('b', () => console.log('in b'));",
    });
    assert.deepEqual(output.trim().split('\n'), ['hook of a', 'in a', 'a is over', 'b is loaded', 'in b']);
  });

  it('fails a file that cannot be loaded, and runs the others', async (t) => {
    const { files } = await planted(t, { a: "throw new Error('no such part');", b: "test('b', () => {});" });
    assert.match(files[0]?.error ?? '', /no such part/);
    assert.deepEqual(files.map(hasPassed), [false, true]);
  });

  it('fails the file in which its process ended, and those that were not begun', async (t) => {
    const { files } = await planted(t, { a: "test('a', () => process.exit(0));", b: "test('b', () => {});" });
    assert.deepEqual(
      files.map(({ error }) => error),
      ['the process ended in the middle of it', 'it was not begun'],
    );
  });

  it('ends a file that something keeps waiting, and says what is open', async (t) => {
    const { files, output } = await planted(
      t,
      { a: "test('waits', async () => { await new Promise((r) => setTimeout(r, 1e8)); });" },
      { timeoutMs: 500, nodeFlags: ['--test-timeout=60000'] },
    );
    assert.deepEqual(files.map(hasPassed), [false]);
    assert.match(output, /has not ended after 500 ms; still open:.*Timeout/);
  });

  it('fails when something forgotten keeps its process alive after the last test', async (t) => {
    const { files, output } = await planted(t, { a: "test('a', () => { setInterval(() => {}, 1000); });" });
    assert.match(files[0]?.error ?? '', /ended with 1 although every test passed/);
    assert.match(output, /has not ended 300 ms after the last of them; still open:.*Timeout/);
  });

  it('runs in an empty folder with a home of its own, and fails when files are left in the folder', async (t) => {
    const { files, output } = await planted(t, {
      a: "test('a', () => { console.log(JSON.stringify([process.cwd(), process.env.HOME])); fs.writeFileSync('left', ''); });",
    });
    const [work = '', home = ''] = JSON.parse(output) as string[];
    assert.ok(relative(ROOT, work).startsWith('..') && relative(ROOT, home).startsWith('..') && work !== home);
    assert.match(files[0]?.error ?? '', /left in the working folder: left/);
  });
});

interface Limits {
  readonly timeoutMs?: number;
  readonly nodeFlags?: readonly string[];
}

async function planted(
  t: TestContext,
  sources: Readonly<Record<string, string>>,
  { timeoutMs = 60_000, nodeFlags = [] }: Limits = {},
): Promise<JobOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-job-'));
  t.after(() => rm(folder, { recursive: true }));
  const imports = "import { after, beforeEach, describe, it, test } from 'node:test'; import fs from 'node:fs';";
  const files = Object.entries(sources).map(async ([name, source]): Promise<TestFile> => {
    const file = join(folder, `${name}.test.mjs`);
    await writeFile(file, `${imports}\n${source}\n`);
    return { file: relative(ROOT, file), kind: 'unit', needs: [], isLong: false, ownProcess: false };
  });
  const env = { PATH: process.env['PATH'], TMPDIR: folder, FLEETSHIFT_TEST_WIND_UP_MS: '300' };
  return await runJob(await Promise.all(files), { folder, env, nodeFlags, timeoutMs }, t.signal);
}
