import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { type Outcome, runCommand } from './run-command.ts';

it('ends a test file that something keeps alive, says what, and lets the run fail', async (test) => {
  const { code, output } = await runFile(test, "test('passes', () => {});\nsetInterval(() => {}, 1000);", 500);
  assert.equal(code, 1);
  assert.match(output, /has not ended after 500 ms; still open:.*Timeout/);
});

it('keeps no file waiting that ends by itself', async (test) => {
  // Waiting for this deadline would outlast the patience of the run.
  const { code, output } = await runFile(test, "test('passes', () => {});", 86_400_000);
  assert.equal(code, 0);
  assert.doesNotMatch(output, /has not ended/);
});

async function runFile(test: TestContext, source: string, timeoutMs: number): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-deadline-'));
  test.after(() => rm(folder, { recursive: true }));
  // CommonJS, which is loaded in one go: the deadline cannot pass between the preload and what is planted.
  await writeFile(join(folder, 'planted.test.cjs'), `const { test } = require('node:test');\n${source}\n`);
  const preload = import.meta.resolve('./test-deadline.ts');
  return await runCommand(
    ['node', `--import=${preload}`, '--test'],
    { cwd: folder, env: { ...process.env, FLEETSHIFT_TEST_TIMEOUT_MS: String(timeoutMs) } },
    AbortSignal.timeout(PATIENCE_MS),
  );
}
