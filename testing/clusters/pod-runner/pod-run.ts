import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compiledCode } from '../../bare-environment.ts';
import { LAUNCHER } from '../../product.ts';
import type { ApiClient } from '../api-client.ts';
import { ContainerProcess } from './container-process.ts';
import { ContainerRun } from './container-run.ts';
import { mountedPaths } from './mounted-paths.ts';
import { isBroken } from './our-image.ts';
import type { Container, Pod, Probe } from './pod.ts';
import { containerEnvironment, expandVariables } from './pod-environment.ts';
import { type PodSources, podSources } from './pod-sources.ts';
import { PodStatus } from './pod-status.ts';
import { createPodTools } from './pod-tools.ts';
import { writeVolumes } from './pod-volumes.ts';
import { probeContainer } from './probe-container.ts';

export interface PodRunDeps {
  readonly api: ApiClient;
  /** `https://127.0.0.1:port` of the API server. */
  readonly server: string;
  /** Holds all files of Pods. */
  readonly folder: string;
  /** Makes the process end when its host ends. */
  readonly adopt: (process: ContainerProcess) => void;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const REFRESH_MS = 2_000;

/** One Pod of our own image, run as processes of this machine. */
export class PodRun {
  readonly #deps: PodRunDeps;
  readonly #pod: Pod;
  readonly #folder: string;
  readonly #sources: PodSources;
  readonly #podIp = loopbackAddress();
  readonly #ending = new AbortController();
  readonly #status: PodStatus;
  readonly #done: Promise<void>;
  #graceMs = 0;

  constructor(deps: PodRunDeps, pod: Pod) {
    this.#deps = deps;
    this.#pod = pod;
    this.#folder = join(deps.folder, pod.metadata.uid);
    this.#sources = podSources(deps.api, pod);
    this.#status = new PodStatus({ api: deps.api, pod, podIp: this.#podIp });
    this.#done = this.#run(this.#ending.signal).catch(() => {});
  }

  /** Signals its programs to end, kills those still running after the grace period, and waits until all have ended. */
  async end(graceMs: number): Promise<void> {
    this.#graceMs = graceMs;
    this.#ending.abort();
    await this.#done;
    this.#status.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { initContainers = [], containers, restartPolicy = 'Always' } = this.#pod.spec;
    await mkdir(this.#folder, { recursive: true });
    const { api } = this.#deps;
    await createPodTools({ api, pod: this.#pod, podIp: this.#podIp, logOf: (name) => this.#log(name) }, signal);
    const inits = initContainers.map((container) =>
      this.#container(container, restartPolicy === 'Never' ? 'Never' : 'OnFailure'),
    );
    const runs = containers.map((container) => this.#container(container, restartPolicy));
    this.#status.show(inits, runs);
    const refreshing = this.#refreshVolumes(signal);
    for (const init of inits) {
      await init.run(signal);
      if (init.exit?.exitCode !== 0) break;
    }
    if (inits.every(({ exit }) => exit?.exitCode === 0)) await Promise.all(runs.map((run) => run.run(signal)));
    this.#status.changed();
    await refreshing;
  }

  #container(container: Container, restarts: 'Always' | 'OnFailure' | 'Never'): ContainerRun {
    let env: NodeJS.ProcessEnv = {};
    return new ContainerRun({
      container,
      restarts,
      changed: () => this.#status.changed(),
      graceMs: () => this.#graceMs,
      launch: async (signal) => {
        await writeVolumes(this.#volumeDeps(), signal);
        env = await this.#environment(container, signal);
        return await this.#launch(container, env);
      },
      probe: (probe: Probe, signal) => probeContainer(probe, { container, podIp: this.#podIp, env }, signal),
    });
  }

  async #launch(container: Container, env: NodeJS.ProcessEnv): Promise<ContainerProcess> {
    const { volumes } = this.#places();
    const rewrite = mountedPaths(container, { volumes, podIp: this.#podIp });
    const [program = LAUNCHER, ...words] = [...(container.command ?? [LAUNCHER]), ...(container.args ?? [])];
    const known = env as Record<string, string>;
    const command = [
      basename(program) === 'fleetshift' ? LAUNCHER : rewrite(expandVariables(program, known)),
      ...(isBroken(container.image) ? ['--no-such-flag'] : []),
      ...words.map((word) => rewrite(expandVariables(word, known))),
    ];
    const { current, previous } = this.#log(container.name);
    if (existsSync(current)) await rename(current, previous);
    const process = new ContainerProcess({ command, env, folder: this.#folder, log: current });
    this.#deps.adopt(process);
    return process;
  }

  async #environment(container: Container, signal: AbortSignal): Promise<NodeJS.ProcessEnv> {
    const { pod, podIp, volumes } = this.#places();
    const rewrite = mountedPaths(container, { volumes, podIp });
    const told = await containerEnvironment({ pod, podIp, sources: this.#sources }, container, signal);
    const { hostname, port } = new URL(this.#deps.server);
    return {
      PATH: process.env['PATH'],
      ...compiledCode(),
      HOME: this.#folder,
      HOSTNAME: pod.metadata.name,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      KUBERNETES_SERVICE_PORT_HTTPS: port,
      // A path hard-coded in a program cannot be rewritten in its arguments.
      SERVICE_ACCOUNT_FOLDER: rewrite(SERVICE_ACCOUNT),
      ...Object.fromEntries(Object.entries(told).map(([name, value]) => [name, rewrite(value)])),
    };
  }

  async #refreshVolumes(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(REFRESH_MS, undefined, { signal }).catch(() => {});
      // A volume source that is missing for now leaves the files as they were, as on any node.
      if (!signal.aborted) await writeVolumes(this.#volumeDeps(), signal).catch(() => {});
    }
  }

  #volumeDeps(): Parameters<typeof writeVolumes>[0] {
    const { pod, podIp, volumes } = this.#places();
    return { pod, podIp, sources: this.#sources, folder: volumes };
  }

  #places(): { readonly pod: Pod; readonly podIp: string; readonly volumes: string } {
    return { pod: this.#pod, podIp: this.#podIp, volumes: join(this.#folder, 'volumes') };
  }

  #log(container: string): { readonly current: string; readonly previous: string } {
    return {
      current: join(this.#folder, `${container}.log`),
      previous: join(this.#folder, `${container}.previous.log`),
    };
  }
}

/** Linux has all of 127.0.0.0/8, so Pods do not compete for ports; other systems have one address. */
function loopbackAddress(): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  return `127.${randomInt(16, 250)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}
