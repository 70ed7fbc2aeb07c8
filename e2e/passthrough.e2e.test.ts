import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SigningIssuer, startSigningIssuer } from '#testing/oidc/signing-issuer';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { ask, made } from './access/callers.ts';
import { addMallory, type FakeCluster, fakeCluster, until } from './hostile/mallory.ts';
import { kubeconfigFor } from './scripted-cluster.ts';

const [OWN, CLUSTER] = ['platform', 'prod-1-of-shop'];
const PASSTHROUGH = '/v1/targets/prod-1/passthrough';
const SYSTEM = '/api/v1/namespaces/kube-system';

describe('tokens that pass through', () => {
  let home: PlatformHome;
  let platform: Platform;
  let issuer: SigningIssuer;
  let cluster: FakeCluster;
  before(async () => {
    [home, issuer, cluster] = [await platformHome('sqlite'), await startSigningIssuer(), await fakeCluster()];
    platform = await home.start();
    for (const name of ['shop', 'other']) await made(platform, '/v1/workspaces', { name, parent: 'root' });
    await made(platform, '/v1/issuers', { name: 'corp', url: issuer.url, clientId: OWN, mode: 'inherited' });
    await made(platform, '/v1/workspaces/shop/grants', {
      subject: { kind: 'group', id: 'dev' },
      role: 'cluster-viewer',
    });
    for (const name of ['prod-1', 'prod-2']) {
      await made(platform, '/v1/targets', { name, type: 'kubernetes', workspace: 'shop' });
    }
    const body = { kubeconfig: kubeconfigFor(cluster.url) };
    const put = await platform.request('/v1/targets/prod-1/kubeconfig', { method: 'PUT', body });
    assert.equal(put.status, 201, await put.text());
  });
  after(async () => {
    await home.dispose();
    await Promise.all([issuer.close(), cluster.close()]);
  });

  const alice = (aud: string | readonly string[], groups = ['dev']) => issuer.sign({ sub: 'alice', aud, groups });
  const visit = async (token: string, target = 'prod-1', path = SYSTEM) =>
    (await ask(platform, token, `/targets/${target}/api${path}`)).status;
  const set = async (audience: string) =>
    await platform.request(PASSTHROUGH, { method: 'PUT', body: { issuer: 'corp', audience } });

  it('are set on the root, and not by an admin of the workspace', async () => {
    const mallory = await addMallory(platform);
    await made(platform, '/v1/workspaces/shop/grants', {
      subject: { kind: 'serviceAccount', id: 'staff/mallory' },
      role: 'admin',
    });
    const body = { issuer: 'corp', audience: CLUSTER };
    const refused = await mallory.ask(PASSTHROUGH, { method: 'PUT', body });
    assert.match(await refused.text(), /targets\.passthrough/);
    assert.equal(refused.status, 403);
    assert.equal((await set(OWN)).status, 400, 'not with an audience of the platform');
    assert.equal((await set(CLUSTER)).status, 200);
  });

  it('are taken at the API of that target and nowhere else, and reach it as they are', async () => {
    const token = await alice(CLUSTER);
    await until('the cluster to be reached', async () => (await visit(token)) === 200 || undefined);
    assert.ok(cluster.authorizations.includes(`Bearer ${token}`));
    assert.equal(await visit(token, 'prod-2'), 401);
    assert.equal((await ask(platform, token, '/v1/events')).status, 401);
    assert.equal((await ask(platform, token, '/v1/targets')).status, 401);
  });

  it('need the permission of the platform besides', async () => {
    assert.notEqual(await visit(await alice(CLUSTER, []), 'prod-1'), 200);
    const written = await ask(platform, await alice(CLUSTER), `/targets/prod-1/api${SYSTEM}`, { method: 'DELETE' });
    assert.equal(written.status, 403);
  });

  it('are none that the platform takes as well: those never reach a cluster', async () => {
    const [own, both] = [await alice(OWN), await alice([OWN, CLUSTER])];
    assert.equal(await visit(own), 200);
    assert.equal(await visit(both), 200);
    const shown = cluster.authorizations.join('\n');
    for (const token of [own, both]) assert.ok(!shown.includes(token));
  });

  it('end when the target moves to another workspace', async () => {
    await made(platform, '/v1/workspaces/other/grants', {
      subject: { kind: 'group', id: 'dev' },
      role: 'cluster-viewer',
    });
    const body = { workspace: 'other' };
    const moved = await platform.request('/v1/targets/prod-1:assign', { method: 'POST', body });
    assert.equal(moved.status, 200, await moved.text());
    assert.equal(await visit(await alice(CLUSTER)), 401);
  });
});
