import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Guardian, startGuardian } from '../guardian.ts';
import { ServerProcess, type ServerProcessOptions } from '../server-process.ts';
import { ControlPlane } from './control-plane.ts';
import { Etcd } from './etcd.ts';
import { type ClusterSize, findProgram, PROGRAMS_OF, type Program } from './programs.ts';

/** The facts about a cluster that a test process needs; the rest is in its folder. */
export interface ClusterFacts {
  readonly name: string;
  readonly size: ClusterSize;
  readonly server: string;
  readonly folder: string;
  /** Pid of the API server. */
  readonly pid: number;
}

export interface ClusterOrder {
  readonly size: ClusterSize;
  readonly name: string;
  readonly apiServerFlags?: readonly string[];
  readonly ownEtcd?: boolean;
}

export interface HostOptions {
  readonly log: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Owns every cluster of a run: one etcd, one shared cluster of each size, and those that single tests request. Everything
 * it started ends with `close`, or with its process, even when that is killed.
 */
export class ClusterHost {
  readonly folder: string;
  readonly #options: HostOptions;
  readonly #guardian: Guardian;
  readonly #processes = new Set<OwnedProcess>();
  readonly #clusters = new Map<string, Promise<ControlPlane>>();
  readonly #sizes = new Map<string, ClusterSize>();
  readonly #ownEtcds = new Map<string, Etcd>();
  #etcd: Promise<Etcd> | undefined;
  #last = 0;

  static async open(options: HostOptions): Promise<ClusterHost> {
    // A short name: the sockets of Pods are deep inside it, and a socket path has about 100 bytes.
    return new ClusterHost(await mkdtemp(join(tmpdir(), 'fsc-')), options);
  }

  private constructor(folder: string, options: HostOptions) {
    this.folder = folder;
    this.#options = options;
    this.#guardian = startGuardian(folder);
  }

  /** Finds or builds the programs for a cluster of this size. */
  async prepare(size: ClusterSize): Promise<void> {
    for (const program of PROGRAMS_OF[size]) await this.#find(program);
  }

  async shared(size: ClusterSize): Promise<ClusterFacts> {
    const name = `shared-${size}`;
    if (!this.#clusters.has(name)) this.#create({ size, name });
    return await this.facts(name);
  }

  /** Creates another cluster, under a name of its own. */
  async create({ name, ...order }: ClusterOrder): Promise<ClusterFacts> {
    this.#last += 1;
    const unique = `${name}-${this.#last}`;
    this.#create({ ...order, name: unique });
    return await this.facts(unique);
  }

  async facts(name: string): Promise<ClusterFacts> {
    const plane = await this.#plane(name);
    const { server, folder } = plane.files;
    return { name, size: this.#sizes.get(name) ?? 'apiserver', server, folder, pid: plane.pid ?? 0 };
  }

  async stop(name: string): Promise<void> {
    await (await this.#plane(name)).stopApiServer();
  }

  async start(name: string): Promise<ClusterFacts> {
    await (await this.#plane(name)).startApiServer();
    return await this.facts(name);
  }

  async compact(name: string): Promise<void> {
    const etcd = this.#ownEtcds.get(name);
    if (!etcd) throw new Error(`compact the etcd of cluster ${name}: others use it; ask for one of its own`);
    await etcd.compact();
  }

  async remove(name: string): Promise<void> {
    const plane = await this.#plane(name);
    this.#clusters.delete(name);
    this.#sizes.delete(name);
    await plane.close();
    await this.#ownEtcds.get(name)?.stop();
    this.#ownEtcds.delete(name);
    await rm(plane.files.folder, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#clusters.values()].map(async (plane) => await (await plane).close()));
    await Promise.all([...this.#processes].map((process) => process.stop('SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true });
    await this.#guardian.release();
  }

  async #plane(name: string): Promise<ControlPlane> {
    const plane = this.#clusters.get(name);
    if (plane === undefined) throw new Error(`find cluster ${name}: there is none of that name`);
    return await plane;
  }

  #create(order: ClusterOrder): void {
    const plane = this.#startPlane(order);
    plane.catch(() => this.#clusters.delete(order.name));
    this.#clusters.set(order.name, plane);
    this.#sizes.set(order.name, order.size);
  }

  async #startPlane({ name, size, apiServerFlags = [], ownEtcd = false }: ClusterOrder): Promise<ControlPlane> {
    await this.prepare(size);
    const folder = join(this.folder, name);
    const etcd = ownEtcd ? await this.#startEtcd(folder) : await this.#sharedEtcd();
    if (ownEtcd) this.#ownEtcds.set(name, etcd);
    return await ControlPlane.start({
      name,
      size,
      apiServerFlags,
      folder,
      etcd: etcd.address,
      program: (program) => this.#find(program),
      spawn: this.#spawn,
      adopt: this.#adopt,
    });
  }

  #sharedEtcd(): Promise<Etcd> {
    this.#etcd ??= this.#startEtcd(this.folder);
    return this.#etcd;
  }

  async #startEtcd(folder: string): Promise<Etcd> {
    return await Etcd.start({ program: await this.#find('etcd'), folder, spawn: this.#spawn });
  }

  #find(program: Program): Promise<string> {
    return findProgram(program, this.#options);
  }

  readonly #spawn = (options: ServerProcessOptions): ServerProcess => {
    const started = new ServerProcess(options);
    this.#adopt(started);
    return started;
  };

  readonly #adopt = (started: OwnedProcess): void => {
    for (const process of this.#processes) if (process.hasEnded) this.#processes.delete(process);
    this.#processes.add(started);
    this.#guardian.watch([...this.#processes].map(({ pid }) => pid));
  };
}

interface OwnedProcess {
  readonly pid: number;
  readonly hasEnded: boolean;
  stop(signal: NodeJS.Signals): Promise<void>;
}
