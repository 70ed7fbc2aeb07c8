import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** A process that executes requests one after the other; `answerParent` is its other side. */
export class Child {
  readonly #process: ChildProcess;
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #ids = 0;

  constructor(program: URL, flags: readonly string[] = []) {
    const execArgv = ['--expose-gc', ...flags];
    this.#process = fork(fileURLToPath(program), { serialization: 'advanced', execArgv });
    this.#process.on('message', ({ id, value, error }: Answer) => {
      const asked = this.#asked.get(id);
      this.#asked.delete(id);
      if (error === undefined) asked?.resolve(value);
      else asked?.reject(new Error(error));
    });
    this.#process.on('exit', (code, signal) => {
      for (const asked of this.#asked.values()) asked.reject(new Error(`${program.pathname} ended: ${code ?? signal}`));
      this.#asked.clear();
    });
  }

  /** Resident memory, after garbage collection. */
  async restingBytes(): Promise<number> {
    await this.ask('collect');
    return residentBytes(this.#process.pid);
  }

  ask<T>(what: string, order?: unknown): Promise<T> {
    const id = ++this.#ids;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#asked.set(id, { resolve, reject });
    this.#process.send({ id, what, order });
    return promise as Promise<T>;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}

/** Resident memory of any process; zero where there is no /proc. */
export function residentBytes(pid: number | undefined): number {
  try {
    const [, kib = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kib) * 1024;
  } catch {
    return Number.NaN;
  }
}
