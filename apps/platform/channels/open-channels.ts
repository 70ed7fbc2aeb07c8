import { type AccessResolver, type Activity, type DataTickets, type Presence, SessionHub } from '#contexts/channels';
import {
  CHANNEL_METHOD,
  CHANNEL_WEB_SOCKET,
  decodeControlRequest,
  encodeControlReply,
  frameAcceptor,
  sha256,
} from '#contexts/channels/adapters';
import type { Enrolment, ReplicaEndpoints } from '#contexts/enrolment/adapters';
import { type HostPort, printHostPort } from '#kit/config';
import type { Authenticator, ListenAddress, Upgrade } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import { type Clock, sleep as realSleep, type Sleep, systemClock, uuidv7 } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { Logger, Metrics } from '#kit/telemetry';
import { listenGrpc } from '#kit/transport/grpc';
import { createWebSocketServer } from '#kit/transport/websocket';
import type { Access } from '../access/open-access.ts';
import type { Hold } from '../restore/hold.ts';
import type { ServerCertificate } from '../tls/certificate-source.ts';
import { type ChannelDeliveryDeps, channelDelivery } from './channel-delivery.ts';
import { dataRoutes } from './data-routes.ts';
import { fleetletDirectory } from './fleetlet-directory.ts';
import { hubMetrics } from './hub-metrics.ts';
import { accessHandler, platformAccess } from './platform-access.ts';
import { watchHub } from './watch-hub.ts';

export interface OpenChannelsDeps
  extends Pick<ChannelDeliveryDeps, 'agents' | 'intake' | 'connectionChanged' | 'setAside'> {
  readonly storage: Storage;
  readonly enrolment: Pick<Enrolment, 'recognise' | 'vouches' | 'boundTarget' | 'authorities' | 'watch'>;
  readonly authenticator: Authenticator;
  readonly access: Pick<Access, 'decisions' | 'index'>;
  readonly tickets: DataTickets;
  /** Whether this replica takes fleetlets. */
  readonly isLeading: () => boolean;
  /** A restored platform that is held takes no fleetlets. */
  readonly hold: Pick<Hold, 'isHeld'>;
  /** All live replicas; empty if fleetlets know one address for all, or there is just this one. */
  readonly replicas: () => readonly ReplicaEndpoints[];
  /** The load balancers in front, which report the client address by the PROXY protocol. */
  readonly isProxy: (address: string) => boolean;
  readonly heartbeatMs: number;
  readonly version: string;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
}

/** The connections of fleetlets to this process, and of their targets. */
export interface Channels {
  readonly hub: SessionHub;
  /** For code within this process. */
  readonly access: AccessResolver;
  readonly runnables: readonly Runnable[];
  /** Serves gRPC with client certificates. */
  listen(address: HostPort, certificate: ServerCertificate): Promise<FleetletListener>;
  /** Serves WebSockets, as the upgrade handler of an HTTP server. */
  readonly upgrade: Upgrade;
  /** Accepts no more connections, sends the connected fleetlets away, and closes. */
  drain(signal: AbortSignal): Promise<void>;
  /** Without draining. */
  close(): Promise<void>;
}

export interface FleetletListener extends ListenAddress {
  /** Serves this certificate on new connections from now on. */
  install(certificate: ServerCertificate): void;
}

/** About as long as another process needs to take over. */
const STANDBY_RETRY_MS = 3_000;
/** Time for the last messages to fleetlets that are sent away. */
const LAST_WORDS_MS = 250;

export function openChannels(deps: OpenChannelsDeps): Channels {
  const log = deps.log.child({ component: 'channels' });
  const { clock = systemClock, sleep = realSleep } = deps;
  const delivery = channelDelivery({ ...deps, hub: () => hub, clock, sleep });
  const access = platformAccess({ authenticator: deps.authenticator, ...deps.access });
  const hub = newHub({ ...deps, log, clock, sleep }, delivery.presence);
  hub.handle('delivery', delivery.handlers.delivery);
  hub.handle('status', delivery.handlers.status);
  hub.handle('access', accessHandler({ access, log }));
  deps.enrolment.watch({
    list: () =>
      hub.sessions().map(({ targets, ...session }) => ({ ...session, targets: targets.map(({ uid }) => uid) })),
    end: (fleetlet, { reason, message }) =>
      hub.closeFleetlet(fleetlet, reason === 'revoked' ? 'revoked' : 'draining', message),
  });
  const runnables = [
    { name: 'fleetlet sessions', run: (signal: AbortSignal) => hub.run(signal) },
    hubMetrics({ hub, metrics: deps.metrics, sleep }),
    { name: 'replicas for fleetlets', run: (signal: AbortSignal) => tellOfReplicas(hub, { ...deps, sleep }, signal) },
  ];
  return { hub, access, runnables, ...doorsOf(hub, { ...deps, log, sleep }) };
}

