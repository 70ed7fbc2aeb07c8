import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../free-ports.ts';
import { PATIENCE_MS } from '../patience.ts';
import type { ServerProcess, ServerProcessOptions } from '../server-process.ts';

export interface EtcdOptions {
  readonly program: string;
  readonly folder: string;
  readonly spawn: (options: ServerProcessOptions) => ServerProcess;
}

/** The store of clusters. It does not sync to disk, so it would not survive a power cut; tests have none. */
export class Etcd {
  /** For clients. */
  readonly address: string;
  readonly #process: ServerProcess;

  static async start({ program, folder, spawn }: EtcdOptions): Promise<Etcd> {
    const [client = '', peer] = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`);
    const args = [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
      '--quota-backend-bytes=8589934592',
      '--log-level=warn',
    ];
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const etcd = spawn({ program, args, folder, log: join(folder, 'etcd.log') });
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    while (!(await isHealthy(`${client}/health`))) {
      if (etcd.hasEnded) throw new Error(`start etcd: it said\n${etcd.said}`);
      await delay(20, undefined, { signal: deadline });
    }
    return new Etcd(client, etcd);
  }

  private constructor(address: string, process: ServerProcess) {
    this.address = address;
    this.#process = process;
  }

  /** Drops the history up to now, as API servers do from time to time. */
  async compact(): Promise<void> {
    const { header } = await this.#call<{ header: { revision: string } }>('maintenance/status', {});
    await this.#call('kv/compaction', { revision: header.revision, physical: true });
  }

  async stop(): Promise<void> {
    await this.#process.stop('SIGKILL');
  }

  async #call<T>(path: string, body: object): Promise<T> {
    const answer = await fetch(`${this.address}/v3/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`ask etcd for ${path}: it said ${text}`);
    return JSON.parse(text) as T;
  }
}

async function isHealthy(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  return answer?.ok === true;
}
