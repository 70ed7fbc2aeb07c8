import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '#testing/patience';
import type { KubectlWorld } from './kubectl-world.ts';

const WAITING = ['--wait', '--timeout', '80s'];

const CHART = {
  'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'values.yaml': 'greeting: hello\n',
  'templates/settings.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-settings}\ndata: {greeting: {{ .Values.greeting }}}\n',
  'templates/web.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
`,
};

/** The whole life of a release, with the real Helm. */
export async function helmJourney(world: KubectlWorld, helm: string): Promise<void> {
  const namespace = `helm-${randomBytes(4).toString('hex')}`;
  await writeChart(join(world.folder, 'shop'));
  const run = async (...args: string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: world.folder, KUBECONFIG: world.kubeconfigOf('admin') };
    const options = { cwd: world.folder, env, timeout: PATIENCE_MS };
    const { stdout } = await promisify(execFile)(helm, [...args, '-n', namespace], options);
    return stdout;
  };
  const greeting = async (): Promise<string> =>
    await world.succeeds(['-n', namespace, 'get', 'configmap', 'one-settings', '-o', 'jsonpath={.data.greeting}']);
  try {
    await run('install', 'one', './shop', '--create-namespace', ...WAITING);
    assert.equal(await greeting(), 'hello');
    await run('upgrade', 'one', './shop', '--set', 'greeting=again', ...WAITING);
    assert.equal(await greeting(), 'again');
    assert.match(await run('list'), /^one\s+\S+\s+2\s/m);
    await run('rollback', 'one', '1');
    assert.equal(await greeting(), 'hello');
    await run('uninstall', 'one', ...WAITING);
    assert.match((await world.kubectl(['-n', namespace, 'get', 'deployments'])).stderr, /No resources found/);
  } finally {
    await world.kubectl(['delete', 'namespace', namespace, '--wait=false']);
  }
}

async function writeChart(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(CHART)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
