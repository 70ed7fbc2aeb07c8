import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { logToStderr } from '../log-to-stderr.ts';
import { PATIENCE_MS } from '../patience.ts';
import { findServerProgram } from './server-program.ts';
import { startServer, type TemporalServer } from './start-server.ts';
import { freshNamespace } from './test-namespace.ts';

const program = await findServerProgram({ log: logToStderr });
const skip = program === undefined && 'there is no Go to build a server with';

describe('startServer', { skip }, () => {
  it('brings up a server that is ready, and takes it away again', async () => {
    const server = await startServer(program ?? '');
    assert.ok(await isUp(server));
    await server.stop();
    assert.equal(await isUp(server), false);
    assert.equal(existsSync(server.folder), false);
  });

  it('says what the server said when it does not start', async () => {
    await assert.rejects(startServer('/bin/sh'), /start the Temporal server: it said/);
  });
});

describe('a process that started a server', { skip }, () => {
  it('takes it along when it ends without a stop', async () => {
    const child = run();
    const server = await startedBy(child);
    child.stdin?.end();
    assert.deepEqual(await exitOf(child), [0, null], 'the server does not keep the process alive');
    await gone(server);
  });

  it('takes it along when it is killed', async () => {
    const child = run();
    const server = await startedBy(child);
    child.kill('SIGKILL');
    await exitOf(child);
    await gone(server);
  });
});

describe('freshNamespace', { skip }, () => {
  it('gives each its own', async () => {
    const [one, other] = await Promise.all([freshNamespace(), freshNamespace()]);
    assert.equal(one?.address, other?.address);
    assert.notEqual(one?.namespace, other?.namespace);
  });
});

type Started = Pick<TemporalServer, 'http' | 'folder'>;

/** Starts a server in a separate process, prints its address, and exits on request without stopping it. */
function run(): ChildProcess {
  const script = `
    import { startServer } from ${JSON.stringify(new URL('./start-server.ts', import.meta.url).href)};
    const { http, folder } = await startServer(${JSON.stringify(program)});
    console.log(JSON.stringify({ http, folder }));
    process.stdin.resume();`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function startedBy(child: ChildProcess): Promise<Started> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const started: Started = JSON.parse(line);
    assert.ok(await isUp(started));
    return started;
  }
  throw new Error('the process ended without a server');
}

async function exitOf(child: ChildProcess): Promise<unknown[]> {
  if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode];
  return await once(child, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) });
}

/** Polls, because the guardian sends no notification when it is done. */
async function gone(server: Started): Promise<void> {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  while (existsSync(server.folder) || (await isUp(server))) await delay(20, undefined, { signal: deadline });
}

async function isUp({ http }: Started): Promise<boolean> {
  return await fetch(`${http}/api/v1/namespaces`).then(
    (answer) => answer.ok,
    () => false,
  );
}
