import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { UplinkState } from '#contexts/channels';
import { connectLocal } from '#contexts/channels/adapters';
import { Secret } from '#kit/std';
import { fleetletHome } from '#runtime/fleetlet/testing/fleetlet-process';
import { clustersUnavailable, ownCluster } from '#testing/clusters';
import { platformHome } from '#testing/platform-process';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { podEnvironment } from '../kubernetes-agent/testing/agent-process.ts';
import { FleetApi } from '../platform/proxy-agent/testing/fleet-api.ts';

const skip = (await clustersUnavailable('apiserver')) ?? false;

/** The final state for a Pod with this token. */
async function stateOf(t: TestContext, port: number, token: string): Promise<UplinkState['kind']> {
  const over = new AbortController();
  const states: UplinkState[] = [];
  const client = connectLocal({
    to: { host: '127.0.0.1', port },
    token: () => new Secret(token),
    process: 'pod',
    onState: (state) => states.push(state),
  });
  const running = client.run(over.signal);
  t.after(() => running);
  const ended = (): UplinkState | undefined => states.find(({ kind }) => kind === 'connected' || kind === 'refused');
  try {
    return (await eventually('it to be let in or not', ended)).kind;
  } finally {
    over.abort();
  }
}

describe('a fleetlet and the agent of its cluster in one process', { skip }, () => {
  it('names its target itself, delivers, knows Pods by their tokens, and gives the target back', async (t) => {
    const cluster = await ownCluster(t, { size: 'apiserver', name: 'within' }, t.signal);
    const home = await platformHome('sqlite');
    t.after(() => home.dispose());
    const platform = await home.start({ flags: ['--fleetlet-listen', 'none'] });
    const api = new FleetApi(platform);
    const uid = (await cluster.kubectl(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}'])).stdout;
    const name = `k8s-${uid.slice(0, 8)}`;
    const { token } = await api.ask('POST /v1/workspaces/root/bootstrap-tokens', { targetType: 'kubernetes' }, 201);
    const its = await fleetletHome(t);
    const there = ['--platform', platform.tlsUrl, '--ca-file', join(home.data, 'tls', 'ca.crt')];
    const flags = [...there, '--transport', 'websocket', '--with', 'kubernetes', '--listen-tcp', '127.0.0.1:0'];
    const pod = await podEnvironment(cluster, its.folder);
    const started = await its.start(flags, { FLEETSHIFT_BOOTSTRAP_TOKEN: token, ...pod });
    await api.connection(name, 'Connected');
    await api.ask(`PATCH /v1/targets/${name}`, { labels: { fleet: 'proxied', ring: 'canary' } }, 200);
    await api.deploy('notes', 'default', 'one');
    await api.available('notes', 1);

    const [, port = ''] = /"127\.0\.0\.1:(\d+)"\]/.exec(await started.says(/"msg":"serving"/)) ?? [];
    await cluster.kubectl(['create', 'serviceaccount', 'scorer']);
    const tokenFor = async (audience: string): Promise<string> =>
      (await cluster.kubectl(['create', 'token', 'scorer', '--audience', audience])).stdout.trim();
    assert.equal(await stateOf(t, Number(port), await tokenFor('fleetlet')), 'connected');
    assert.equal(await stateOf(t, Number(port), await tokenFor('somebody-else')), 'refused');

    await started.process.stop('SIGTERM', 30_000);
    assert.match(started.process.said, /"msg":"stopped"/);
    await api.connection(name, 'Disconnected');
  });
});
