import { randomBytes, randomUUID } from 'node:crypto';
import { sleep, systemClock } from '#kit/std';
import type { AcceptStream, Transport } from '#kit/transport';
import { createGrpcTransport, listenGrpc } from '#kit/transport/grpc';
import { createMemoryTransport } from '#kit/transport/memory';
import { BROKER_WIRE } from '../adapters/broker-wire.ts';
import { CHANNEL_METHOD } from '../adapters/channel-method.ts';
import {
  decodeControlReply,
  decodeControlRequest,
  encodeControlReply,
  encodeControlRequest,
} from '../adapters/control-codec.ts';
import { createDataTickets, readDataTicket } from '../adapters/data-tickets.ts';
import { frameAcceptor, frameConnections } from '../adapters/frame-links.ts';
import { sha256 } from '../adapters/sha256.ts';
import { Broker } from '../application/broker/broker.ts';
import type { DataPorts } from '../application/data/data-desk.ts';
import { DataRoutes } from '../application/data/data-routes.ts';
import { SessionHub } from '../application/hub/session-hub.ts';
import type { LinkConnection } from '../application/link.ts';
import { LocalClient } from '../application/local-client.ts';
import { Uplink } from '../application/uplink.ts';
import type { CloseReason, OpenFrame } from '../domain/frame.ts';
import { claimOf } from './broker-stage.ts';

const HEARTBEAT_MS = 250;
const PACE = { baseMs: 5, capMs: 50 };

export interface FleetWorldOptions {
  /** Default `memory`. With `sockets` all connections are real, without TLS. */
  readonly over?: 'memory' | 'sockets';
  /** Heartbeat of fleetlets; short by default. */
  readonly heartbeatMs?: number;
}

/** A platform that trusts fleetlets by the name they give, with complete fleetlets and local processes. */
export class FleetWorld {
  readonly tickets = createDataTickets(randomBytes(32));
  /** Workspace paths by fleetlet; default `/`. */
  readonly paths = new Map<string, string>();
  readonly authorities = { pem: '' };
  readonly hub: SessionHub;
  readonly heartbeatMs: number;
  readonly #options: FleetWorldOptions;
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(options: FleetWorldOptions = {}) {
    this.#options = options;
    this.heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
    const routes = new DataRoutes({
      tickets: this.tickets,
      pathsOf: async (fleetlets) => new Map(fleetlets.map((each) => [each, this.paths.get(each) ?? '/'])),
      serverNameOf: (fleetlet) => `${fleetlet}.test`,
      streams: () => this.hub,
      session: 'platform',
      clock: systemClock,
    });
    this.hub = new SessionHub({
      directory: {
        authenticate: async ({ headers }) => ({
          kind: 'known',
          uid: headers['x-fleetlet'] ?? '',
          notAfter: Number.POSITIVE_INFINITY,
          issuedAt: 0,
          renewSoon: false,
        }),
        bind: async (_fleetlet, { name, type }) => ({ kind: 'bound', target: { uid: `uid-${name}`, name, type } }),
        describe: async () => undefined,
        welcome: async () => {
          const { pem: authorities } = this.authorities;
          return { platform: 'test', platformVersion: '1', authorities, ticketKey: this.tickets.publicKey };
        },
      },
      presence: { reachable: () => {}, changed: async () => {} },
      observer: { fact: () => {}, message: () => {} },
      codec: { decodeRequest: decodeControlRequest, encodeReply: encodeControlReply },
      extension: routes,
      activity: () => ({ kind: 'active' }),
      session: 'platform',
      clock: systemClock,
      sleep,
      random: Math.random,
      newId: randomUUID,
      sha256,
      heartbeatMs: 5_000,
    });
    this.#run((signal) => this.hub.run(signal));
  }

  /** The uid is the name. */
  async fleetlet(name: string, { path = '/', ...data }: FleetletOptions = {}): Promise<TestFleetlet> {
    this.paths.set(name, path);
    const { transport, cut } = await this.network(frameAcceptor(this.hub.accept));
    const fleetlet = new TestFleetlet({ name, transport, cut, data, world: this });
    this.#run((signal) => fleetlet.run(signal));
    return fleetlet;
  }

  /** The reason with which a stream of that fleetlet with this `open` frame is closed. */
  async shownToPlatform(fleetlet: string, open: OpenFrame): Promise<CloseReason | undefined> {
    const { transport } = createMemoryTransport({ accept: frameAcceptor(this.hub.accept) });
    const connection = await frameConnections(transport, () => ({ 'x-fleetlet': fleetlet }))(
      new AbortController().signal,
    );
    const { promise, resolve } = Promise.withResolvers<CloseReason | undefined>();
    connection.open({ frame: () => {}, room: () => {}, closed: (why) => resolve(why?.reason) }).send(open);
    const reason = await promise;
    await connection.close();
    return reason;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.toReversed()) await stop();
  }

  /** A connection to the accepting end. */
  async network(accept: AcceptStream): Promise<{ readonly transport: Transport; readonly cut: () => void }> {
    if (this.#options.over !== 'sockets') {
      const memory = createMemoryTransport({ accept });
      return { transport: memory.transport, cut: () => memory.cut() };
    }
    const server = await listenGrpc({ at: { host: '127.0.0.1', port: 0 }, path: CHANNEL_METHOD, accept });
    this.#stops.push(() => server.close());
    return {
      transport: createGrpcTransport({ to: server.address, path: CHANNEL_METHOD }),
      cut: () => {
        throw new Error('cut what is in memory');
      },
    };
  }

  #run(body: (signal: AbortSignal) => Promise<void>): void {
    const over = new AbortController();
    const done = body(over.signal);
    this.#stops.push(async () => {
      over.abort();
      await done;
    });
  }
}

