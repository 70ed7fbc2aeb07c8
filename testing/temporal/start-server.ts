import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../free-ports.ts';
import { startGuardian } from '../guardian.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ServerProcess } from '../server-process.ts';
import { PORT_COUNT, QUICK_SETTINGS, serverConfig } from './server-config.ts';

export interface TemporalServer {
  /** `127.0.0.1:port`, for gRPC. */
  readonly address: string;
  /** `http://127.0.0.1:port`, the same service as JSON. */
  readonly http: string;
  readonly pid: number;
  /** Holds everything the server writes. */
  readonly folder: string;
  stop(): Promise<void>;
}

/**
 * Starts a real Temporal server that keeps everything in memory, on its own ports. It ends with `stop`, or with this
 * process, even when that is killed. It never keeps this process alive.
 */
export async function startServer(program: string): Promise<TemporalServer> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-temporal-'));
  const guardian = startGuardian(folder);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const ports = await freePorts(PORT_COUNT);
      const server = spawnServer(program, folder, ports);
      guardian.watch([server.pid]);
      const http = `http://127.0.0.1:${ports[0]}`;
      if (await isReady(server, http)) {
        return {
          address: `127.0.0.1:${ports[1]}`,
          http,
          pid: server.pid,
          folder,
          stop: async () => {
            // Its state is in memory only, so nothing needs an orderly shutdown.
            await server.stop('SIGKILL');
            rmSync(folder, { recursive: true, force: true });
            await guardian.release();
          },
        };
      }
      await server.stop('SIGKILL');
      const { said } = server;
      // Another process may take a port before the server starts.
      if (attempt === 3 || !/address already in use/.test(said)) {
        throw new Error(`start the Temporal server: it said\n${said}`);
      }
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    await guardian.release();
    throw error;
  }
}

function spawnServer(program: string, folder: string, ports: readonly number[]): ServerProcess {
  const dynamic = join(folder, 'dynamic.yaml');
  const config = join(folder, 'config.yaml');
  // JSON is valid YAML.
  writeFileSync(dynamic, JSON.stringify(QUICK_SETTINGS));
  writeFileSync(config, JSON.stringify(serverConfig(ports, dynamic)));
  return new ServerProcess({ program, args: [config], folder, log: join(folder, 'log') });
}

async function isReady(server: ServerProcess, http: string): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!server.hasEnded && Date.now() < deadline) {
    const answer = await fetch(`${http}/api/v1/namespaces`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
      () => undefined,
    );
    if (answer?.ok) return true;
    await delay(50);
  }
  return false;
}
