import type { Enrolment } from '#contexts/enrolment/adapters';
import type { HostPort } from '#kit/config';
import { type Authenticator, trustedProxies } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import type { Sealer } from '#kit/sealing';
import { aborted } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { Logger, Metrics } from '#kit/telemetry';
import type { DataFolder } from '#runtime/instance/data-folder';
import type { Access } from '../access/open-access.ts';
import type { PlatformConfig } from '../config.ts';
import { type EmbeddedFleetlet, openEmbeddedFleetlet } from '../embedded-fleetlet/open-embedded-fleetlet.ts';
import { type OpenEnrolmentDeps, openEnrolment } from '../enrolment/open-enrolment.ts';
import { EXECUTOR, type Leadership } from '../leadership/leadership.ts';
import type { Fleet } from '../orchestration/open-fleet.ts';
import { openDataTickets } from './data-routes.ts';
import { type Channels, type OpenChannelsDeps, openChannels } from './open-channels.ts';

export interface OpenFleetletsDeps {
  readonly config: PlatformConfig;
  readonly version: string;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly access: Access;
  readonly authenticator: Authenticator;
  readonly fleet: Fleet;
  readonly leadership: Leadership;
  readonly hold: OpenChannelsDeps['hold'];
  readonly folder: DataFolder;
  readonly replicas: OpenChannelsDeps['replicas'];
  readonly otherReplicas: OpenEnrolmentDeps['otherReplicas'];
  /** The addresses it listens on, once it does. */
  readonly listening: () => FleetletListening;
  readonly metrics: Metrics;
  readonly setAside: OpenChannelsDeps['setAside'];
  readonly log: Logger;
}

export interface FleetletListening {
  readonly https?: HostPort | undefined;
  readonly fleetlets?: HostPort | undefined;
  readonly authorityFile?: string | undefined;
}

/** Enrolment and connections of fleetlets, and the fleetlet inside the platform. */
export interface Fleetlets extends Pick<Channels, 'listen' | 'upgrade'> {
  readonly routes: Enrolment['routes'];
  /** For parts that serve their own channel; to be used before the first connection. */
  readonly hub: Channels['hub'];
  /** The socket of the fleetlet inside the platform. */
  readonly socket: string | undefined;
  /** Connects agents of this process to the fleetlet inside the platform. */
  readonly connectWithin: EmbeddedFleetlet['connect'];
  readonly runnables: readonly Runnable[];
  /** Serves fleetlets until the stop, and then sends them away. */
  readonly serve: Runnable;
}

/** Shorter than any shutdown timeout. */
const DRAIN_MS = 900;

export async function openFleetlets(
  deps: OpenFleetletsDeps,
  opened: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Fleetlets> {
  const { config, fleet, leadership, folder, listening, log } = deps;
  const { addonTypes, agents, intake, connectionChanged } = fleet;
  const authorityFile = (): string | undefined => listening().authorityFile;
  const enrolment = await openEnrolment({ ...deps, addonTypes, authorityFile }, signal);
  opened.defer(() => enrolment.close());
  const heartbeatMs = config.fleetletHeartbeat;
  const isLeading = (): boolean => leadership.term(EXECUTOR) !== undefined;
  const tickets = await openDataTickets(deps, signal);
  const isProxy = config.proxyProtocol ? trustedProxies(config.trustProxy) : () => false;
  const reporting = { agents, intake, connectionChanged };
  const channels = openChannels({ ...deps, ...reporting, enrolment, tickets, isLeading, isProxy, heartbeatMs });
  opened.defer(() => channels.close());
  const accept = channels.hub.acceptEmbedded(enrolment.embedded);
  const { access } = channels;
  const embedded = await openEmbeddedFleetlet({ accept, access, folder: folder.path, config, heartbeatMs, log });
  opened.defer(() => embedded.close());
  return {
    routes: enrolment.routes,
    hub: channels.hub,
    socket: embedded.socket,
    connectWithin: (process) => embedded.connect(process),
    runnables: [...enrolment.runnables, ...channels.runnables, ...embedded.runnables],
    listen: (address, certificate) => channels.listen(address, certificate),
    upgrade: channels.upgrade,
    serve: { name: 'fleetlets', run: (stop) => serveUntil(stop, { drain: (within) => channels.drain(within), log }) },
  };
}

export interface ServeDeps {
  readonly drain: (signal: AbortSignal) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
  /** For tests. */
  readonly drainMs?: number;
}

/**
 * Fleetlets are sent away before anything that they need is closed. If there is no time to record their disconnect,
 * that is harmless: after the next start, a target without a connection is found to be offline.
 */
export async function serveUntil(stop: AbortSignal, { drain, log, drainMs = DRAIN_MS }: ServeDeps): Promise<void> {
  await aborted(stop);
  const late = AbortSignal.timeout(drainMs);
  try {
    await drain(late);
  } catch (error) {
    if (!late.aborted) throw error;
    log.warn({ deadlineMs: drainMs }, 'disconnect of fleetlets not recorded in time; the next start detects it');
  }
}
