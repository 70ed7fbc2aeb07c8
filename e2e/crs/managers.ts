import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { capiManager, startCapiManager } from '#testing/capi';
import { freePorts } from '#testing/free-ports';
import { startGuardian } from '#testing/guardian';
import { PATIENCE_MS } from '#testing/patience';
import { ServerProcess } from '#testing/server-process';

/** The managers of ClusterResourceSets: Cluster API's own, and ours. */
export const MANAGERS = ['upstream', 'ours'] as const;
export type ManagerKind = (typeof MANAGERS)[number];

export interface Manager {
  readonly kind: ManagerKind;
  readonly pid: number;
  said(): string;
  stop(): Promise<void>;
}

export interface ManagerOptions {
  /** Path of a kubeconfig with full rights on the management cluster. */
  readonly kubeconfig: string;
  readonly flags?: readonly string[];
  /** Path of an installed package of ours; the sources by default. */
  readonly fleetshift?: string;
}

const SOURCES = fileURLToPath(new URL('../../bin/fleetshift', import.meta.url));
const LOOK_MS = 50;

/** Undefined where Cluster API's manager is not available; one prominent line says so. */
export async function startManager(kind: ManagerKind, options: ManagerOptions): Promise<Manager | undefined> {
  if (kind === 'ours') return await startOurs(options);
  const program = await capiManager();
  if (program === undefined) return undefined;
  const { kubeconfig, flags = [] } = options;
  return { kind, ...(await startCapiManager({ program, kubeconfig, flags })) };
}

async function startOurs({ kubeconfig, flags = [], fleetshift = SOURCES }: ManagerOptions): Promise<Manager> {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-crs-'));
  const guardian = startGuardian(folder);
  const [health, metrics] = await freePorts(2);
  const args = [
    'crs',
    `--kubeconfig=${kubeconfig}`,
    `--health-listen=127.0.0.1:${health}`,
    `--metrics-listen=127.0.0.1:${metrics}`,
    ...flags,
  ];
  const manager = new ServerProcess({ program: fleetshift, args, folder, log: join(folder, 'log') });
  guardian.watch([manager.pid]);
  const stop = async (): Promise<void> => {
    await manager.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
    await guardian.release();
  };
  if (await isReady(manager, `http://127.0.0.1:${health}/readyz`)) {
    return { kind: 'ours', pid: manager.pid, said: () => manager.said, stop };
  }
  const { said } = manager;
  await stop();
  throw new Error(`start fleetshift crs: it said\n${said}`);
}

async function isReady(manager: ServerProcess, url: string): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!manager.hasEnded && Date.now() < deadline) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
    if (answer?.ok) return true;
    await delay(LOOK_MS);
  }
  return false;
}
