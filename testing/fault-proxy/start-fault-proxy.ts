import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { SeededRandom } from '../seeded.ts';
import type { FaultProxy } from './fault-proxy.ts';
import { type FaultStep, playFaults } from './fault-schedule.ts';
import { type CutHow, ProxiedConnection } from './proxied-connection.ts';
import { SharedLink } from './shared-link.ts';
import { DIRECTIONS, type Direction, FAIR, type Weather } from './weather.ts';

export interface FaultProxyOptions {
  readonly target: { readonly host: string; readonly port: number } | { readonly path: string };
  /** Source of random delays for new connections. */
  readonly random: SeededRandom;
}

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new TcpFaultProxy(options);
  await proxy.listen();
  return proxy;
}

class TcpFaultProxy implements FaultProxy {
  readonly #options: FaultProxyOptions;
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#taken(client));
  readonly #connections = new Set<ProxiedConnection>();
  readonly #waiting = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #weather: Weather = FAIR;
  #isRefusing = false;
  #connectDelayMs = 0;
  #cut: { left: number; readonly how: CutHow } | undefined;
  #bytes = 0;

  constructor(options: FaultProxyOptions) {
    this.#options = options;
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port };
  }

  get bytes(): number {
    return this.#bytes;
  }

  get connections(): number {
    return this.#connections.size;
  }

  cutAll(how: CutHow = 'reset'): void {
    for (const connection of this.#connections) connection.cut(how);
    for (const client of this.#waiting) client.resetAndDestroy();
  }

  cutAfter(bytes: number, how: CutHow = 'reset'): void {
    this.#cut = { left: bytes, how };
  }

  stall(ms?: number): void {
    this.#block(DIRECTIONS, ms);
  }

  halfOpen(direction: Direction, ms?: number): void {
    this.#block([direction], ms);
  }

  slow(bytesPerSecond: number): void {
    this.#change({ ...this.#weather, bytesPerSecond });
  }

  share(bytesPerSecond: number): void {
    const link = { up: new SharedLink(bytesPerSecond), down: new SharedLink(bytesPerSecond) };
    this.#change({ ...this.#weather, link });
  }

  refuse(on: boolean): void {
    this.#isRefusing = on;
  }

  delayConnects(upToMs: number): void {
    this.#connectDelayMs = upToMs;
  }

  heal(): void {
    this.#isRefusing = false;
    this.#connectDelayMs = 0;
    this.#cut = undefined;
    this.#change(FAIR);
  }

  async play(schedule: readonly FaultStep[], signal: AbortSignal): Promise<void> {
    try {
      await playFaults(this, schedule, signal);
    } finally {
      this.heal();
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cutAll();
    this.#change(FAIR);
    await closed;
  }

  #taken(client: Socket): void {
    client.on('error', () => {});
    if (this.#isRefusing) {
      client.resetAndDestroy();
      return;
    }
    if (this.#connectDelayMs === 0) {
      this.#pass(client);
      return;
    }
    this.#waiting.add(client);
    this.#after(this.#options.random.integer(0, this.#connectDelayMs), () => {
      this.#waiting.delete(client);
      if (!client.destroyed) this.#pass(client);
    });
  }

  #pass(client: Socket): void {
    const upstream = connect({ ...this.#options.target, allowHalfOpen: true, noDelay: true });
    const connection = new ProxiedConnection({
      client,
      upstream,
      weather: () => this.#weather,
      allowance: (bytes) => this.#allow(bytes),
      gone: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
  }

  /** How many of these bytes pass before the requested cut. */
  #allow(bytes: number): number {
    const cut = this.#cut;
    if (cut === undefined) {
      this.#bytes += bytes;
      return bytes;
    }
    const allowed = Math.min(bytes, cut.left);
    this.#bytes += allowed;
    cut.left -= allowed;
    // The last bytes must reach the network before the cut; nothing else passes until then.
    if (cut.left === 0 && allowed > 0) setImmediate(() => this.#cutNow(cut.how));
    return allowed;
  }

  #cutNow(how: CutHow): void {
    this.#cut = undefined;
    this.cutAll(how);
  }

  #block(directions: readonly Direction[], ms: number | undefined): void {
    this.#change({ ...this.#weather, blocked: new Set([...this.#weather.blocked, ...directions]) });
    if (ms === undefined) return;
    this.#after(ms, () => {
      const blocked = [...this.#weather.blocked].filter((direction) => !directions.includes(direction));
      this.#change({ ...this.#weather, blocked: new Set(blocked) });
    });
  }

  #change(weather: Weather): void {
    const { link } = this.#weather;
    if (link !== weather.link) for (const direction of DIRECTIONS) link?.[direction].stop();
    this.#weather = weather;
    for (const connection of this.#connections) connection.pump();
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }
}
