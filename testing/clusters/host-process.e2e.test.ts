import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get } from 'node:https';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clustersUnavailable } from '#testing/clusters';

describe('a process that uses clusters', { skip: await clustersUnavailable() }, () => {
  it('takes them along when it ends', async () => {
    const child = run();
    const started = await startedBy(child);
    child.stdin?.end();
    assert.deepEqual(await exitOf(child), [0, null], 'clusters do not keep the process alive');
    await gone(started);
  });

  it('takes them along when it is killed, and the process that owns them too', async () => {
    const child = run();
    const started = await startedBy(child);
    process.kill(started.host, 'SIGKILL');
    child.kill('SIGKILL');
    await exitOf(child);
    await gone(started);
  });
});

interface Started {
  readonly server: string;
  readonly folder: string;
  readonly host: number;
}

/** Uses a cluster in a process of its own, says where it is, and ends when told to. */
function run(): ChildProcess {
  const script = `
    import { callHost, startHostProcess } from './host-calls.ts';
    const { socket, pid } = await startHostProcess(process.env);
    const { server } = await callHost(socket, { do: 'shared', size: 'apiserver' }, AbortSignal.timeout(60_000));
    console.log(JSON.stringify({ server, folder: socket, host: pid }));
    process.stdin.resume();`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function startedBy(child: ChildProcess): Promise<Started> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const started = JSON.parse(line) as Started;
    assert.ok(await isUp(started));
    return { ...started, folder: dirname(started.folder) };
  }
  throw new Error('the process ended without a cluster');
}

async function exitOf(child: ChildProcess): Promise<unknown[]> {
  if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode];
  return await once(child, 'exit', { signal: AbortSignal.timeout(10_000) });
}

/** Nobody calls back when the guardian is done, so this looks from time to time. */
async function gone(started: Started): Promise<void> {
  const deadline = AbortSignal.timeout(10_000);
  while (existsSync(started.folder) || (await isUp(started))) await delay(20, undefined, { signal: deadline });
}

async function isUp({ server }: Started): Promise<boolean> {
  const asked = get(`${server}/readyz`, { agent: false, rejectUnauthorized: false });
  return await once(asked, 'response').then(
    () => true,
    () => false,
  );
}
