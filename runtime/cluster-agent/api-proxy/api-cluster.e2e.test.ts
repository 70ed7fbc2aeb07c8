import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { type Headers, type ImpersonatedUsers, impersonationHeaders, impersonatorRules } from '#contexts/api-proxy';
import { createKubeClient, parseKubeConfig, type RawIdentity } from '#kit/kube';
import { clustersUnavailable, sharedCluster, type TestCluster } from '#testing/clusters';
import { type ApiCluster, openApiCluster } from './api-cluster.ts';

const skip = await clustersUnavailable('apiserver');
const AGENT = 'api-proxy-test-agent';
const ALICE = { kind: 'impersonate', user: 'user:alice', groups: ['staff'], role: 'viewer' } as const;

/** Opens it as an agent with exactly the rights of the manifest, or as the admin. */
async function open(
  t: TestContext,
  cluster: TestCluster,
  user: string,
  users: ImpersonatedUsers = new Set(),
): Promise<ApiCluster> {
  const config = parseKubeConfig(cluster.kubeconfig(user), {});
  const kube = createKubeClient({ config });
  const opened = openApiCluster({ config, kube, users });
  t.after(async () => {
    await opened.close();
    await kube.close();
  });
  return opened;
}

async function giveRights(cluster: TestCluster): Promise<void> {
  const [apiVersion, metadata] = ['rbac.authorization.k8s.io/v1', { name: AGENT }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: AGENT };
  const objects = [
    { apiVersion, kind: 'ClusterRole', metadata, rules: impersonatorRules(['user:bob']) },
    { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects: [{ ...roleRef, kind: 'User' }] },
  ];
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
}

interface Answer {
  readonly code?: number;
  readonly status?: {
    readonly userInfo: { readonly username: string; readonly groups: readonly string[]; readonly extra?: unknown };
  };
}

/** The user that the API server sees. */
async function whoAmI({ api }: ApiCluster, identity: RawIdentity, more: Headers, signal: AbortSignal): Promise<Answer> {
  const { agent, headers, root } = await api.way(identity, signal);
  const sent: OutgoingHttpHeaders = {
    ...headers,
    ...(more as OutgoingHttpHeaders),
    'content-type': 'application/json',
  };
  const path = `${root}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
  const outgoing = request({ agent, method: 'POST', path, headers: sent });
  outgoing.end(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }));
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return (await json(answer)) as Answer;
}

describe('a cluster whose API is offered', { skip }, () => {
  it('sees the shared user with the role alone, and the person as an extra field, by the rights of the manifest', async (t) => {
    const cluster = await sharedCluster('apiserver', t.signal);
    await giveRights(cluster);
    const opened = await open(t, cluster, AGENT);
    const impersonation = await opened.impersonation(t.signal);
    assert.equal(impersonation.groups, 'roles');
    const { status } = await whoAmI(opened, 'own', impersonationHeaders(ALICE, impersonation), t.signal);
    assert.deepEqual(status?.userInfo.username, 'fleetshift:caller');
    assert.deepEqual(status?.userInfo.groups, ['fleetshift:role:viewer', 'system:authenticated']);
    assert.deepEqual(status?.userInfo.extra, { 'fleetshift.io/user': ['fleetshift:user:alice'] });
  });

  it('sees a person whom the agent was given by name as that user', async (t) => {
    const cluster = await sharedCluster('apiserver', t.signal);
    await giveRights(cluster);
    const opened = await open(t, cluster, AGENT, new Set(['user:bob']));
    const bob = impersonationHeaders({ ...ALICE, user: 'user:bob' }, await opened.impersonation(t.signal));
    assert.equal((await whoAmI(opened, 'own', bob, t.signal)).status?.userInfo.username, 'fleetshift:user:bob');
  });

  it('lets such an agent impersonate no other user, whatever it was told', async (t) => {
    const cluster = await sharedCluster('apiserver', t.signal);
    await giveRights(cluster);
    const opened = await open(t, cluster, AGENT);
    const others: readonly Headers[] = [
      { 'impersonate-user': 'fleetshift:caller', 'impersonate-group': 'system:masters' },
      { 'impersonate-user': 'system:kube-controller-manager' },
      { 'impersonate-user': 'system:serviceaccount:kube-system:default' },
      { 'impersonate-user': 'fleetshift:caller', 'impersonate-extra-scopes': 'all' },
      impersonationHeaders(ALICE, { users: 'all', groups: 'roles' }),
      impersonationHeaders(ALICE, { users: new Set(), groups: 'all' }),
    ];
    for (const headers of others) {
      assert.equal((await whoAmI(opened, 'own', headers, t.signal)).code, 403, JSON.stringify(headers));
    }
  });

  it('sees the groups of the platform where the agent may impersonate any', async (t) => {
    const opened = await open(t, await sharedCluster('apiserver', t.signal), 'admin', 'all');
    const headers = impersonationHeaders(ALICE, await opened.impersonation(t.signal));
    const { status } = await whoAmI(opened, 'own', headers, t.signal);
    assert.equal(status?.userInfo.username, 'fleetshift:user:alice');
    assert.ok(status?.userInfo.groups.includes('fleetshift:group:staff'));
  });

  it('sees whoever brings a token of his own as himself, and not as the agent', async (t) => {
    const cluster = await sharedCluster('apiserver', t.signal);
    // This agent has a client certificate, which would take precedence over any token.
    const opened = await open(t, cluster, AGENT);
    const mine = await whoAmI(opened, 'own', {}, t.signal);
    assert.equal(mine.status?.userInfo.username, AGENT);
    const token = { authorization: `Bearer ${cluster.adminToken}` };
    const own = await whoAmI(opened, 'none', token, t.signal);
    assert.ok(own.status?.userInfo.groups.includes('system:masters'));
    assert.equal((await whoAmI(opened, 'none', {}, t.signal)).code, 403, 'without one he is nobody');
  });
});
