import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import {
  type AcceptLink,
  type AccessResolver,
  Broker,
  type LocalAuthenticator,
  LocalClient,
  Uplink,
} from '#contexts/channels';
import {
  BROKER_WIRE,
  CHANNEL_METHOD,
  createSocketAuthenticator,
  createTokenFileAuthenticator,
  decodeControlReply,
  encodeControlRequest,
  fleetletOfCertificate,
  frameAcceptor,
  frameConnections,
  readDataTicket,
  sha256,
} from '#contexts/channels/adapters';
import type { HostPort } from '#kit/config';
import type { Runnable } from '#kit/reconcile';
import { sleep, systemClock, uuidv7 } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { TransportServer } from '#kit/transport';
import { listenGrpc } from '#kit/transport/grpc';
import { createMemoryTransport } from '#kit/transport/memory';
import { watchBroker } from '#runtime/fleetlet/watch-broker';

export interface EmbeddedFleetletDeps {
  /** Accepts links of the fleetlet inside the platform, without a certificate. */
  readonly accept: AcceptLink;
  /** In process, so nothing needs to be cached. */
  readonly access: AccessResolver;
  readonly folder: string;
  readonly config: {
    /** `none` for no socket; in the folder by default. */
    readonly fleetletSocket: string | undefined;
    readonly fleetletTcp: HostPort | undefined;
    readonly fleetletTokenFile: string | undefined;
  };
  readonly heartbeatMs: number;
  readonly log: Logger;
}

export interface EmbeddedFleetlet {
  readonly socket: string | undefined;
  readonly tcp: HostPort | undefined;
  readonly runnables: readonly Runnable[];
  /** For an agent within this process; the caller runs the client. */
  connect(process: string): LocalClient;
  close(): Promise<void>;
}

/** Paths of Unix sockets are short: 108 bytes with the terminator on Linux, 104 elsewhere. */
const LONGEST_SOCKET = 103;

/**
 * The fleetlet inside the platform, for addons and agents on the same machine: the same broker, with an in-memory
 * connection to the platform.
 */
export async function openEmbeddedFleetlet(deps: EmbeddedFleetletDeps): Promise<EmbeddedFleetlet> {
  const log = deps.log.child({ component: 'fleetlet' });
  const { transport, server } = createMemoryTransport({ accept: frameAcceptor(deps.accept) });
  const connect = frameConnections(transport);
  const session = uuidv7();
  const uplink = new Uplink({
    connect: { control: connect, bulk: connect },
    session,
    process: 'platform',
    clock: systemClock,
    sleep,
    random: Math.random,
    newId: randomUUID,
    sha256,
    heartbeatMs: deps.heartbeatMs,
  });
  const broker = new Broker({
    uplink,
    access: deps.access,
    wire: BROKER_WIRE,
    rules: [],
    bulkChannels: [],
    session,
    heartbeatMs: deps.heartbeatMs,
    clock: systemClock,
    sleep,
    newId: randomUUID,
    sha256,
    // It has no certificate for direct connections, so its data goes through the platform.
    data: {
      credentials: { readTicket: readDataTicket, fleetletOf: fleetletOfCertificate },
      addresses: () => [],
      random: Math.random,
    },
    observer: watchBroker(log),
  });
  const within = createMemoryTransport({ accept: frameAcceptor(broker.listen(WITHIN)) });
  const { socket, tcp, servers } = await listen(deps, broker, log);
  return {
    socket,
    tcp,
    connect: (process) => localClient(frameConnections(within.transport), process, deps.heartbeatMs),
    runnables: [
      { name: 'embedded fleetlet', run: (signal) => broker.run(signal) },
      { name: 'embedded fleetlet to the platform', run: (signal) => uplink.run(signal) },
    ],
    close: async () => {
      broker.close({ reason: 'draining', message: 'the platform is shutting down', retryAfterMs: 0 });
      await Promise.all([...servers, within.server, server].map((each) => each.close()));
    },
  };
}

/** Only agents of this process can connect this way. */
const WITHIN: LocalAuthenticator = { identify: async () => ({ kind: 'known', identity: 'platform' }) };

function localClient(connect: ReturnType<typeof frameConnections>, process: string, heartbeatMs: number): LocalClient {
  const uplink = new Uplink({
    connect: { control: connect, bulk: connect },
    session: uuidv7(),
    process,
    clock: systemClock,
    sleep,
    random: Math.random,
    newId: randomUUID,
    sha256,
    heartbeatMs,
  });
  const wire = { encodeControlRequest, decodeControlReply };
  return new LocalClient({ uplink, wire, sleep, random: Math.random });
}

interface Listening {
  readonly socket: string | undefined;
  readonly tcp: HostPort | undefined;
  readonly servers: readonly TransportServer[];
}

async function listen({ config, folder }: EmbeddedFleetletDeps, broker: Broker, log: Logger): Promise<Listening> {
  const servers: TransportServer[] = [];
  const path = socketPath(config.fleetletSocket, folder, log);
  try {
    if (path !== undefined) {
      const accept = frameAcceptor(broker.listen(createSocketAuthenticator(path)));
      servers.push(await listenGrpc({ at: { path }, path: CHANNEL_METHOD, accept }));
    }
    const { fleetletTcp, fleetletTokenFile } = config;
    if (fleetletTcp === undefined || fleetletTokenFile === undefined) return { socket: path, tcp: undefined, servers };
    const accept = frameAcceptor(broker.listen(createTokenFileAuthenticator(fleetletTokenFile)));
    const tcp = await listenGrpc({ at: fleetletTcp, path: CHANNEL_METHOD, accept });
    servers.push(tcp);
    return { socket: path, tcp: 'host' in tcp.address ? tcp.address : undefined, servers };
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    throw error;
  }
}

function socketPath(chosen: string | undefined, folder: string, log: Logger): string | undefined {
  if (chosen === 'none') return undefined;
  const path = resolve(chosen ?? join(folder, 'fleetlet.sock'));
  if (chosen !== undefined || Buffer.byteLength(path) <= LONGEST_SOCKET) return path;
  log.warn({ file: path, setting: 'fleetlet-socket' }, 'socket path is too long; local processes cannot connect');
  return undefined;
}
