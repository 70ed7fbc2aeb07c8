import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bareEnvironment } from '#testing/bare-environment';
import type { ExecutorNews, ExecutorOrders } from './executor-protocol.ts';
import type { WorkloadSignal } from './workload.ts';

export interface ExecutorProcessOptions {
  readonly program: URL;
  readonly orders: ExecutorOrders;
}

/** A real process that runs `runExecutor`. The caller has to end it. */
export class ExecutorProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown>;
  readonly #said: string[] = [];

  constructor({ program, orders }: ExecutorProcessOptions) {
    this.#child = spawn(process.execPath, [program.pathname, JSON.stringify(orders)], {
      env: bareEnvironment(orders.folder, {
        // A killed process cannot clean up after itself.
        TMPDIR: orders.folder,
      }),
    });
    this.#ended = once(this.#child, 'exit');
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => this.#said.push(text));
    // The process may be gone when it is written to.
    this.#child.stdin.on('error', () => {});
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  send(signal: WorkloadSignal): void {
    this.#child.stdin.write(`${JSON.stringify(signal)}\n`);
  }

  kill(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  /** Yields its messages until it ends. Throws if it failed without being killed. */
  async *news(): AsyncGenerator<ExecutorNews> {
    for await (const line of createInterface({ input: this.#child.stdout })) {
      const news = parsed(line);
      if (news !== undefined) yield news;
      else this.#said.push(`half a line: ${line}`);
    }
    await this.#ended;
    const { exitCode, signalCode } = this.#child;
    if (exitCode === 0 || signalCode === 'SIGKILL') return;
    throw new Error(`the executor ended with ${exitCode ?? signalCode} and said:\n${this.#said.join('')}`);
  }
}

/** A process may be killed in the middle of a line. */
function parsed(line: string): ExecutorNews | undefined {
  try {
    return JSON.parse(line) as ExecutorNews;
  } catch {
    return undefined;
  }
}
