import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../free-ports.ts';
import { PATIENCE_MS } from '../patience.ts';
import type { ServerProcess, ServerProcessOptions } from '../server-process.ts';
import { ApiClient } from './api-client.ts';
import { ClusterFiles } from './cluster-files.ts';
import { apiServerFlags, controllerManagerFlags, kwokFlags, schedulerFlags } from './cluster-programs.ts';
import type { PodRunDeps } from './pod-runner/pod-run.ts';
import { PodRunner } from './pod-runner/pod-runner.ts';
import type { ClusterSize, Program } from './programs.ts';
import { POD_TOOLS, podToolDefinition, simulatedNode, simulationDocuments } from './simulated-nodes.ts';

export interface ControlPlaneOptions {
  readonly name: string;
  readonly size: ClusterSize;
  readonly folder: string;
  /** etcd's client address. */
  readonly etcd: string;
  readonly program: (program: Program) => Promise<string>;
  /** Starts a process that ends when its host ends. */
  readonly spawn: (options: ServerProcessOptions) => ServerProcess;
  /** Makes a process that is already running end with the host. */
  readonly adopt: PodRunDeps['adopt'];
  readonly apiServerFlags: readonly string[];
}

const LOOK_MS = 25;
const NODE_NAME = 'node-1';

/** One cluster: its own API server, with its own prefix in the shared etcd, and the programs its size adds. */
export class ControlPlane {
  readonly files: ClusterFiles;
  readonly api: ApiClient;
  readonly #options: ControlPlaneOptions;
  readonly #port: number;
  readonly #helpers: ServerProcess[] = [];
  #apiServer: ServerProcess | undefined;
  #podRunner: PodRunner | undefined;

  static async start(options: ControlPlaneOptions): Promise<ControlPlane> {
    const [port = 0] = await freePorts(1);
    const plane = new ControlPlane(options, port);
    try {
      await plane.startApiServer();
      await plane.#startHelpers();
      return plane;
    } catch (error) {
      await plane.close();
      throw error;
    }
  }

  private constructor(options: ControlPlaneOptions, port: number) {
    this.#options = options;
    this.#port = port;
    this.files = new ClusterFiles(options.folder, `https://127.0.0.1:${port}`);
    this.files.make();
    this.api = new ApiClient({
      server: this.files.server,
      ca: this.files.authority.cert,
      token: this.files.adminToken,
    });
  }

  get pid(): number | undefined {
    return this.#apiServer?.pid;
  }

  async startApiServer(): Promise<void> {
    if (this.#apiServer?.hasEnded === false) return;
    const { etcd, name, size, apiServerFlags: more } = this.#options;
    const flags = apiServerFlags({ files: this.files, size, etcd, name, port: this.#port, more });
    this.#apiServer = await this.#spawn('kube-apiserver', flags);
    const server = this.#apiServer;
    await this.#untilAnswers(server, '/readyz');
    await this.#untilAnswers(server, '/api/v1/namespaces/default');
  }

  /** Killed, as in a crash: nothing needs an orderly shutdown. */
  async stopApiServer(): Promise<void> {
    await this.#apiServer?.stop('SIGKILL');
  }

  async close(): Promise<void> {
    await this.#podRunner?.close();
    await Promise.all(this.#helpers.map((helper) => helper.stop('SIGKILL')));
    await this.stopApiServer();
    this.api.close();
  }

  async #startHelpers(): Promise<void> {
    const { size } = this.#options;
    if (size === 'apiserver') return;
    await Promise.all([this.#startControllers(), size === 'nodes' && this.#startNodes()]);
  }

  async #startControllers(): Promise<void> {
    const manager = await this.#help('kube-controller-manager', controllerManagerFlags(this.files));
    // The last object that the controllers create at startup.
    await this.#untilAnswers(manager, '/api/v1/namespaces/default/serviceaccounts/default');
  }

  async #startNodes(): Promise<void> {
    const { adopt } = this.#options;
    const { api, files } = this;
    const [port = 0] = await freePorts(1);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    for (const tool of POD_TOOLS) {
      await api.send(
        'POST',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        podToolDefinition(tool),
        signal,
      );
    }
    const scheduler = await this.#help('kube-scheduler', schedulerFlags(files));
    for (const { plural } of POD_TOOLS) await this.#untilAnswers(scheduler, `/apis/kwok.x-k8s.io/v1alpha1/${plural}`);
    const logs = files.write('simulated.log', `${new Date().toISOString()} stdout F this Pod is simulated\n`);
    const config = files.write('kwok.yaml', simulationDocuments(logs));
    const kwok = await this.#help('kwok', kwokFlags(files, port, config));
    await api.send('POST', '/api/v1/nodes', simulatedNode(NODE_NAME), signal);
    await this.#until(kwok, async (limit) => isReady(await api.find<NodeObject>(`/api/v1/nodes/${NODE_NAME}`, limit)));
    this.#podRunner = new PodRunner({ api, adopt, server: files.server, folder: files.path('pods') });
  }

  async #help(program: Program, flags: readonly string[]): Promise<ServerProcess> {
    const helper = await this.#spawn(program, flags);
    this.#helpers.push(helper);
    return helper;
  }

  async #spawn(program: Program, args: readonly string[]): Promise<ServerProcess> {
    const { folder, spawn } = this.#options;
    return spawn({
      program: await this.#options.program(program),
      args,
      folder,
      log: this.files.path(`${program}.log`),
    });
  }

  async #untilAnswers(server: ServerProcess, path: string): Promise<void> {
    await this.#until(server, (signal) => this.api.answers(path, signal));
  }

  async #until(server: ServerProcess, isSo: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    while (!(await isSo(deadline))) {
      if (server.hasEnded)
        throw new Error(`start cluster ${this.#options.name}: a program ended, and said\n${server.said}`);
      await delay(LOOK_MS, undefined, { signal: deadline });
    }
  }
}

interface NodeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function isReady(node: NodeObject | undefined): boolean {
  return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}
