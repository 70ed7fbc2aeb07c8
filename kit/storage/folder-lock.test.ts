import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { claimFolder } from './folder-lock.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

test('a folder is claimed once, and again after its release', (t) => {
  const folder = temporaryFolder(t);
  const first = claimFolder(folder, NOW);
  assert.equal(first.kind, 'claimed');

  const second = claimFolder(folder, NOW);
  assert.equal(second.kind, 'taken');
  assert.equal(second.kind === 'taken' && second.holder?.pid, process.pid);
  assert.equal(second.kind === 'taken' && second.holder?.since, '2026-01-02T03:04:05.000Z');

  if (first.kind === 'claimed') first.release();
  const third = claimFolder(folder, NOW);
  assert.equal(third.kind, 'claimed');
  if (third.kind === 'claimed') third.release();
});

test('a killed holder leaves the folder free', async (t) => {
  const folder = temporaryFolder(t);
  const holder = await startClaimant(t, folder);
  assert.equal(holder.outcome, 'claimed');

  const refused = claimFolder(folder, NOW);
  assert.equal(refused.kind === 'taken' && refused.holder?.pid, holder.process.pid);

  holder.process.kill('SIGKILL');
  await once(holder.process, 'exit');
  const claim = claimFolder(folder, NOW);
  assert.equal(claim.kind, 'claimed');
  if (claim.kind === 'claimed') claim.release();
});

test('of several that start together exactly one wins', async (t) => {
  const folder = temporaryFolder(t);
  const claimants = await Promise.all(Array.from({ length: 5 }, () => startClaimant(t, folder)));
  const outcomes = claimants.map(({ outcome }) => outcome).sort();
  assert.deepEqual(outcomes, ['claimed', 'taken', 'taken', 'taken', 'taken']);
});

interface Cleanup {
  after(step: () => unknown): void;
}

function temporaryFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A process that claims the folder, prints the outcome, and lives until its input ends. */
async function startClaimant(t: Cleanup, folder: string): Promise<{ process: ChildProcess; outcome: string }> {
  const program = `
    import { claimFolder } from ${JSON.stringify(new URL('./folder-lock.ts', import.meta.url).href)};
    const claim = claimFolder(${JSON.stringify(folder)}, Date.now());
    console.log(claim.kind);
    process.stdin.resume().on('end', () => claim.release?.());
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.stdin.end();
    await once(child, 'exit');
  });
  const [outcome] = await once(createInterface({ input: child.stdout }), 'line');
  return { process: child, outcome: String(outcome) };
}
