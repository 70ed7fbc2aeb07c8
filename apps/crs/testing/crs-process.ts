import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '#testing/free-ports';
import { startGuardian } from '#testing/guardian';
import { LAUNCHER } from '#testing/product';
import { ServerProcess } from '#testing/server-process';

const LOOK_MS = 50;

export interface CrsProcessOptions {
  readonly kubeconfig: string;
  readonly flags?: readonly string[];
}

/** `fleetshift crs` as a separate process, stopped after its test. */
export class CrsProcess {
  readonly #process: ServerProcess;
  readonly #log: string;
  readonly #url: string;

  private constructor(process: ServerProcess, log: string, url: string) {
    this.#process = process;
    this.#log = log;
    this.#url = url;
  }

  static async start(
    t: { after(fn: () => Promise<void>): void },
    { kubeconfig, flags = [] }: CrsProcessOptions,
  ): Promise<CrsProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-crs-test-'));
    const guardian = startGuardian(folder);
    const [port] = await freePorts(1);
    const at = `127.0.0.1:${port}`;
    const log = join(folder, 'log');
    const args = ['crs', `--kubeconfig=${kubeconfig}`, `--health-listen=${at}`, `--metrics-listen=${at}`, ...flags];
    const process = new ServerProcess({ program: LAUNCHER, args, folder, log });
    guardian.watch([process.pid]);
    t.after(async () => {
      await process.stop('SIGTERM');
      await rm(folder, { recursive: true, force: true });
      await guardian.release();
    });
    return new CrsProcess(process, log, `http://${at}`);
  }

  get hasEnded(): boolean {
    return this.#process.hasEnded;
  }

  async said(): Promise<string> {
    return await readFile(this.#log, 'utf8');
  }

  async stop(): Promise<void> {
    await this.#process.stop('SIGTERM');
  }

  async ready(signal: AbortSignal): Promise<void> {
    await this.until(async () => (await this.get('/readyz', signal))?.status === 200, signal);
  }

  async get(path: string, signal: AbortSignal): Promise<Response | undefined> {
    return await fetch(`${this.#url}${path}`, { signal }).catch(() => undefined);
  }

  async metrics(signal: AbortSignal): Promise<string> {
    return (await (await this.get('/metrics', signal))?.text()) ?? '';
  }

  /** Waits until the condition holds. If the process ends meanwhile, throws an error with its log. */
  async until(holds: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    while (!(await holds())) {
      if (this.hasEnded) throw new Error(`fleetshift crs has ended; it said\n${await this.said()}`);
      await delay(LOOK_MS, undefined, { signal });
    }
  }

  async ended(signal: AbortSignal): Promise<string> {
    while (!this.hasEnded) await delay(LOOK_MS, undefined, { signal });
    return await this.said();
  }
}
