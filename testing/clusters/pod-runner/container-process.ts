import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface ContainerProcessOptions {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  /** The log file, in the format of container runtimes. */
  readonly log: string;
}

export interface ContainerExit {
  readonly exitCode: number;
  readonly startedAt: string;
  readonly finishedAt: string;
}

const KILLED = 128;

/** A container's program as a process of this machine. */
export class ContainerProcess {
  readonly pid: number;
  readonly startedAt = new Date().toISOString();
  readonly ended: Promise<ContainerExit>;
  readonly #child: ChildProcess;

  constructor({ command: [program = '', ...args], env, folder, log }: ContainerProcessOptions) {
    const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    child.on('error', () => {});
    if (child.pid === undefined) throw new Error(`start ${program}: it cannot be run`);
    this.pid = child.pid;
    this.#child = child;
    const lines = createWriteStream(log, { flags: 'w' }).on('error', () => {});
    const copy = (stream: Readable, name: string): void => {
      createInterface({ input: stream }).on('line', (line) =>
        lines.write(`${new Date().toISOString()} ${name} F ${line}\n`),
      );
    };
    copy(child.stdout, 'stdout');
    copy(child.stderr, 'stderr');
    this.ended = this.#exit().finally(() => lines.end());
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Signals the process group to end, and kills it if that takes longer than `patienceMs`. */
  async stop(signal: NodeJS.Signals, patienceMs = 0): Promise<void> {
    if (this.hasEnded) return;
    this.#signal(signal);
    const patience = setTimeout(() => this.#signal('SIGKILL'), patienceMs);
    await this.ended;
    clearTimeout(patience);
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch {
      // It has just ended.
    }
  }

  async #exit(): Promise<ContainerExit> {
    const [code, signal] = (await once(this.#child, 'close')) as [number | null, NodeJS.Signals | null];
    const exitCode = code ?? KILLED + (signal === 'SIGKILL' ? 9 : 15);
    return { exitCode, startedAt: this.startedAt, finishedAt: new Date().toISOString() };
  }
}
