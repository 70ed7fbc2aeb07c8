import assert from 'node:assert/strict';
import { join } from 'node:path';
import { sleep } from '#kit/std';
import { type Cleaner, ownCluster, type TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { runCommand } from '../../../apps/cli/testing/processes.ts';

export const NAMESPACE = 'fleetshift-system';
export const TARGET = 'eu-1';
const LOGS = ['logs', 'deployment/fleetshift-agent', '--tail=30'];

/** A platform and a cluster with nodes, used like an operator would: with the CLI, kubectl and the API. */
export interface Stage {
  readonly cluster: TestCluster;
  readonly platform: Platform;
  /** Address as the cluster reaches it, and its CA. */
  readonly address: { readonly url: string; readonly caFile: string };
  /** Output of the command; fails with its error output if it does not succeed. */
  readonly fleetshift: (...args: string[]) => Promise<string>;
  /** Output of kubectl; fails likewise. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  readonly get: <T>(path: string) => Promise<T>;
}

export async function openStage(t: Cleaner, signal: AbortSignal): Promise<Stage> {
  const home: PlatformHome = await platformHome('sqlite');
  t.after(() => home.dispose());
  const [platform, cluster] = await Promise.all([
    home.start({ environment: { FLEETSHIFT_FLEETLET_LISTEN: '127.0.0.1:0' } }),
    // Pod folders are below a folder of this name, and the path of a socket in them is limited to about a hundred
    // characters.
    ownCluster(t, { size: 'nodes', name: 'i' }, signal),
  ]);
  const server = ['--server', platform.url, '--data', home.data];
  return {
    cluster,
    platform,
    address: { url: platform.tlsUrl.replace('127.0.0.1', 'localhost'), caFile: join(home.data, 'tls/ca.crt') },
    fleetshift: async (...args) => {
      const { code, out, err } = await runCommand([...args, ...server]);
      assert.equal(code, 0, `fleetshift ${args.join(' ')}: ${out}${err}`);
      return out;
    },
    kubectl: async (args, input) => {
      const { code, stdout, stderr } = await cluster.kubectl(args, input === undefined ? {} : { input });
      assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stdout}${stderr}`);
      return stdout;
    },
    get: async <T>(path: string) => (await (await platform.request(path)).json()) as T,
  };
}

/** Waits until the condition holds; the error has the last value. */
export async function eventually<T>(what: string, look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  const late = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (late.aborted) throw new Error(`wait until ${what}: it is ${JSON.stringify(seen).slice(0, 4_000)}`);
    await sleep(200, late).catch(() => {});
  }
}

export async function untilConnected({ get, cluster }: Stage, target: string): Promise<void> {
  try {
    await eventually(
      `${target} is connected`,
      () => get<object>(`/v1/targets/${target}`),
      (seen) => JSON.stringify(seen).includes('"Connected"'),
    );
  } catch (cause) {
    const asked = [['get', 'pods', '-o', 'jsonpath={.items[*].status}'], LOGS, [...LOGS, '--previous']];
    const said = await Promise.all(asked.map((args) => cluster.kubectl(['-n', NAMESPACE, ...args])));
    throw new Error(`its agent says\n${said.map(({ stdout }) => stdout).join('\n')}`, { cause });
  }
}

export async function manifestOf({ fleetshift, address }: Stage, ...more: string[]): Promise<string> {
  const words = ['-w', 'root', '--image', 'fleetshift:v1', '--platform', address.url, '--ca-file', address.caFile];
  return await fleetshift('target', 'install-manifest', TARGET, ...words, ...more);
}

export async function deploy({ platform }: Stage, name: string, documents: readonly object[]): Promise<void> {
  const body = {
    name,
    manifest: { type: 'inline', documents },
    placement: [{ type: 'static', targets: [TARGET] }],
    rollout: { type: 'immediate' },
  };
  const answer = await platform.request('/v1/workspaces/root/deployments', { method: 'POST', body });
  assert.equal(answer.status, 201, await answer.text());
}

export const pathOf = (name: string): string => `/v1/workspaces/root/deployments/${name}`;
