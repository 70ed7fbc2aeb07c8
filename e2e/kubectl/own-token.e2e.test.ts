import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { leaveAdminCode } from '#contexts/identity/adapters';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { type SigningIssuer, startSigningIssuer } from '#testing/oidc/signing-issuer';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { LAUNCHER } from '#testing/product';
import { runCommand } from '../../apps/cli/testing/processes.ts';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { issueServerPair, makeAuthority } from '../../testing/clusters/certificate-authority.ts';
import { clientConfig } from '../../testing/clusters/kubeconfig.ts';
import { runKubectl } from '../../testing/clusters/kubectl.ts';
import { addCaller, made, STAFF } from '../access/callers.ts';
import { AgentProcess } from './agent-process.ts';
import { type ListeningLine, startListeningLine } from './listening-line.ts';

const skip = await clustersUnavailable('apiserver');
const TARGET = 'prod-1';
const AUDIENCE = 'prod-1-itself';
const signal = new AbortController().signal;

interface Seen {
  readonly username: string;
  readonly groups: readonly string[];
}

describe('a cluster that knows the issuer itself', { skip }, () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  const later = { after: (body: () => Promise<void> | void) => void cleanups.push(body) };
  let folder: string;
  let issuer: SigningIssuer;
  let cluster: TestCluster;
  let line: ListeningLine;
  let home: PlatformHome;
  let platform: Platform;
  let kubeconfig: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-own-token-'));
    const authority = makeAuthority();
    home = await platformHome('sqlite');
    platform = await home.start();
    issuer = await startSigningIssuer(issueServerPair(authority, ['127.0.0.1']));
    cluster = await clusterThatKnows(issuer, authority.cert);
    line = await startListeningLine({ to: cluster, authority });
    later.after(() => line.close());
    await serveTarget(authority.cert);
    await letAliceIn(authority.cert);
  });
  after(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
    await issuer.close();
    await home.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  async function clusterThatKnows({ url }: SigningIssuer, ca: string): Promise<TestCluster> {
    const caFile = join(folder, 'issuer-ca.crt');
    await writeFile(caFile, ca);
    const apiServerFlags = [
      `--oidc-issuer-url=${url}`,
      `--oidc-client-id=${AUDIENCE}`,
      `--oidc-ca-file=${caFile}`,
      '--oidc-username-claim=sub',
      '--oidc-username-prefix=corp:',
      '--oidc-groups-claim=groups',
      '--oidc-groups-prefix=corp:',
    ];
    return await ownCluster(later, { size: 'apiserver', name: 'own-token', apiServerFlags }, signal);
  }

  /** Serves the target by an agent that reaches the API server over the recording line. */
  async function serveTarget(ca: string): Promise<void> {
    for (const name of [STAFF, 'shop']) await made(platform, '/v1/workspaces', { name, parent: 'root' });
    await made(platform, '/v1/targets', { name: TARGET, type: 'kubernetes', workspace: 'shop' });
    const bound = await platform.request('/v1/fleetlets/platform:bind', { method: 'POST', body: { target: TARGET } });
    assert.ok(bound.ok, await bound.text());
    const file = join(folder, 'agent.kubeconfig');
    const { server } = line;
    await writeFile(file, clientConfig({ server, ca, user: 'agent', credentials: { token: cluster.adminToken } }));
    const socket = join(home.data, 'fleetlet.sock');
    const agent = new AgentProcess({ platform, socket, target: TARGET, kubeconfig: file, folder });
    later.after(() => agent.kill());
    await agent.start();
  }

  /** Lets alice in with a token for the cluster's audience alone. */
  async function letAliceIn(ca: string): Promise<void> {
    const { url } = issuer;
    await made(platform, '/v1/issuers', { name: 'corp', url, clientId: 'platform', mode: 'inherited', ca });
    await made(platform, '/v1/workspaces/shop/grants', {
      subject: { kind: 'group', id: 'dev' },
      role: 'cluster-editor',
    });
    const flags = ['--server', platform.tlsUrl, '--ca-file', join(home.data, 'tls', 'ca.crt'), '--data', home.data];
    const set = await runCommand([
      'target',
      'passthrough',
      TARGET,
      '--issuer',
      'corp',
      '--audience',
      AUDIENCE,
      ...flags,
    ]);
    assert.equal(set.code, 0, set.err);
    kubeconfig = join(folder, 'platform.kubeconfig');
    const generated = await runCommand([
      'kubeconfig',
      'generate',
      TARGET,
      '--output',
      kubeconfig,
      '--command',
      LAUNCHER,
      ...flags,
    ]);
    assert.equal(generated.code, 0, generated.err);
    const token = await issuer.sign({ sub: 'alice', aud: AUDIENCE, groups: ['dev'] });
    kubeconfig = await kubeconfigWith('alice', token);
  }

  async function kubectl(file: string, ...args: string[]) {
    return await runKubectl({ args, kubeconfig: file, folder }, {});
  }

  /** The user as the API server sees it. */
  async function seenAs(file: string): Promise<Seen> {
    const { code, stdout, stderr } = await kubectl(file, 'auth', 'whoami', '-o', 'json');
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as { readonly status: { readonly userInfo: Seen } }).status.userInfo;
  }

  /** A kubeconfig that leads through the platform with a token of its own. */
  async function kubeconfigWith(name: string, token: string): Promise<string> {
    const config = parse(await readFile(kubeconfig, 'utf8')) as Record<string, unknown>;
    const file = join(folder, `${name}.kubeconfig`);
    const [context] = config['contexts'] as { readonly context: { readonly user: string } }[];
    await writeFile(file, stringify({ ...config, users: [{ name: context?.context.user, user: { token } }] }));
    return file;
  }

  it('sees a user as the issuer names her, and its own RBAC decides', async () => {
    // The API server fetches the issuer's keys in its own time.
    const seen = await eventually('the API server knows the issuer', async () => await seenAs(kubeconfig));
    assert.equal(seen.username, 'corp:alice');
    assert.deepEqual(seen.groups, ['corp:dev', 'system:authenticated']);
    const refused = await kubectl(kubeconfig, 'get', 'configmaps');
    assert.match(refused.stderr, /User "corp:alice" cannot list resource "configmaps"/);
    for (const args of [
      ['clusterrole', 'looks', '--verb=list', '--resource=configmaps'],
      ['clusterrolebinding', 'looks', '--clusterrole=looks', '--group=corp:dev'],
    ]) {
      const { code, stderr } = await cluster.kubectl(['create', ...args]);
      assert.equal(code, 0, stderr);
    }
    await eventually('she may', async () => (await kubectl(kubeconfig, 'get', 'configmaps')).code === 0);
    const asHerself = line.overheard.filter(({ path }) => path.includes('/configmaps'));
    assert.ok(asHerself.length > 0);
    for (const { authorization = '', impersonated } of asHerself) {
      assert.match(authorization, /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
      assert.equal(impersonated, undefined);
    }
  });

  it('is never shown a token of the platform: whoever has one is impersonated', async () => {
    const account = await addCaller(platform, {
      name: 'ci',
      given: [{ role: 'cluster-editor', on: 'workspaces/shop' }],
    });
    const { code } = leaveAdminCode(home.data, Date.now());
    const answer = await platform.request('/v1/login:redeem', { method: 'POST', body: { code, kind: 'cli' } });
    const { token: session = '' } = (await answer.json()) as { readonly token?: string };
    assert.notEqual(session, '');
    const tokens = { account: account.token, session, admin: platform.token };
    const seen = Object.entries(tokens).map(
      async ([name, token]) => (await seenAs(await kubeconfigWith(name, token))).username,
    );
    assert.deepEqual(await Promise.all(seen), [
      'fleetshift:serviceAccount:staff/ci',
      'fleetshift:admin:admin',
      'fleetshift:admin:admin',
    ]);
    const everything = line.everything();
    assert.ok(everything.includes('fleetshift:serviceAccount:staff/ci'), 'they came by');
    for (const [name, token] of Object.entries(tokens)) assert.ok(!everything.includes(token), name);
    const impersonated = line.overheard.filter((each) => each.impersonated !== undefined);
    for (const { authorization } of impersonated) assert.equal(authorization, `Bearer ${cluster.adminToken}`);
  });
});
