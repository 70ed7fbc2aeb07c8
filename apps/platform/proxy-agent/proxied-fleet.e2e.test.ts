import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { type PlatformHome, platformHome } from '#testing/platform-process';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { EXIT } from '../../cli/command.ts';
import { runCommand } from '../../cli/testing/processes.ts';
import { FleetApi } from './testing/fleet-api.ts';
import { kubeconfigOf } from './testing/kubeconfig-of.ts';

const skip = (await clustersUnavailable('apiserver')) ?? false;

async function note(cluster: TestCluster): Promise<string> {
  const { stdout } = await cluster.kubectl([
    '-n',
    'default',
    'get',
    'configmap',
    'note',
    '-o',
    'jsonpath={.data.text}',
  ]);
  return stdout;
}

async function has(cluster: TestCluster, text: string): Promise<void> {
  await eventually(`${cluster.name} to have ${text}`, async () => (await note(cluster)) === text);
}

async function startedHome(t: TestContext): Promise<PlatformHome> {
  const home = await platformHome('sqlite');
  t.after(() => home.dispose());
  return home;
}

describe('from a kubeconfig to a fleet', { skip }, () => {
  it('in one command; one cluster goes away and the other goes on; the platform is started anew', async (t) => {
    const west = await ownCluster(t, { size: 'apiserver', name: 'west' }, t.signal);
    const east = await ownCluster(t, { size: 'apiserver', name: 'east' }, t.signal);
    const home = await startedHome(t);
    const platform = await home.start();
    const file = join(home.data, 'kubeconfig');
    const nobody = { cluster: { server: 'https://127.0.0.1:1' }, user: { token: 'x' } };
    const plugin = {
      cluster: { server: west.server, 'insecure-skip-tls-verify': true },
      user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws', interactiveMode: 'Never' } },
    };
    await writeFile(file, kubeconfigOf({ west, east, 'west-again': west }, { nobody, plugin }));
    const add = (...args: string[]) =>
      runCommand(['target', 'add', '--kubeconfig', file, '--server', platform.url, '--data', home.data, ...args]);

    const both = ['--context', 'west', '--context', 'east', '--label', 'fleet=proxied'];
    const added = await add(...both, '--wait', '2m');
    assert.equal(added.code, EXIT.ok, added.err);
    assert.equal(added.out, 'target/west added\ntarget/east added\n');
    const again = await add(...both);
    assert.deepEqual([again.code, again.out], [EXIT.ok, added.out], again.err);
    const mixed = await add('--context', 'nobody,plugin,west,west-again', '--wait', '1m');
    assert.equal(mixed.code, EXIT.unavailable, mixed.err);
    assert.equal(mixed.out, 'target/west added\n', 'one that fails keeps no other');
    assert.match(mixed.err, /nobody: .*\n/);
    assert.match(mixed.err, /plugin: .*aws.*--service-account/);
    assert.match(mixed.err, /west-again: it is the same cluster as west/);

    const api = new FleetApi(platform);
    await api.ask('PATCH /v1/targets/west', { labels: { ring: 'canary' } }, 200);
    await api.deploy('notes', 'default', 'one');
    await api.available('notes', 2);
    assert.deepEqual([await note(west), await note(east)], ['one', 'one']);

    await east.stop();
    await api.connection('east', 'Disconnected');
    assert.match(await api.standing('east', 'Unreachable'), /./);
    await api.change('notes', 'default', 'two');
    await has(west, 'two');
    await east.start();
    await api.connection('east', 'Connected');
    await has(east, 'two');
    await api.available('notes', 2);

    const { code } = await platform.stop();
    assert.equal(code, 0, platform.said());
    const next = await home.start();
    const later = new FleetApi(next);
    await later.change('notes', 'default', 'three');
    await Promise.all([has(west, 'three'), has(east, 'three')]);
    await later.available('notes', 2);

    await forgets(later, home, { secret: west.adminToken, said: [platform.said(), next.said()] });
  });
});

interface Secrets {
  readonly secret: string;
  readonly said: readonly string[];
}

/** A stored kubeconfig can be read nowhere, and is deleted with its target. */
async function forgets(api: FleetApi, home: PlatformHome, { secret, said }: Secrets): Promise<void> {
  const audit = await api.ask('GET /v1/audit?workspace=root&pageSize=200', undefined, 200);
  const operations = audit.items.map(({ operation }) => operation);
  assert.ok(operations.includes('putTargetKubeconfig'), operations.join());
  const database = await readFile(join(home.data, 'fleetshift.db'), 'latin1');
  for (const text of [JSON.stringify(audit), database, ...said]) assert.ok(!text.includes(secret));
  await api.ask('DELETE /v1/targets/east/kubeconfig', undefined, 204);
  await api.connection('east', 'Disconnected');
  await api.ask('GET /v1/targets/east/kubeconfig', undefined, 404);
  await api.ask('DELETE /v1/targets/west?force=true', undefined, 204);
  const bound = await eventually('the platform to speak for none of them', async () => {
    const { targets } = await api.ask('GET /v1/fleetlets/platform', undefined, 200);
    return targets.length === 0;
  });
  assert.ok(bound);
}
