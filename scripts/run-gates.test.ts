import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import type { Gate } from './gates.ts';
import { runGates } from './run-gates.ts';

const open: Gate = { name: 'open', command: ['sh', '-c', 'echo nothing to see'] };
const closed: Gate = { name: 'closed', command: ['sh', '-c', 'echo wrong here; echo and here >&2; exit 3'] };
const missing: Gate = { name: 'missing', command: ['fleetshift-has-no-such-program'] };

describe('runGates', () => {
  it('lets through what every gate lets through, in one line for each', async () => {
    const { passed, lines } = await run([open, open]);
    assert.equal(passed, true);
    assert.equal(lines.length, 2);
    for (const line of lines) assert.match(line, /^✔ open +\d+\.\d s$/);
  });

  it('is closed by one closed gate, asks the others all the same, and shows what that one said', async () => {
    const { passed, lines } = await run([closed, open]);
    assert.equal(passed, false);
    assert.match(lines.join('\n'), /✖ closed/);
    assert.match(lines.join('\n'), /✔ open/);
    assert.match(lines.at(-1) ?? '', /exit code 3\nwrong here\nand here$/);
    assert.doesNotMatch(lines.join('\n'), /nothing to see/);
  });

  it('does not take a tool that is not there for an open gate', async () => {
    await assert.rejects(run([missing]), { code: 'ENOENT' });
  });

  it('runs as many at a time as it may, and no more', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-gates-'));
    t.after(() => rm(folder, { recursive: true }));
    // Fails if another gate is inside: creating an existing folder fails.
    const alone: Gate = {
      name: 'alone',
      command: ['sh', '-c', 'mkdir "$0" && sleep 0.05 && rmdir "$0"', join(folder, 'x')],
    };
    assert.equal((await run([alone, alone, alone], 1)).passed, true);
    // Each of the two waits for the other: run one at a time, they would never end.
    const meet = 'touch "$0/$1"; until [ -e "$0/$2" ]; do sleep 0.01; done';
    const [one, two] = [
      ['a', 'b'],
      ['b', 'a'],
    ].map(([own = '', other = '']): Gate => ({ name: own, command: ['sh', '-c', meet, folder, own, other] }));
    assert.ok(one && two && (await run([one, two], 2)).passed);
  });
});

async function run(gates: readonly Gate[], concurrency = 2): Promise<{ passed: boolean; lines: string[] }> {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);
  const passed = await runGates({ gates, cwd: tmpdir(), concurrency, print }, AbortSignal.timeout(PATIENCE_MS));
  return { passed, lines };
}
