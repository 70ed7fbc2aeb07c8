import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../free-ports.ts';
import type { ServerProcess, ServerProcessOptions } from '../server-process.ts';

const START_MS = 30_000;

export interface EtcdOptions {
  readonly program: string;
  readonly folder: string;
  readonly spawn: (options: ServerProcessOptions) => ServerProcess;
}

/** The store of every cluster of a run, at the address that it gives back. It forgets all in a power cut, which tests never have. */
export async function startEtcd({ program, folder, spawn }: EtcdOptions): Promise<string> {
  const [client, peer] = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`);
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
  const etcd = spawn({ program, args, folder, log: join(folder, 'etcd.log') });
  const deadline = AbortSignal.timeout(START_MS);
  while (!(await isHealthy(`${client}/health`))) {
    if (etcd.hasEnded) throw new Error(`start etcd: it said\n${etcd.said}`);
    await delay(20, undefined, { signal: deadline });
  }
  return client ?? '';
}

async function isHealthy(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return answer?.ok === true;
}
