import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startGuardian } from './guardian.ts';
import { PORT_COUNT, QUICK_SETTINGS, serverConfig } from './server-config.ts';

export interface TemporalServer {
  /** `127.0.0.1:port`, for gRPC. */
  readonly address: string;
  /** `http://127.0.0.1:port`, the same service as JSON. */
  readonly http: string;
  readonly pid: number;
  /** Everything it ever wrote is in here. */
  readonly folder: string;
  stop(): Promise<void>;
}

const START_MS = 60_000;

/**
 * A real Temporal server that keeps everything in memory, on ports of its own. It goes away with `stop`, or with this
 * process, even when that is killed. It never keeps this process alive.
 */
export async function startServer(program: string): Promise<TemporalServer> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-temporal-'));
  const guardian = startGuardian(folder);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const ports = await freePorts(PORT_COUNT);
      const server = spawnServer(program, folder, ports);
      guardian.watch(pidOf(server));
      const http = `http://127.0.0.1:${ports[0]}`;
      if (await isReady(server, http)) {
        return {
          address: `127.0.0.1:${ports[1]}`,
          http,
          pid: pidOf(server),
          folder,
          stop: async () => {
            await killServer(server);
            rmSync(folder, { recursive: true, force: true });
            await guardian.release();
          },
        };
      }
      await killServer(server);
      const said = readFileSync(join(folder, 'log'), 'utf8').slice(-4_000);
      // Another process may take a port between the look and the start.
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

function spawnServer(program: string, folder: string, ports: readonly number[]): ChildProcess {
  const dynamic = join(folder, 'dynamic.yaml');
  const config = join(folder, 'config.yaml');
  // JSON is YAML.
  writeFileSync(dynamic, JSON.stringify(QUICK_SETTINGS));
  writeFileSync(config, JSON.stringify(serverConfig(ports, dynamic)));
  const log = openSync(join(folder, 'log'), 'w');
  const server = spawn(program, ['--config-file', config, '--allow-no-auth', 'start'], {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
    // In a session of its own, so that Ctrl-C does not stop it under tests that are being wound up.
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  server.unref();
  return server;
}

async function isReady(server: ChildProcess, http: string): Promise<boolean> {
  const deadline = Date.now() + START_MS;
  while (!hasEnded(server) && Date.now() < deadline) {
    const answer = await fetch(`${http}/api/v1/namespaces`, { signal: AbortSignal.timeout(1_000) }).catch(
      () => undefined,
    );
    if (answer?.ok) return true;
    await delay(50);
  }
  return false;
}

/** Its memory is all that it has, so that there is nothing to wind up. */
async function killServer(server: ChildProcess): Promise<void> {
  if (hasEnded(server)) return;
  server.ref();
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}

function hasEnded(server: ChildProcess): boolean {
  return server.exitCode !== null || server.signalCode !== null;
}

function pidOf(server: ChildProcess): number {
  if (server.pid === undefined) throw new Error('start the Temporal server: the process has no pid');
  return server.pid;
}

/** All are held until the last one is found, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const ports = probes.map(portOf);
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')));
  return ports;
}

function portOf(probe: Server): number {
  const address = probe.address();
  if (address === null || typeof address === 'string') throw new Error('find a free port: the probe has no port');
  return address.port;
}
