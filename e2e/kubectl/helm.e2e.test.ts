import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { clustersUnavailable } from '#testing/clusters';
import { findHelm } from '../../testing/helm.ts';
import { logToStderr } from '../../testing/log-to-stderr.ts';
import { KubectlWorld } from './kubectl-world.ts';

const noClusters = await clustersUnavailable('nodes');
const helm = noClusters === undefined ? await findHelm({ log: logToStderr }) : undefined;
const skip = noClusters ?? (helm === undefined ? 'there is no Helm, nor Go to build it with' : undefined);
const WITHIN_MS = 90_000;

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

describe('Helm through the platform', { skip }, () => {
  let world: KubectlWorld;
  let namespace: string;
  before(async () => {
    world = await KubectlWorld.open(AbortSignal.timeout(120_000));
    namespace = `helm-${randomBytes(4).toString('hex')}`;
    for (const [path, text] of Object.entries(CHART)) {
      await mkdir(join(world.folder, 'shop', path, '..'), { recursive: true });
      await writeFile(join(world.folder, 'shop', path), text);
    }
  });
  after(async () => {
    await world.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await world.close();
  });

  const run = async (...args: string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: world.folder, KUBECONFIG: world.kubeconfigOf('admin') };
    const options = { cwd: world.folder, env, timeout: WITHIN_MS };
    const { stdout } = await promisify(execFile)(helm ?? '', [...args, '-n', namespace], options);
    return stdout;
  };
  const greeting = async (): Promise<string> =>
    await world.succeeds(['-n', namespace, 'get', 'configmap', 'one-settings', '-o', 'jsonpath={.data.greeting}']);

  it('installs and waits, upgrades, rolls back and uninstalls', async () => {
    await run('install', 'one', './shop', '--create-namespace', '--wait', '--timeout', '80s');
    assert.equal(await greeting(), 'hello');
    await run('upgrade', 'one', './shop', '--set', 'greeting=again', '--wait', '--timeout', '80s');
    assert.equal(await greeting(), 'again');
    assert.match(await run('list'), /^one\s+\S+\s+2\s/m);
    await run('rollback', 'one', '1');
    assert.equal(await greeting(), 'hello');
    await run('uninstall', 'one', '--wait', '--timeout', '80s');
    assert.match((await world.kubectl(['-n', namespace, 'get', 'deployments'])).stderr, /No resources found/);
  });
});
