import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type FleetletHome, type FleetletProcess, fleetletHome } from '#runtime/fleetlet/testing/fleetlet-process';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { type Platform, platformHome } from '#testing/platform-process';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { FleetApi } from '../platform/proxy-agent/testing/fleet-api.ts';
import { kubeconfigOf } from '../platform/proxy-agent/testing/kubeconfig-of.ts';
import { podEnvironment, startAgent } from './testing/agent-process.ts';

const skip = (await clustersUnavailable('apiserver')) ?? false;

interface Stage {
  readonly api: FleetApi;
  readonly platform: Platform;
  /** How a fleetlet connects, and for which targets. */
  readonly fleetlet: (
    environment?: Readonly<Record<string, string>>,
    flags?: readonly string[],
  ) => Promise<FleetletHome & FleetletProcess>;
}

async function stage(t: TestContext): Promise<Stage> {
  const home = await platformHome('sqlite');
  t.after(() => home.dispose());
  const platform = await home.start({ flags: ['--fleetlet-listen', 'none'] });
  const api = new FleetApi(platform);
  const there = [
    '--platform',
    platform.tlsUrl,
    '--ca-file',
    join(home.data, 'tls', 'ca.crt'),
    '--transport',
    'websocket',
  ];
  return {
    api,
    platform,
    fleetlet: async (environment = {}, flags = []) => {
      const wanted = { targets: ['solo'], targetType: 'kubernetes' };
      const { token } = await api.ask('POST /v1/workspaces/root/bootstrap-tokens', wanted, 201);
      const its = await fleetletHome(t);
      const started = await its.start([...there, '--target', 'solo=kubernetes', ...flags], {
        FLEETSHIFT_BOOTSTRAP_TOKEN: token,
        ...environment,
      });
      await started.says(/"msg":"session with the platform established"/);
      return { ...its, ...started };
    },
  };
}

interface Note {
  readonly text: string;
  readonly version: string;
  readonly written: readonly string[];
}

/** Includes how often it was written, and when last. */
async function note(cluster: TestCluster): Promise<Note> {
  const { stdout } = await cluster.kubectl(['get', 'configmap', 'note', '-o', 'json', '--show-managed-fields']);
  const { data, metadata } = JSON.parse(stdout) as {
    data: { text: string };
    metadata: { resourceVersion: string; managedFields: { manager: string; operation: string; time: string }[] };
  };
  const written = metadata.managedFields.map(({ manager, operation, time }) => `${manager} ${operation} ${time}`);
  return { text: data.text, version: metadata.resourceVersion, written };
}

describe('who serves a cluster', { skip }, () => {
  it('is the agent beside it, from when it comes until it leaves; one that reaches it from elsewhere stands by', async (t) => {
    const cluster = await ownCluster(t, { size: 'apiserver', name: 'solo' }, t.signal);
    const { api, fleetlet } = await stage(t);
    const far = await fleetlet();
    await api.ask('PATCH /v1/targets/solo', { labels: { fleet: 'proxied' } }, 200);
    const kubeconfig = join(far.folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf({ solo: cluster }));
    const flags = ['--kubeconfig', kubeconfig, '--context', 'solo', '--fleetlet-socket', far.socket];
    const proxy = startAgent(t, { folder: far.folder, flags });
    await api.connection('solo', 'Connected');
    await api.deploy('notes', 'default', 'one');
    await api.available('notes', 1);
    const before = await note(cluster);
    assert.equal(before.text, 'one');

    const pod = await podEnvironment(cluster, (await fleetletHome(t)).folder);
    const near = await fleetlet(pod, ['--with', 'kubernetes']);
    await proxy.says(/"msg":"another agent took over the target; standing by"/);
    await api.connection('solo', 'Connected');
    await api.available('notes', 1);
    assert.deepEqual(await note(cluster), before, 'nothing was applied again');

    proxy.process.signal('SIGKILL');
    const again = startAgent(t, { folder: far.folder, flags });
    await again.says(/"msg":"another agent serves the target; standing by"/);
    await api.change('notes', 'default', 'two');
    await eventually('the other to apply it', async () => (await note(cluster)).text === 'two');
    await api.available('notes', 1);
    const after = await note(cluster);
    assert.equal(after.written.length, before.written.length, 'by one manager, once');
    assert.ok(!(await again.says(/standing by/)).includes('"msg":"target accepted; serving"'), 'it was never its own');

    await near.process.stop('SIGTERM');
    // That no new registration is needed for this depends on ordering, which the tests of `StandingBy` assert.
    await again.says(/"msg":"target accepted; serving"/);
  });

  it('is told what the kubeconfig says, also when that changes; and a broken one changes nothing', async (t) => {
    const cluster = await ownCluster(t, { size: 'apiserver', name: 'solo' }, t.signal);
    const { api, fleetlet } = await stage(t);
    const far = await fleetlet();
    const kubeconfig = join(far.folder, 'kubeconfig');
    const nowhere = { cluster: { server: 'https://127.0.0.1:1' }, user: { token: 'x' } };
    await writeFile(kubeconfig, kubeconfigOf({}, { solo: nowhere }));
    const listen = ['--metrics-listen', '127.0.0.1:0'];
    const flags = ['--kubeconfig', kubeconfig, '--context', 'solo', '--fleetlet-socket', far.socket, ...listen];
    const agent = startAgent(t, { folder: far.folder, flags });
    await agent.says(/"msg":"cluster unreachable or refused; retrying"/);
    const [, at = ''] = /"address":"([^"]+)","msg":"metrics"/.exec(await agent.says(/"msg":"metrics"/)) ?? [];
    const health = await fetch(`http://${at}/healthz`);
    assert.deepEqual([health.status, /solo: Unreachable: /.test(await health.text())], [200, true]);
    assert.equal((await api.ask('GET /v1/targets/solo')).connection.state, 'NeverConnected');

    await writeFile(kubeconfig, kubeconfigOf({ solo: cluster }));
    await api.connection('solo', 'Connected');
    const metrics = async (): Promise<string> => await (await fetch(`http://${at}/metrics`)).text();
    await eventually('it to be counted', async () => (await metrics()).includes('_serving{target="solo"} 1'));
    await writeFile(kubeconfig, 'this is: [none');
    await agent.says(/"msg":"kubeconfig not usable; keeping the last configuration"/);
    await api.connection('solo', 'Connected');

    await agent.process.stop('SIGTERM');
    assert.match(agent.process.said, /"msg":"stopped"/);
    await api.connection('solo', 'Disconnected');
  });
});
