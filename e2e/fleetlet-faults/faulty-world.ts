import { type ChildProcess, fork } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { issueAuthorityCertificate, issuePeerCertificate, issueServerCertificate } from '#kit/pki';
import { IdentityStore } from '#runtime/fleetlet/identity/identity-store';
import { bareEnvironment } from '#testing/bare-environment';
import { type Guardian, startGuardian } from '#testing/guardian';
import { PATIENCE_MS } from '#testing/patience';
import { seededRandom } from '#testing/seeded';
import type { FaultProxy } from '../../testing/fault-proxy/fault-proxy.ts';
import { startFaultProxy } from '../../testing/fault-proxy/start-fault-proxy.ts';
import { Journal } from './journal.ts';
import type { Goal } from './numbered-sender.ts';

export const TRANSPORTS = ['grpc', 'websocket'] as const;
export type TransportName = (typeof TRANSPORTS)[number];
const ENDS = ['platform', 'fleetlet', 'local'] as const;
export type End = (typeof ENDS)[number];

/** A connection is dropped after three silent intervals; many stalls last longer than that. */
const HEARTBEAT_MS = 150;
export const FLEETLET = '01920000-0000-7000-8000-000000000001';
const DAY_MS = 86_400_000;

/**
 * A platform end, a fleetlet and a local process, each a real process, with an unreliable network in front of the
 * platform end.
 */
export class FaultyWorld {
  readonly transport: TransportName;
  readonly journals: Readonly<Record<'platform' | 'local', Journal>>;
  readonly #folder: string;
  readonly #guardian: Guardian;
  readonly #running = new Map<End, ChildProcess>();
  /** The proxy reads this for each connection: a restarted platform has other ports. */
  readonly #place = { host: '127.0.0.1', port: 0 };
  readonly #orders: string;
  readonly #proxy: FaultProxy;
  #goal: Goal = { upTo: {}, pauseMs: 0 };

  static async create(transport: TransportName, seed: number): Promise<FaultyWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-fleetlet-faults-'));
    const place = { host: '127.0.0.1', port: 0 };
    const proxy = await startFaultProxy({ target: place, random: seededRandom(seed) });
    const world = new FaultyWorld({ transport, folder, place, proxy });
    try {
      for (const end of ENDS) await world.start(end);
    } catch (error) {
      await world.dispose();
      throw error;
    }
    return world;
  }

  private constructor(parts: {
    readonly transport: TransportName;
    readonly folder: string;
    readonly place: { host: string; port: number };
    readonly proxy: FaultProxy;
  }) {
    const { transport, folder, place, proxy } = parts;
    this.transport = transport;
    this.#folder = folder;
    this.#place = place;
    this.#proxy = proxy;
    this.#guardian = startGuardian(folder);
    this.journals = { platform: new Journal(folder, 'platform'), local: new Journal(folder, 'local') };
    const serving = enrol(join(folder, 'data'));
    this.#orders = JSON.stringify({ folder, ...serving, heartbeatMs: HEARTBEAT_MS });
  }

  get proxy(): FaultProxy {
    return this.#proxy;
  }

  /** Sets the number of messages that both ends are to have sent. */
  reach(goal: Goal): void {
    this.#goal = goal;
    for (const end of ['platform', 'local'] as const) this.#running.get(end)?.send(goal);
  }

  async start(end: End): Promise<void> {
    const child = this.#spawn(end);
    if (end === 'platform') this.#place.port = (await firstWord(child))[this.transport];
    if (end !== 'fleetlet') child.send(this.#goal);
  }

  /** SIGKILL, as by the kernel's OOM killer. */
  async kill(end: End): Promise<void> {
    const child = this.#running.get(end);
    if (child === undefined || !isAlive(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** The fleetlet's own metrics; `undefined` while it does not answer. */
  async metrics(): Promise<string | undefined> {
    const [, port] = /"address":"127.0.0.1:(\d+)","msg":"metrics"/.exec(this.#log('fleetlet')) ?? [];
    if (port === undefined) return undefined;
    const answer = fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(2_000) });
    return await answer.then((response) => response.text()).catch(() => undefined);
  }

  /** The last output of the process since its latest start. */
  said(end: End): string {
    return this.#log(end).slice(-8_000);
  }

  /** A process that ended without being killed. */
  get gone(): End | undefined {
    return ENDS.find((end) => this.#running.get(end)?.exitCode !== null);
  }

  async dispose(): Promise<void> {
    await Promise.all(ENDS.map((end) => this.kill(end)));
    await this.#proxy.close();
    await rm(this.#folder, { recursive: true, force: true });
    await this.#guardian.release();
  }

  #log(end: End): string {
    return readFileSync(join(this.#folder, `${end}.log`), 'utf8');
  }

  #spawn(end: End): ChildProcess {
    const [program, args] = this.#commandOf(end);
    const log = openSync(join(this.#folder, `${end}.log`), 'w');
    const child = fork(fileURLToPath(program), args, {
      cwd: this.#folder,
      env: bareEnvironment(this.#folder, { NODE_NO_WARNINGS: '1' }),
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#running.set(end, child);
    this.#guardian.watch([...this.#running.values()].flatMap(({ pid }) => pid ?? []));
    return child;
  }

  #commandOf(end: End): [URL, string[]] {
    const data = join(this.#folder, 'data');
    if (end === 'platform') return [new URL('./platform-end.ts', import.meta.url), [this.#orders]];
    if (end === 'local') {
      return [new URL('./local-end.ts', import.meta.url), [this.#folder, join(data, 'fleetlet.sock')]];
    }
    const { port } = this.#proxy.address;
    const platform = this.transport === 'grpc' ? `localhost:${port}` : `wss://localhost:${port}`;
    const flags = ['--platform', platform, '--data', data, '--metrics-listen', '127.0.0.1:0', '--log-format', 'json'];
    return [new URL('./fleetlet-program.ts', import.meta.url), flags];
  }
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** The ports the process listens on. */
async function firstWord(child: ChildProcess): Promise<Record<TransportName, number>> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('start the platform: it ended');
  });
  const [ports] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Record<TransportName, number>];
  ended.catch(() => {});
  return ports;
}

/** Gives the fleetlet its certificate, as its first start would, and the platform one from the same authority. */
export function enrol(data: string): { readonly cert: string; readonly key: string } {
  const [own, serving] = [keyPair(), keyPair()];
  const authority = { name: 'test authority', key: own.privateKey };
  const life = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const store = new IdentityStore(data);
  const [uri, dnsName] = [`fleetshift://fleetlet/${FLEETLET}`, `${FLEETLET}.fleetlet.fleetshift.internal`];
  const publicKey = createPublicKey(store.key);
  const pem = issuePeerCertificate(authority, { name: FLEETLET, uri, dnsName, publicKey, ...life });
  const serverCa = issueAuthorityCertificate(authority, life.notBefore, life.notAfter);
  store.save({ key: store.key, pem, platform: { fleetlet: FLEETLET, serverCa, endpoints: {} } });
  const names = ['localhost', '127.0.0.1'];
  const cert = issueServerCertificate(authority, { name: 'localhost', names, publicKey: serving.publicKey, ...life });
  return { cert, key: serving.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}
