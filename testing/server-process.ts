import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { compiledCode } from './bare-environment.ts';
import { PATIENCE_MS } from './patience.ts';

export interface ServerProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** Receives all output. */
  readonly log: string;
  /** Replaces the caller's environment: a stray variable would change what is tested. */
  readonly env?: NodeJS.ProcessEnv;
  readonly account?: { readonly uid?: number; readonly gid?: number };
}

/** Go servers live for seconds here: garbage collection would be a fifth of their work. */
const FOR_GO = { GOGC: '400' };

/** A server for tests. It never keeps this process alive, and Ctrl-C does not reach it. */
export class ServerProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #log: string;

  constructor({ program, args, folder, log, env = {}, account = {} }: ServerProcessOptions) {
    const output = openSync(log, 'w');
    this.#child = spawn(program, args, {
      ...account,
      cwd: folder,
      env: { ...FOR_GO, PATH: '/usr/bin:/bin', TZ: 'UTC', ...compiledCode(), ...env },
      // In its own session, so that Ctrl-C does not stop it while tests are still cleaning up.
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    this.#child.on('error', () => {});
    this.#child.unref();
    if (this.#child.pid === undefined) throw new Error(`start ${program}: it cannot be run`);
    this.pid = this.#child.pid;
    this.#log = log;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The last part of its output. */
  get said(): string {
    return readFileSync(this.#log, 'utf8').slice(-4_000);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Signals it to end, and kills it if that takes longer than `patienceMs`. */
  async stop(signal: NodeJS.Signals, patienceMs = PATIENCE_MS): Promise<void> {
    if (this.hasEnded) return;
    this.#child.ref();
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), patienceMs);
    await ended;
    clearTimeout(patience);
  }
}