export interface FleetletOptions extends Partial<DataPorts> {
  /** Path of its workspace. */
  readonly path?: string;
}

interface TestFleetletDeps {
  readonly name: string;
  readonly transport: Transport;
  readonly cut: () => void;
  readonly data: Partial<DataPorts>;
  readonly world: FleetWorld;
}

export class TestFleetlet {
  readonly name: string;
  readonly broker: Broker;
  /** The routes that its data channels took, in order. */
  readonly ways: string[] = [];
  /** The reasons why there was no route. */
  readonly detours: string[] = [];
  readonly refusals: string[] = [];
  /** Received from the platform. */
  readonly cut: () => void;
  readonly #world: FleetWorld;
  readonly #uplink: Uplink;
  readonly #accept: AcceptStream;
  readonly #clients: LocalClient[] = [];
  readonly #over = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor({ name, transport, cut, data, world }: TestFleetletDeps) {
    this.name = name;
    this.cut = cut;
    this.#world = world;
    const session = randomUUID();
    const shared = { session, clock: systemClock, sleep, newId: randomUUID, sha256, heartbeatMs: world.heartbeatMs };
    const connect = frameConnections(transport, () => ({ 'x-fleetlet': name }));
    const connections = { control: connect, bulk: connect };
    this.#uplink = new Uplink({ ...shared, connect: connections, process: name, random: Math.random, pace: PACE });
    const nothing = (): void => {};
    this.broker = new Broker({
      ...shared,
      uplink: this.#uplink,
      access: { resolve: () => Promise.reject(new Error('nobody answers')) },
      wire: BROKER_WIRE,
      rules: [],
      bulkChannels: [],
      data: {
        credentials: { readTicket: readDataTicket, fleetletOf: (certificate) => Buffer.from(certificate).toString() },
        addresses: () => [],
        random: Math.random,
        pace: PACE,
        onWay: (_channel, way, why) => (way === undefined ? this.detours.push(why) : this.ways.push(way)),
        ...data,
      },
      observer: {
        welcomed: nothing,
        renewalAsked: nothing,
        replicasListed: nothing,
        processCame: nothing,
        processGone: nothing,
        refused: (_who, message) => this.refusals.push(message),
        malformed: nothing,
        channelClosed: nothing,
      },
    });
    this.#accept = frameAcceptor(this.broker.listen({ identify: async () => ({ kind: 'known', identity: 'test' }) }));
  }

  /** Dials this fleetlet as another one that is authenticated under that name. */
  dialledBy(name: string): Promise<LinkConnection> {
    const { acceptFleetlets } = this.broker;
    if (acceptFleetlets === undefined) throw new Error('it has no data channels');
    const peer = { address: name, certificate: Buffer.from(name) };
    const { transport } = createMemoryTransport({ accept: frameAcceptor(acceptFleetlets), peer });
    return frameConnections(transport)(this.#over.signal);
  }

  /** A local process, already running. */
  async local(process: string): Promise<LocalClient> {
    const { transport } = await this.#world.network(this.#accept);
    const connect = frameConnections(transport);
    const uplink = new Uplink({
      connect: { control: connect, bulk: connect },
      session: randomUUID(),
      process,
      clock: systemClock,
      sleep,
      random: Math.random,
      newId: randomUUID,
      sha256,
      heartbeatMs: 5_000,
      pace: PACE,
    });
    const client = new LocalClient({
      uplink,
      wire: { encodeControlRequest, decodeControlReply },
      sleep,
      random: Math.random,
    });
    this.#clients.push(client);
    this.#running.push(client.run(this.#over.signal));
    return client;
  }

  /** A local process that serves a target, once it is accepted. */
  async agentOf(target: string): Promise<LocalClient> {
    const client = await this.local(`agent-of-${target}`);
    const { promise, resolve } = Promise.withResolvers<string>();
    client.registerTarget(claimOf(target), { accepted: resolve });
    await promise;
    return client;
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const over = AbortSignal.any([signal, stop.signal]);
    await Promise.all([this.#uplink.run(over), this.broker.run(over)]);
    this.broker.close({ reason: 'draining', message: 'the test is over', retryAfterMs: 0 });
    this.#over.abort();
    await Promise.all(this.#running);
  }
}
