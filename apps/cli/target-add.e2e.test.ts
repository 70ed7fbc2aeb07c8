import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { clustersUnavailable, ownCluster } from '#testing/clusters';
import { kubeconfigOf } from '../platform/proxy-agent/testing/kubeconfig-of.ts';
import { EXIT } from './command.ts';
import { adminToken, runCommand, startPlatform } from './testing/processes.ts';

const skip = (await clustersUnavailable('controllers')) ?? false;

async function stage(t: TestContext) {
  const data = await mkdtemp(join(tmpdir(), 'fleetshift-add-'));
  t.after(() => rm(data, { recursive: true, force: true }));
  const platform = await startPlatform('product', data, adminToken(data));
  t.after(() => platform.stop());
  const [http] = platform.addresses;
  return { data, run: (...args: string[]) => runCommand(['target', ...args, '--server', http, '--data', data]) };
}

describe('fleetshift target add', { skip }, () => {
  it('hands over a service account of its own, and takes each cluster once', async (t) => {
    const cluster = await ownCluster(t, { size: 'controllers', name: 'shop' }, t.signal);
    const { data, run } = await stage(t);
    const file = join(data, 'kubeconfig');
    await writeFile(file, kubeconfigOf({ 'Shop@Prod': cluster, 'shop-again': cluster }));
    const account = ['--kubeconfig', file, '--all-contexts', '--service-account', '--label', 'a=b', '--wait', '2m'];
    const added = await run('add', ...account);
    assert.deepEqual([added.code, added.out], [EXIT.ok, 'target/shop-prod added\n'], added.err);
    assert.match(added.err, /shop-again: skipped, because it is the same cluster as Shop@Prod/);
    assert.match(added.err, /created the service account fleetshift-platform/);
    const { stdout } = await cluster.kubectl(['get', 'clusterrolebinding', 'fleetshift-platform', '-o', 'name']);
    assert.match(stdout, /fleetshift-platform/);
    assert.equal((await run('add', ...account)).code, EXIT.ok, 'to do it again finds what is there');
  });
});
