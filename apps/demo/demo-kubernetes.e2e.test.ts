import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { sleep } from '#kit/std';
import { bareEnvironment } from '#testing/bare-environment';
import { cacheFolder } from '#testing/go-program';
import { PATIENCE_MS } from '#testing/patience';
import { SOURCES } from '#testing/product';
import { runKubectl } from '../../testing/clusters/kubectl.ts';
import { whyUnavailable } from '../../testing/clusters/programs.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/fleetshift', import.meta.url));
const ANYWHERE = ['--listen', '127.0.0.1:0', '--tls-listen', '127.0.0.1:0', '--fleetlet-listen', '127.0.0.1:0'];

/** Without Go: the demo uses existing programs, and builds nothing. */
const skip = whyUnavailable('nodes', { ...process.env, PATH: '' });

describe('a demo with clusters', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fs-demo-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('delivers to a real cluster, which outlasts a kill and leaves nothing running', { skip }, async (t) => {
    const first = await startDemo(t, folder, {});
    assert.match(first.said(), /There is a cluster as well/);
    const uid = await kubectl(folder, ['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}']);
    await eventually(
      () => kubectl(folder, ['-n', 'web', 'get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}']),
      '3',
    );
    await cli(folder, stepsThrough(first.said()));
    assert.equal(
      await kubectl(folder, ['--context', 'fleetshift-eu-kube', '-n', 'web', 'get', 'configmap', 'web', '-o', 'name']),
      'configmap/web\n',
    );
    await kubectl(folder, ['-n', 'web', 'create', 'configmap', 'mine']);
    const server = await serverOf(folder);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await untilGone(server);

    const second = await startDemo(t, folder, {});
    assert.equal(await kubectl(folder, ['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}']), uid);
    assert.match(await kubectl(folder, ['-n', 'web', 'get', 'configmap', 'mine', '-o', 'name']), /^configmap\/mine/);
    await kubectl(folder, ['-n', 'web', 'delete', 'configmap', 'web']);
    await eventually(
      () => cli(folder, ['get', 'deployments', '-w', 'demo-kubernetes', '--data', join(folder, 'data')]),
      /^web .*(Drift|0\/1|degraded)/im,
    );
    const again = await serverOf(folder);
    second.child.kill('SIGTERM');
    const [code] = (await once(second.child, 'exit')) as [number | null];
    assert.equal(code, 0, second.said());
    await untilGone(again);
  });

  it('is one of folders where the programs are missing, and says how to get them', async (t) => {
    const bare = join(folder, 'bare');
    const { said } = await startDemo(t, bare, { XDG_CACHE_HOME: join(folder, 'nothing'), KUBEBUILDER_ASSETS: '' });
    assert.match(said(), /demo clusters not started/);
    assert.match(said(), /npm test -- testing\/clusters/);
    assert.doesNotMatch(said(), /clusters? as well/);
  });
});

/** The printed steps that route kubectl through the platform, without a shell. */
function stepsThrough(said: string): string[] {
  const [, step = ''] = /^ +fleetshift (kubeconfig generate .*?) +#/m.exec(said) ?? [];
  return [...step.split(' '), '--command', PROGRAM];
}

interface Demo {
  readonly child: ChildProcess;
  readonly said: () => string;
}

async function startDemo(t: TestContext, folder: string, more: NodeJS.ProcessEnv): Promise<Demo> {
  const args = [fileURLToPath(SOURCES), 'demo', '--kubernetes', '1', '--data', join(folder, 'data'), ...ANYWHERE];
  await mkdir(folder, { recursive: true });
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...environment(folder), ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let all = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      all += text;
    });
  }
  const late = AbortSignal.timeout(PATIENCE_MS);
  while (!all.includes('The demo is ready')) {
    assert.ok(child.exitCode === null && !late.aborted, all);
    await sleep(100, t.signal);
  }
  return { child, said: () => all };
}

/** The Kubernetes programs are in the user's cache. */
function environment(folder: string): NodeJS.ProcessEnv {
  const { KUBEBUILDER_ASSETS } = process.env;
  const XDG_CACHE_HOME = dirname(cacheFolder(process.env));
  return bareEnvironment(folder, { XDG_CACHE_HOME, KUBEBUILDER_ASSETS });
}

function kubeconfigOf(folder: string): string {
  return join(folder, 'data/demo/kubernetes/kubeconfig');
}

async function kubectl(folder: string, args: readonly string[]): Promise<string> {
  const { stdout } = await runKubectl({ args, kubeconfig: kubeconfigOf(folder), folder }, {});
  return stdout;
}

async function cli(folder: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(SOURCES), ...args], {
    cwd: folder,
    env: { ...environment(folder), KUBECONFIG: kubeconfigOf(folder) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  await once(child, 'close');
  return out;
}

async function serverOf(folder: string): Promise<string> {
  const { clusters } = parse(await readFile(kubeconfigOf(folder), 'utf8'));
  return clusters[0].cluster.server as string;
}

/** Waits until nothing answers at the address. */
async function untilGone(server: string): Promise<void> {
  const late = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const code = await fetch(`${server}/version`, { signal: late }).then(
      () => 'answered',
      (error: unknown) => String((error as { cause?: { code?: string } }).cause?.code),
    );
    if (code === 'ECONNREFUSED') return;
    await sleep(100, late);
  }
}

async function eventually(look: () => Promise<string>, wanted: string | RegExp): Promise<void> {
  const late = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const seen = await look();
    if (typeof wanted === 'string' ? seen === wanted : wanted.test(seen)) return;
    assert.ok(!late.aborted, `is ${seen}, not like ${String(wanted)}`);
    await sleep(200, late).catch(() => {});
  }
}