const REPLICAS_MS = 1_000;

/** Fleetlets learn of replicas that came or went while their session lasts. */
async function tellOfReplicas(
  hub: Pick<SessionHub, 'replicasChanged'>,
  { replicas, sleep }: Pick<OpenChannelsDeps, 'replicas'> & { readonly sleep: Sleep },
  signal: AbortSignal,
): Promise<void> {
  for (let told = ''; !signal.aborted; await sleep(REPLICAS_MS, signal).catch(() => {})) {
    const now = JSON.stringify(replicas());
    if (now !== told) hub.replicasChanged();
    told = now;
  }
}

type HubParts = OpenChannelsDeps & { readonly clock: Clock; readonly sleep: Sleep };

function newHub(parts: HubParts, presence: Presence): SessionHub {
  const { isLeading, hold, clock, sleep, heartbeatMs, log, metrics, tickets, setAside } = parts;
  const session = uuidv7();
  const hub: SessionHub = new SessionHub({
    directory: fleetletDirectory({ ...parts, platform: 'fleetshift', ticketKey: tickets.publicKey }),
    presence,
    observer: watchHub({ setAside, log, metrics }),
    codec: { decodeRequest: decodeControlRequest, encodeReply: encodeControlReply },
    extension: dataRoutes({ ...parts, hub: () => hub, session }),
    activity: () => (hold.isHeld ? HELD : isLeading() ? ACTIVE : STANDING_BY),
    session,
    clock,
    sleep,
    random: Math.random,
    newId: uuidv7,
    sha256,
    heartbeatMs,
  });
  return hub;
}

const ACTIVE: Activity = { kind: 'active' };
const STANDING_BY: Activity = {
  kind: 'away',
  reason: 'unavailable',
  message: 'this replica is on standby; another one serves fleetlets',
  retryAfterMs: STANDBY_RETRY_MS,
};

const HELD: Activity = {
  ...STANDING_BY,
  message: 'this platform was restored from a backup, and takes fleetlets once the restore is accepted',
};

interface DoorParts extends Pick<OpenChannelsDeps, 'enrolment' | 'isProxy'> {
  readonly log: Logger;
  readonly sleep: Sleep;
}

function doorsOf(hub: SessionHub, parts: DoorParts): Pick<Channels, 'listen' | 'upgrade' | 'drain' | 'close'> {
  const { log, sleep, enrolment, isProxy } = parts;
  const accept = frameAcceptor(hub.accept);
  const onThrow = (err: unknown): void => log.error({ err }, 'stream not accepted');
  const sockets = createWebSocketServer({ ...CHANNEL_WEB_SOCKET, accept, onThrow });
  const servers: { stopListening(): Promise<void>; close(): Promise<void> }[] = [sockets];
  const close = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.close())));
  return {
    listen: async (at, certificate) => {
      const recognises = (der: Uint8Array): boolean => enrolment.vouches(der);
      const served = { path: CHANNEL_METHOD, accept, onThrow, recognises, isProxy };
      const server = await listenGrpc({ at, tls: tlsOf(certificate), ...served });
      servers.push(server);
      const { address } = server;
      const place = 'port' in address ? address : at;
      log.info({ address: printHostPort(place) }, 'fleetlets can connect');
      return { host: place.host, port: place.port, install: (renewed) => server.setCertificate(tlsOf(renewed)) };
    },
    upgrade: { path: CHANNEL_WEB_SOCKET.path, take: (...upgraded) => void sockets.upgrade(...upgraded) },
    drain: async (signal) => {
      await Promise.all(servers.map((server) => server.stopListening()));
      const isAnybodyThere = hub.sessions().length > 0;
      await hub.drain(signal);
      if (isAnybodyThere) await sleep(LAST_WORDS_MS, signal);
      await close();
    },
    close,
  };
}

function tlsOf({ chain, key }: ServerCertificate) {
  return { cert: chain, key };
}
