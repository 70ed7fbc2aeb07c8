import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestCluster } from '#testing/clusters';
import { freePorts } from '../../testing/free-ports.ts';
import { startGuardian } from '../../testing/guardian.ts';

export interface OcmProcesses {
  /** The manager's and those of the agents. */
  readonly pids: readonly number[];
  /** Throws when one of them has ended, with what it said last. */
  check(): void;
  stop(): Promise<void>;
}

export interface OcmOptions {
  readonly program: string;
  readonly hub: TestCluster;
  readonly members: readonly { readonly name: string; readonly cluster: TestCluster }[];
}

/**
 * One work manager on the hub, and one work agent for each member, with the flags' defaults. Only leader election is off: it
 * would delay the start, and nothing afterwards.
 */
export async function startOcm({ program, hub, members }: OcmOptions): Promise<OcmProcesses> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-ocm-'));
  const guardian = startGuardian(folder);
  const hubConfig = join(folder, 'hub.kubeconfig');
  writeFileSync(hubConfig, hub.kubeconfig(), { mode: 0o600 });
  const [port, ...ports] = await freePorts(members.length + 1);
  const start = (name: string, args: readonly string[]): OcmProcess =>
    new OcmProcess(program, [...args, '--disable-leader-election', '--namespace=default'], { folder, name });
  const manager = start('manager', ['manager', `--kubeconfig=${hubConfig}`, `--listen=127.0.0.1:${port}`]);
  const agents = members.map(({ name, cluster }, nth) => {
    const config = join(folder, `${name}.kubeconfig`);
    writeFileSync(config, cluster.kubeconfig(), { mode: 0o600 });
    return start(name, [
      'agent',
      `--spoke-cluster-name=${name}`,
      `--kubeconfig=${config}`,
      `--workload-source-config=${hubConfig}`,
      `--listen=127.0.0.1:${ports[nth]}`,
    ]);
  });
  const processes = [manager, ...agents];
  guardian.watch(processes.map(({ pid }) => pid));
  return {
    pids: processes.map(({ pid }) => pid),
    check: () => {
      const ended = processes.find(({ hasEnded }) => hasEnded);
      if (ended !== undefined) throw new Error(`run Open Cluster Management: a process ended and said\n${ended.said}`);
    },
    stop: async () => {
      await Promise.all(processes.map(async (each) => await each.stop()));
      await rm(folder, { recursive: true, force: true });
      await guardian.release();
    },
  };
}

/**
 * In the session of the bench, as the processes that it is compared with: Linux shares a busy machine among sessions first
 * (autogroups), and a process in a session of its own would get as much as all of those together.
 */
class OcmProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #log: string;

  constructor(
    program: string,
    args: readonly string[],
    { folder, name }: { readonly folder: string; readonly name: string },
  ) {
    this.#log = join(folder, `${name}.log`);
    const output = openSync(this.#log, 'w');
    const env = { PATH: '/usr/bin:/bin', HOME: folder };
    this.#child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', output, output] });
    closeSync(output);
    if (this.#child.pid === undefined) throw new Error(`start ${program}: it cannot be run`);
    this.pid = this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get said(): string {
    return readFileSync(this.#log, 'utf8').slice(-4_000);
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
