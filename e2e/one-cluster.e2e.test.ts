import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type FleetletProcess, fleetletHome } from '#runtime/fleetlet/testing/fleetlet-process';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { issueServerPair, makeAuthority } from '#testing/clusters/certificate-authority';
import { platformHome } from '#testing/platform-process';
import { EXIT } from '../apps/cli/command.ts';
import { runCommand } from '../apps/cli/testing/processes.ts';
import { podEnvironment } from '../apps/kubernetes-agent/testing/agent-process.ts';
import { FleetApi } from '../apps/platform/proxy-agent/testing/fleet-api.ts';
import { kubeconfigOf } from '../apps/platform/proxy-agent/testing/kubeconfig-of.ts';
import { eventually } from '../kit/durable/testing/eventually.ts';

const skip = (await clustersUnavailable('apiserver')) ?? false;

interface Shown {
  readonly connection: { readonly state: string };
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly message: string }[];
}

async function note(cluster: TestCluster): Promise<string> {
  const { stdout } = await cluster.kubectl(['get', 'configmap', 'note', '-o', 'jsonpath={.data.text}']);
  return stdout;
}

async function uidOf(cluster: TestCluster): Promise<string> {
  return (await cluster.kubectl(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}'])).stdout;
}

/** A platform, and the two ways to make a cluster its target: from a kubeconfig, and by an agent within. */
async function stage(t: TestContext, engine: 'sqlite' | 'postgres' = 'sqlite') {
  const home = await platformHome(engine);
  t.after(() => home.dispose());
  const platform = await home.start({ flags: ['--fleetlet-listen', 'none'] });
  const api = new FleetApi(platform);
  const run = (...args: string[]) => runCommand([...args, '--server', platform.url, '--data', home.data]);
  const there = ['--platform', platform.tlsUrl, '--ca-file', join(home.data, 'tls', 'ca.crt')];
  return {
    api,
    run,
    /** As after a crash. Returns the API of the next process. */
    restart: async (): Promise<FleetApi> => {
      await platform.kill();
      return new FleetApi(await home.start({ flags: ['--fleetlet-listen', 'none'] }));
    },
    add: async (kubeconfig: string, context: string) => {
      const file = join(home.data, `${context}.kubeconfig`);
      await writeFile(file, kubeconfig);
      return await run('target', 'add', '--kubeconfig', file, '--context', context, '--wait', '2m');
    },
    /** An agent in the cluster, under its default name. Returns how to start its process again. */
    agentIn: async (cluster: TestCluster) => {
      const { token } = await api.ask('POST /v1/workspaces/root/bootstrap-tokens', { targetType: 'kubernetes' }, 201);
      const its = await fleetletHome(t);
      const pod = await podEnvironment(cluster, its.folder);
      const flags = [...there, '--transport', 'websocket', '--with', 'kubernetes'];
      return async (): Promise<FleetletProcess> =>
        await its.start(flags, { FLEETSHIFT_BOOTSTRAP_TOKEN: token, ...pod });
    },
    shown: async (target: string): Promise<Shown> => await api.ask<Shown>(`GET /v1/targets/${target}`, undefined, 200),
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

async function refused({ shown, run }: Stage, target: string, hidden: string): Promise<void> {
  const message = await eventually(`${target} to be refused`, async () => {
    const { conditions } = await shown(target).catch(() => ({ conditions: [] }));
    return conditions.find(({ type, status }) => type === 'ClusterIdentity' && status === 'False')?.message;
  });
  assert.ok(!message.includes(hidden), message);
  const { out } = await run('describe', 'target', target);
  assert.match(out, /ClusterIdentity\s+False.*SameCluster/);
  assert.notEqual((await shown(target)).connection.state, 'Connected');
}

async function targetsOf({ api }: Stage): Promise<readonly string[]> {
  const path = 'GET /v1/workspaces/root/deployments/notes/targets';
  const { items } = await api.ask<{ items: { target: string }[] }>(path, undefined, 200);
  return items.map(({ target }) => target);
}

/** In the placement with a label, and out of it with another. */
async function placed({ api }: Stage, target: string, fleet: 'proxied' | 'none'): Promise<void> {
  await api.ask(`PATCH /v1/targets/${target}`, { labels: { fleet, ring: 'canary' } }, 200);
}

describe('one cluster is one target', { skip }, () => {
  it('the agent in a cluster that is a target already is refused; what leaves with it stays', async (t) => {
    const west = await ownCluster(t, { size: 'apiserver', name: 'west' }, t.signal);
    const its = await stage(t);
    const { api, add, agentIn } = its;
    const added = await add(kubeconfigOf({ 'my-west': west }), 'my-west');
    assert.equal(added.code, EXIT.ok, added.err);
    await placed(its, 'my-west', 'proxied');
    await api.deploy('notes', 'default', 'one');
    await api.available('notes', 1);

    const start = await agentIn(west);
    const near = await start();
    const name = `k8s-${(await uidOf(west)).slice(0, 8)}`;
    await refused(its, name, 'my-west');
    const said = await near.says(/"code":"sameCluster"/);
    assert.match(said, /"msg":"target refused"/);
    assert.ok(!said.includes('my-west'), said);
    await placed(its, name, 'proxied');
    await placed(its, name, 'none');
    await api.change('notes', 'default', 'two');
    await eventually('the change to arrive', async () => (await note(west)) === 'two');
    await api.available('notes', 1);

    await api.ask('DELETE /v1/targets/my-west?force=true', undefined, 204);
    await api.connection(name, 'Connected');
    assert.equal(await note(west), 'two', 'nothing is deleted with a target');
    await placed(its, name, 'proxied');
    await api.available('notes', 1);
  });

  it('the agent of a cluster serves the target that its own one was merged into, which stays the only one', async (t) => {
    const west = await ownCluster(t, { size: 'apiserver', name: 'west' }, t.signal);
    const its = await stage(t, 'postgres');
    const { api, add, agentIn, run } = its;
    assert.equal((await add(kubeconfigOf({ 'my-west': west }), 'my-west')).code, EXIT.ok);
    await placed(its, 'my-west', 'proxied');
    await api.deploy('notes', 'default', 'one');
    await api.available('notes', 1);
    const name = `k8s-${(await uidOf(west)).slice(0, 8)}`;
    await (await agentIn(west))();
    await refused(its, name, 'my-west');
    await placed(its, name, 'proxied');
    await eventually('both to be placed', async () => (await targetsOf(its)).length === 2);

    const merged = await run('target', 'merge', name, '--into', 'my-west');
    assert.equal(merged.code, EXIT.ok, merged.err);
    await api.standing('my-west', 'StandingBy');
    await api.connection('my-west', 'Connected');
    assert.equal((await api.ask<{ aliasOf: string }>(`GET /v1/targets/${name}`, undefined, 200)).aliasOf, 'my-west');
    assert.match((await run('get', 'targets', '-A')).out, new RegExp(`${name}.*alias of my-west`));
    await eventually('the alias to leave', async () => (await targetsOf(its)).join() === 'my-west');
    assert.equal(await note(west), 'one');
    await api.change('notes', 'default', 'two');
    await eventually('the change to arrive', async () => (await note(west)) === 'two');
    await api.available('notes', 1);

    await api.ask('DELETE /v1/targets/my-west', undefined, 409);
    await api.ask(`DELETE /v1/targets/${name}`, undefined, 204);
    assert.equal(await note(west), 'two');
  });

  it('the kubeconfig of a cluster that has an agent is refused; the agent goes on, started anew or restored', async (t) => {
    const west = await ownCluster(t, { size: 'apiserver', name: 'west' }, t.signal);
    const its = await stage(t);
    const { api, add, agentIn, shown } = its;
    const start = await agentIn(west);
    const first = await start();
    const name = `k8s-${(await uidOf(west)).slice(0, 8)}`;
    await api.connection(name, 'Connected');
    await placed(its, name, 'proxied');
    await api.deploy('notes', 'default', 'one');
    await api.available('notes', 1);

    const added = await add(kubeconfigOf({ 'my-west': west }), 'my-west');
    assert.equal(added.code, EXIT.conflict, added.err);
    assert.ok(!added.err.includes(name), added.err);
    await refused(its, 'my-west', name);
    assert.equal((await shown(name)).connection.state, 'Connected');

    first.process.signal('SIGKILL');
    await west.stop();
    await api.connection(name, 'Disconnected');
    await west.start();
    // As from a backup of before the deployment: the same uid, and nothing of what the agent did.
    await west.kubectl(['delete', 'configmap', 'note']);
    await west.kubectl(['-n', 'fleetshift-system', 'delete', 'secrets', '--all']);
    await start();
    await api.connection(name, 'Connected');
    await eventually('the note to be back', async () => (await note(west)) === 'one');
    await api.ask('DELETE /v1/targets/my-west?force=true', undefined, 204);
    await api.available('notes', 1);
    assert.equal(await note(west), 'one');
  });

  it('a platform that starts again serves the target that has the cluster, whichever it finds first', async (t) => {
    const west = await ownCluster(t, { size: 'apiserver', name: 'west' }, t.signal);
    const its = await stage(t);
    const { add, restart } = its;
    assert.equal((await add(kubeconfigOf({ 'b-west': west }), 'b-west')).code, EXIT.ok);
    await placed(its, 'b-west', 'proxied');
    await its.api.deploy('notes', 'default', 'one');
    await its.api.available('notes', 1);
    assert.equal((await add(kubeconfigOf({ 'a-west': west }), 'a-west')).code, EXIT.conflict);
    await refused(its, 'a-west', 'b-west');
    const api = await restart();
    await api.connection('b-west', 'Connected');
    await api.change('notes', 'default', 'two');
    await eventually('the change to arrive', async () => (await note(west)) === 'two');
    await api.available('notes', 1);
  });

  it('a copy with the same uid is refused until it gets an id of its own; then both are targets', async (t) => {
    const west = await ownCluster(t, { size: 'apiserver', name: 'west' }, t.signal);
    const east = await ownCluster(t, { size: 'apiserver', name: 'east' }, t.signal);
    const its = await stage(t, 'postgres');
    const { api, add, run, shown } = its;
    assert.equal((await add(kubeconfigOf({ west }), 'west')).code, EXIT.ok);
    const copy = await asCopy(t, east, await uidOf(west));
    const added = await add(kubeconfigOf({}, { copy }), 'copy');
    assert.equal(added.code, EXIT.conflict, added.err);
    await refused(its, 'copy', 'west');
    const early = await run('target', 'reidentify', 'west');
    assert.equal(early.code, EXIT.conflict, early.err);

    const told = await run('target', 'reidentify', 'copy');
    assert.equal(told.code, EXIT.ok, told.err);
    await api.connection('copy', 'Connected');
    assert.equal((await shown('west')).connection.state, 'Connected');
    for (const target of ['west', 'copy']) await placed(its, target, 'proxied');
    await api.deploy('notes', 'default', 'one');
    await api.available('notes', 2);
    assert.deepEqual([await note(west), await note(east)], ['one', 'one']);
    const { stdout } = await east.kubectl(['-n', 'fleetshift-system', 'get', 'secret', 'fleetshift-cluster-identity']);
    assert.match(stdout, /fleetshift-cluster-identity/);
  });
});

/** A server in front of a cluster that says that its `kube-system` has this uid, as it has in a copy made from a backup. */
async function asCopy(t: TestContext, cluster: TestCluster, uid: string) {
  const own = await uidOf(cluster);
  const authority = makeAuthority();
  const server = createServer(issueServerPair(authority, ['127.0.0.1']), (asked, answer) => {
    const { pathname } = new URL(asked.url ?? '/', 'https://copy');
    const { 'accept-encoding': _, ...headers } = asked.headers;
    const options = { method: asked.method, headers, ca: cluster.ca };
    const forwarded = request(`${cluster.server}${asked.url}`, options, (got) => {
      if (pathname !== '/api/v1/namespaces/kube-system') {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
        return;
      }
      const chunks: Buffer[] = [];
      got.on('data', (chunk: Buffer) => chunks.push(chunk));
      got.on('end', () => {
        answer.writeHead(got.statusCode ?? 500, { 'content-type': 'application/json' });
        answer.end(Buffer.concat(chunks).toString().replaceAll(own, uid));
      });
    });
    const over = (): void => void answer.destroy();
    forwarded.on('error', over);
    answer.on('close', () => forwarded.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const ca = Buffer.from(authority.cert).toString('base64');
  return {
    cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': ca },
    user: { token: cluster.adminToken },
  };
}
