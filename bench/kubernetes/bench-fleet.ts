import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Platform, platformHome } from '#testing/platform-process';
import { kubeconfigOf } from '../../apps/platform/proxy-agent/testing/kubeconfig-of.ts';
import { productFlags } from '../product-flags.ts';
import type { BenchCluster } from './bench-clusters.ts';
import { type Known, StatusWatch } from './status-watch.ts';

const MAIN = fileURLToPath(new URL('../../apps/cli/main.ts', import.meta.url));
const WORKSPACE = '/v1/workspaces/bench';

/** A platform process, an agent process that serves every cluster, and the platform's view of them. */
export class BenchFleet {
  readonly platform: Platform;
  /** Pid of the agent. */
  readonly pid: number;
  readonly kubeconfig: string;
  readonly #watch: StatusWatch;

  private constructor(
    platform: Platform,
    watch: StatusWatch,
    { pid, kubeconfig }: { pid: number; kubeconfig: string },
  ) {
    this.platform = platform;
    this.#watch = watch;
    this.pid = pid;
    this.kubeconfig = kubeconfig;
  }

  static async open(
    clusters: readonly BenchCluster[],
    { cleanups }: { readonly cleanups: (() => Promise<void> | void)[] },
  ): Promise<BenchFleet> {
    const home = await platformHome('sqlite');
    cleanups.push(async () => await home.dispose());
    const platform = await home.start({ flags: ['--rate-limit', '1000000'], nodeFlags: productFlags() });
    await ask(platform, 'POST', '/v1/workspaces', { name: 'bench' });
    for (const { name } of clusters) {
      await ask(platform, 'POST', '/v1/targets', { name, type: 'kubernetes', workspace: 'bench' });
      await ask(platform, 'POST', '/v1/fleetlets/platform:bind', { target: name });
    }
    const kubeconfig = join(home.data, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(Object.fromEntries(clusters.map(({ name, cluster }) => [name, cluster]))));
    const socket = join(home.data, 'fleetlet.sock');
    const targets = clusters.flatMap(({ name }) => ['--target', `${name}=${name}`]);
    const words = ['agent', 'kubernetes', '--kubeconfig', kubeconfig, '--fleetlet-socket', socket, ...targets];
    const args = [...productFlags('agent'), MAIN, ...words, '--log-level', 'warn', '--stop-with-stdin'];
    const agent = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
    cleanups.push(async () => {
      if (agent.exitCode !== null) return;
      const ended = once(agent, 'exit');
      agent.kill('SIGKILL');
      await ended;
    });
    const over = new AbortController();
    cleanups.push(() => over.abort());
    const watch = await StatusWatch.open(platform, over.signal);
    const fleet = new BenchFleet(platform, watch, { pid: agent.pid ?? 0, kubeconfig });
    while ((await fleet.#connected()) < clusters.length) await pause(100);
    return fleet;
  }

  async create(name: string, body: object): Promise<void> {
    await ask(this.platform, 'POST', `${WORKSPACE}/deployments`, { name, placement: [{ type: 'all' }], ...body });
  }

  async change(name: string, body: object): Promise<void> {
    await ask(this.platform, 'PATCH', `${WORKSPACE}/deployments/${name}`, body);
  }

  async delete(name: string): Promise<void> {
    await ask(this.platform, 'DELETE', `${WORKSPACE}/deployments/${name}`);
    for (;;) {
      const response = await this.platform.request(`${WORKSPACE}/deployments/${name}`);
      await response.arrayBuffer();
      if (response.status === 404) return;
      await pause(100);
    }
  }

  async revision(name: string): Promise<number> {
    const { status } = await ask<Known>(this.platform, 'GET', `${WORKSPACE}/deployments/${name}`);
    return status?.rollout?.revision ?? 0;
  }

  /**
   * Resolves when the platform reports that all targets have a later revision than this and are available; returns the
   * time of that report.
   */
  async knows(name: string, { after, count }: { readonly after: number; readonly count: number }): Promise<number> {
    const isKnown = ({ status }: Known): boolean => {
      const isNew = (status?.rollout?.revision ?? 0) > after && status?.rollout?.phase === 'Finished';
      return isNew && status?.counts?.available === count;
    };
    const told = this.#watch.until(name, isKnown);
    // Avoids an unhandled rejection until it is awaited.
    told.catch(() => {});
    // The report may have come before the watch was open.
    const found = await ask<Known>(this.platform, 'GET', `${WORKSPACE}/deployments/${name}`);
    return isKnown(found) ? performance.now() : await told;
  }

  async #connected(): Promise<number> {
    type Targets = { readonly items: readonly { readonly connection: { readonly state: string } }[] };
    const { items } = await ask<Targets>(this.platform, 'GET', '/v1/targets?pageSize=100');
    return items.filter(({ connection }) => connection.state === 'Connected').length;
  }
}

async function ask<T>(platform: Platform, method: string, path: string, body?: object): Promise<T> {
  const response = await platform.request(path, { method, ...(body && { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
