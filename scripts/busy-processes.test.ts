import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import { startBusyProcesses } from './busy-processes.ts';

/** On systems other than Linux, only starting and ending is tested. */
const HAS_PROC = existsSync('/proc/self/stat');
const MODULE = import.meta.resolve('./busy-processes.ts');

describe('busy processes', () => {
  it('compute until they are stopped', async (t) => {
    const busy = startBusyProcesses(2);
    t.after(() => busy.stop());
    assert.equal(busy.pids.length, 2);
    if (HAS_PROC) await until(() => busy.pids.every((pid) => cpuTicks(pid) > 50));
    await busy.stop();
    assert.deepEqual(busy.pids.filter(isThere), []);
    await busy.stop();
  });

  it('end with the process that started them, also when that is killed', async () => {
    const script = `
      import { startBusyProcesses } from ${JSON.stringify(MODULE)};
      console.log(startBusyProcesses(2).pids.join(' '));`;
    const starter = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(starter.stdout, 'data')) as [Buffer];
    const pids = line.toString().trim().split(' ').map(Number);
    assert.deepEqual(pids.filter(isThere), pids);
    starter.kill('SIGKILL');
    await until(() => !pids.some(isThere));
  });
});

async function until(isSo: () => boolean): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  while (!isSo()) await delay(20, undefined, { signal });
}

/** Ticks of user time; starting takes a few. */
function cpuTicks(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '';
  return Number(afterName.split(' ')[11]);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
