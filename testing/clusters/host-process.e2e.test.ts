import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clustersUnavailable } from '#testing/clusters';
import { PATIENCE_MS } from '../patience.ts';

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

describe('a process that runs Pods', { skip: await clustersUnavailable('nodes') }, () => {
  it('takes them along when it is killed, and the process that owns them too', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    t.after(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connected = once(server, 'connection', { signal: AbortSignal.timeout(PATIENCE_MS) });
    const child = run(podThatConnects(port));
    const started = await startedBy(child);
    const [fromPod] = (await connected) as [Socket];
    const closed = once(fromPod.on('error', () => {}).resume(), 'close', { signal: AbortSignal.timeout(PATIENCE_MS) });
    process.kill(started.host, 'SIGKILL');
    child.kill('SIGKILL');
    await exitOf(child);
    await gone(started);
    await closed;
  });
});

interface Started {
  readonly server: string;
  readonly folder: string;
  readonly host: number;
}

/** Uses a cluster in a separate process, with a Pod if one is given; prints where it is, and exits on request. */
function run(pod?: object): ChildProcess {
  const script = `
    import { callHost, startHostProcess } from './host-calls.ts';
    import { TestCluster } from './test-cluster.ts';
    const { socket, pid } = await startHostProcess(process.env);
    const size = '${pod ? 'nodes' : 'apiserver'}';
    const facts = await callHost(socket, { do: 'shared', size }, AbortSignal.timeout(${PATIENCE_MS}));
    const input = ${JSON.stringify(JSON.stringify(pod ?? null))};
    const cluster = new TestCluster({ facts, socket, shared: true });
    if (input !== 'null') await cluster.kubectl(['apply', '-f', '-'], { input });
    console.log(JSON.stringify({ server: facts.server, folder: socket, host: pid }));
    process.stdin.resume();`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Keeps a connection open as long as it lives, so that its end can be observed. */
function podThatConnects(port: number): object {
  const program = `require('node:net').connect(${port}, '127.0.0.1')`;
  const container = { name: 'main', image: 'fleetshift', command: [process.execPath, '-e', program] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'connects' }, spec: { containers: [container] } };
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
  return await once(child, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) });
}

/** Polls, because the guardian sends no notification when it is done. */
async function gone(started: Started): Promise<void> {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  while (existsSync(started.folder) || (await isUp(started))) await delay(20, undefined, { signal: deadline });
}

async function isUp({ server }: Started): Promise<boolean> {
  const asked = get(`${server}/readyz`, { agent: false, rejectUnauthorized: false });
  return await once(asked, 'response').then(
    () => true,
    () => false,
  );
}
