import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { issueServerPair, makeAuthority } from '../clusters/certificate-authority.ts';
import { freePorts } from '../free-ports.ts';
import { startGuardian } from '../guardian.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ServerProcess } from '../server-process.ts';

export interface CapiManagerOptions {
  /** From `findCapiManager`. */
  readonly program: string;
  /** Path of a kubeconfig with full rights on the management cluster. */
  readonly kubeconfig: string;
  /** Added to the flags needed to run here. */
  readonly flags?: readonly string[];
}

export interface CapiManager {
  readonly pid: number;
  /** `http://127.0.0.1:port/metrics` */
  readonly metrics: string;
  /** The last part of its output. */
  said(): string;
  /** Sends SIGTERM and waits for the exit. */
  stop(): Promise<void>;
}

const LOOK_MS = 50;
const ATTEMPTS = 5;
const AGAIN_MS = 500;
/** Transient: another process took the port before the start, or a kind was looked up before the server published it. */
const PASSES = /address already in use|no matches for kind/;

/**
 * Starts Cluster API's manager on a management cluster that has all of its definitions; ready once its caches are. It
 * ends with `stop`, or with this process, even when that is killed.
 */
export async function startCapiManager(options: CapiManagerOptions): Promise<CapiManager> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-capi-'));
  const guardian = startGuardian(folder);
  const remove = async (): Promise<void> => {
    rmSync(folder, { recursive: true, force: true });
    await guardian.release();
  };
  try {
    for (let attempt = 1; ; attempt += 1) {
      const ports = await freePorts(3);
      const manager = spawnManager(options, folder, ports);
      guardian.watch([manager.pid]);
      const [, diagnostics, health] = ports;
      if (await isReady(manager, `http://127.0.0.1:${health}/readyz`)) {
        return {
          pid: manager.pid,
          metrics: `http://127.0.0.1:${diagnostics}/metrics`,
          said: () => manager.said,
          stop: async () => {
            await manager.stop('SIGTERM');
            await remove();
          },
        };
      }
      await manager.stop('SIGKILL');
      const { said } = manager;
      if (attempt === ATTEMPTS || !PASSES.test(said))
        throw new Error(`start Cluster API's manager: failed with\n${said}`);
      await delay(AGAIN_MS);
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * DECISION: the manager's webhook server listens on every address of the machine, and no flag changes that. A network
 * namespace would isolate it, but the run's API servers are outside of it, and a relay between them would distort
 * measurements. So it gets a free port and a throwaway certificate. No webhook is registered, and a request from
 * elsewhere learns only about the object it sends.
 */
function spawnManager(
  { program, kubeconfig, flags = [] }: CapiManagerOptions,
  folder: string,
  [webhooks, diagnostics, health]: readonly number[],
): ServerProcess {
  const { cert, key } = issueServerPair(makeAuthority(), ['localhost']);
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key, { mode: 0o600 });
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--webhook-cert-dir=${folder}`,
    `--webhook-port=${webhooks}`,
    `--diagnostics-address=127.0.0.1:${diagnostics}`,
    '--insecure-diagnostics',
    `--health-addr=127.0.0.1:${health}`,
    // There is nothing to migrate, and a migration would change definitions while others use them.
    '--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields',
    ...flags,
  ];
  return new ServerProcess({ program, args, folder, log: join(folder, 'log') });
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
