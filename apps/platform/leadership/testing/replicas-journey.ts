import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { connectLocal } from '#contexts/channels/adapters';
import { fleetletHome } from '#runtime/fleetlet/testing/fleetlet-process';
import { type Platform, type PlatformHome, platformHome, type StartOptions } from '#testing/platform-process';
import { eventually } from '../../../../kit/durable/testing/eventually.ts';
import { EXECUTOR, LOST_CONNECTIONS, PROXIED_CLUSTERS } from '../leadership.ts';

const ALL = [EXECUTOR, LOST_CONNECTIONS, ...PROXIED_CLUSTERS].sort();
const ESTABLISHED = 'session with the platform established';
const CLAIM = {
  name: 'edge',
  type: 'directory',
  serving: 'colocated',
  labels: {},
  properties: '{}',
  manifestTypes: [],
  instance: '',
  agentVersion: '1',
} as const;

interface Replica {
  readonly instanceId: string;
  readonly state: string;
  readonly endpoints: { readonly grpc?: string };
  readonly leads: readonly { readonly role: string; readonly epoch: number }[];
}

/**
 * Two replicas on one Postgres, a fleetlet that enrolled through the first, and a cluster that the platform serves itself:
 * the first is stopped and continued, then the second is killed.
 */
export async function replicasJourney(t: TestContext, options: StartOptions = {}): Promise<void> {
  const home = await platformHome('postgres');
  t.after(() => home.dispose());
  const first = await started(home, 'data', options);
  await leadsAll(first, first);
  const second = await started(home, 'data-2', options);
  await eventually('both to be listed', async () => (await replicas(second)).length === 2);
  await leadsAll(first, first);

  const fleetlet = await enrolled(t, home, first);
  await isConnected(first);
  await kubeconfigIs(first, 'Unreachable');

  process.kill(first.pid, 'SIGSTOP');
  await leadsAll(second, second);
  await fleetlet.says(new RegExp(`(${ESTABLISHED}[^]*){2}`));
  await isConnected(second);
  await kubeconfigIs(second, 'Unreachable');
  const before = await ownLeads(second, second);
  process.kill(first.pid, 'SIGCONT');
  await eventually('the first to know', () => first.said().includes('no longer leading'));
  await eventually('the first to be live', async () => (await replicas(second)).every(({ state }) => state === 'Live'));
  const epochs = new Map(before.map(({ role, epoch }) => [role, epoch]));
  for (const { role, epoch } of await ownLeads(first, second)) {
    assert.ok(epoch > (epochs.get(role) ?? 0), `it leads for ${role} only if it was elected again`);
  }
  await isConnected(second);

  await second.kill();
  await leadsAll(first, first);
  await fleetlet.says(new RegExp(`(${ESTABLISHED}[^]*){3}`));
  await isConnected(first);
  for (const { role, epoch } of await ownLeads(first, first)) assert.ok(epoch > (epochs.get(role) ?? 0), role);
}

/** With the keys and the administrator of the first, and a data folder of its own. */
async function started(home: PlatformHome, folder: string, options: StartOptions): Promise<Platform> {
  const data = join(home.data, '..', folder);
  return await home.start({
    ...options,
    flags: ['--fleetlet-heartbeat', '500ms', '--fleetlet-socket', 'none', ...(options.flags ?? [])],
    environment: {
      FLEETSHIFT_DATA: data,
      FLEETSHIFT_KEY_FILE: join(home.data, 'keys.json'),
      FLEETSHIFT_ADMIN_TOKEN_FILE: join(home.data, 'admin-token'),
    },
  });
}

async function enrolled(t: TestContext, home: PlatformHome, platform: Platform) {
  const { token } = await ask<{ token: string }>(platform, 'POST', '/v1/workspaces/root/bootstrap-tokens', {});
  const machine = await fleetletHome(t);
  const trusted = ['--platform', platform.tlsUrl, '--ca-file', join(home.data, 'tls', 'ca.crt')];
  const tokenFile = await machine.write('token', token);
  const fleetlet = await machine.start([...trusted, '--bootstrap-token-file', tokenFile, '--target', 'edge=directory']);
  const client = connectLocal({ to: { path: machine.socket }, process: 'agent' });
  client.registerTarget(CLAIM, { accepted: () => {} });
  const over = new AbortController();
  const done = client.run(over.signal);
  t.after(async () => {
    over.abort();
    await done;
  });
  await fleetlet.says(new RegExp(ESTABLISHED));
  return fleetlet;
}

async function isConnected(platform: Platform): Promise<void> {
  await eventually('edge to be connected', async () => {
    const { connection } = await ask<{ connection: { state: string } }>(platform, 'GET', '/v1/targets/edge');
    return connection.state === 'Connected';
  });
}

/** Of a server that does not answer: what is not `Pending` was tried. */
async function kubeconfigIs(platform: Platform, wanted: string): Promise<void> {
  const path = '/v1/targets/west/kubeconfig';
  if ((await platform.request('/v1/targets/west')).status === 404) {
    await ask(platform, 'POST', '/v1/targets', { name: 'west', type: 'kubernetes', workspace: 'root' });
    await ask(platform, 'PUT', path, { kubeconfig: KUBECONFIG });
  }
  await eventually(`the cluster to be ${wanted}`, async () => {
    return (await ask<{ state: string }>(platform, 'GET', path)).state === wanted;
  });
}

const KUBECONFIG = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'c', user: { token: 'x' } }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
});

async function leadsAll(platform: Platform, asked: Platform): Promise<void> {
  await eventually('it to lead for all roles', async () => {
    const led = (await ownLeads(platform, asked)).map(({ role }) => role);
    return led.sort().join() === ALL.join();
  });
}

/** What the replica at this address leads for, as another replica, or itself, lists it. */
async function ownLeads(platform: Platform, asked: Platform): Promise<Replica['leads']> {
  const { port } = new URL(platform.tlsUrl);
  const found = (await replicas(asked)).find((each) => JSON.stringify(each.endpoints).includes(`:${port}/`));
  return found?.leads ?? [];
}

async function replicas(platform: Platform): Promise<readonly Replica[]> {
  return (await ask<{ items: readonly Replica[] }>(platform, 'GET', '/v1/replicas')).items;
}

async function ask<T>(platform: Platform, method: string, path: string, body?: object): Promise<T> {
  const answer = await platform.request(path, { method, ...(body && { body }) }).catch((cause: unknown) => {
    throw new Error(`${method} ${path}: no answer; the platform said:\n${platform.said()}`, { cause });
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${text}`);
  return JSON.parse(text) as T;
}
