import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
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

  it('runs no more at a time than it may', async () => {
    const sleeps: Gate = { name: 'sleeps', command: ['sh', '-c', 'sleep 0.05'] };
    const begun = performance.now();
    await run([sleeps, sleeps, sleeps], 1);
    assert.ok(performance.now() - begun >= 150);
  });
});

async function run(gates: readonly Gate[], concurrency = 2): Promise<{ passed: boolean; lines: string[] }> {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);
  const passed = await runGates({ gates, cwd: tmpdir(), concurrency, print }, AbortSignal.timeout(30_000));
  return { passed, lines };
}
