import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cleaner, ownCluster, type TestCluster } from '#testing/clusters';
import { lookAgainMs } from '#testing/look-again';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { MAIN } from '#testing/product';
import type { PublicObject } from '#testing/public-manifests';
import type { SeededRandom } from '#testing/seeded';
import { ServerProcess } from '#testing/server-process';
import { kubeconfigOf } from '../../apps/platform/proxy-agent/testing/kubeconfig-of.ts';
import { ApiClient } from '../../testing/clusters/api-client.ts';
import { simulatedNode } from '../../testing/clusters/simulated-nodes.ts';
import { DeploymentClient } from '../rollouts/deployment-client.ts';

const WORKSPACE = 'public';
const TARGETS = ['one', 'two'] as const;
/** Argo CD's HA variant places three replicas on nodes of their own, and a new one beside them while it is upgraded. */
const MORE_NODES = { 'node-2': 'zone-2', 'node-3': 'zone-3', 'node-4': 'zone-1' };
const FLAGS = ['--rate-limit', '1000000'];

/** Two clusters, a platform, and an agent for both, of which the latter two are killed. */
export class ManifestsFleet {
  readonly clusters: readonly TestCluster[];
  readonly #home: PlatformHome;
  readonly #kubeconfig: string;
  readonly #random: SeededRandom;
  #platform: Platform | undefined;
  #agent: ServerProcess | undefined;

  private constructor(home: PlatformHome, clusters: readonly TestCluster[], random: SeededRandom) {
    this.#home = home;
    this.clusters = clusters;
    this.#random = random;
    this.#kubeconfig = join(home.data, 'kubeconfig');
  }

  static async open(t: Cleaner, random: SeededRandom, signal: AbortSignal): Promise<ManifestsFleet> {
    const home = await platformHome('sqlite');
    t.after(async () => await home.dispose());
    const clusters = await Promise.all(TARGETS.map((name) => ownCluster(t, { size: 'nodes', name }, signal)));
    await Promise.all(clusters.map((cluster) => addNodes(cluster, signal)));
    const fleet = new ManifestsFleet(home, clusters, random);
    t.after(async () => await fleet.#agent?.stop('SIGKILL'));
    return fleet;
  }

  get client(): DeploymentClient {
    return new DeploymentClient(this.#platform ?? assert.fail('no platform runs'), WORKSPACE);
  }

  /** Starts the platform and the agent, and waits until both clusters are connected targets. */
  async start(): Promise<void> {
    await this.#startPlatform();
    await this.client.asked('POST', '/v1/workspaces', { name: WORKSPACE });
    for (const name of TARGETS) {
      await this.client.asked('POST', '/v1/targets', { name, type: 'kubernetes', workspace: WORKSPACE });
      await this.client.asked('POST', '/v1/fleetlets/platform:bind', { target: name });
    }
    const entries = TARGETS.map((name, index) => [name, this.clusters[index] ?? assert.fail()] as const);
    await writeFile(this.#kubeconfig, kubeconfigOf(Object.fromEntries(entries)));
    this.#startAgent();
    for (const name of TARGETS) await until(`${name} to be connected`, () => this.#isConnected(name));
  }

  /** Asks for a change, and kills the platform, the agent or both, once or twice while it is carried out. */
  async killDuring(change: (client: DeploymentClient) => Promise<void>): Promise<void> {
    await change(this.client);
    for (let kill = this.#random.integer(1, 2); kill > 0; kill -= 1) {
      await delay(this.#random.pick([0, 100, 500, 1_500]));
      await this.#kill(this.#random.pick(['platform', 'agent', 'both']));
    }
  }

  /** Waits until the last revision of each has succeeded on both clusters. */
  async settled(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const begun = performance.now();
      for (;;) {
        const { status, revision, reconciling } = await this.client.get(name);
        const isDone = status.rollout?.revision === revision && status.rollout.outcome === 'Succeeded' && !reconciling;
        if (isDone && status.counts.available === TARGETS.length) break;
        if (performance.now() - begun > PATIENCE_MS) {
          const targets = JSON.stringify(await this.client.list(name, 'targets'), undefined, 1);
          assert.fail(`${name} did not settle: ${JSON.stringify(status.rollout)}\n${targets}\n${this.#agent?.said}`);
        }
        await delay(lookAgainMs(begun));
      }
    }
  }

  /** Waits until both clusters have refused the deployment, with this message. */
  async refused(name: string, message: RegExp): Promise<void> {
    await until(`${name} to be refused`, async () => {
      const targets = await this.client.list(name, 'targets');
      return targets.length === TARGETS.length && targets.every((target) => message.test(JSON.stringify(target)));
    });
  }

  /** Waits until the platform has forgotten the deployments. */
  async gone(names: readonly string[]): Promise<void> {
    await until(`${names.join(', ')} to be gone`, async () => {
      const { items } = await this.client.asked('GET', `/v1/workspaces/${WORKSPACE}/deployments`);
      return (items as readonly { readonly name: string }[]).every(({ name }) => !names.includes(name));
    });
  }

  async delete(name: string): Promise<void> {
    await this.client.asked('DELETE', `/v1/workspaces/${WORKSPACE}/deployments/${name}`);
  }

  async stopAgent(): Promise<void> {
    await this.#agent?.stop('SIGTERM');
  }

  async #kill(who: 'platform' | 'agent' | 'both'): Promise<void> {
    if (who !== 'agent') await this.#platform?.kill();
    if (who !== 'platform') await this.#agent?.stop('SIGKILL');
    if (who !== 'agent') await this.#startPlatform();
    if (who !== 'platform') this.#startAgent();
  }

  async #startPlatform(): Promise<void> {
    this.#platform = await this.#home.start({ flags: FLAGS });
  }

  #startAgent(): void {
    const targets = TARGETS.flatMap((name) => ['--target', `${name}=${name}`]);
    const socket = ['--fleetlet-socket', join(this.#home.data, 'fleetlet.sock')];
    this.#agent = new ServerProcess({
      program: process.execPath,
      args: [MAIN, 'agent', 'kubernetes', '--kubeconfig', this.#kubeconfig, ...socket, ...targets],
      folder: this.#home.data,
      log: join(this.#home.data, 'agent.log'),
    });
  }

  async #isConnected(name: string): Promise<boolean> {
    if (this.#agent?.hasEnded === true) assert.fail(this.#agent.said);
    const { connection } = await this.client.asked('GET', `/v1/targets/${name}`);
    return (connection as { readonly state: string } | undefined)?.state === 'Connected';
  }
}

/** A deployment of these documents to both clusters. */
export function deploymentOf(name: string, documents: readonly PublicObject[], namespace?: string): object {
  const manifest = { type: 'inline', documents };
  return { name, manifest, placement: [{ type: 'all' }], ...(namespace !== undefined && { namespace }) };
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const begun = performance.now();
  while (!(await isSo())) {
    assert.ok(performance.now() - begun < PATIENCE_MS, `waited for ${what}`);
    await delay(lookAgainMs(begun));
  }
}

async function addNodes(cluster: TestCluster, signal: AbortSignal): Promise<void> {
  const api = new ApiClient({ server: cluster.server, ca: cluster.ca, token: cluster.adminToken });
  try {
    for (const [name, zone] of Object.entries(MORE_NODES)) {
      await api.send('POST', '/api/v1/nodes', simulatedNode(name, zone), signal);
    }
  } finally {
    api.close();
  }
}
