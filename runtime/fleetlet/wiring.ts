import { createHash, randomUUID } from 'node:crypto';
import {
  AccessCache,
  Broker,
  type BrokerObserver,
  ChannelAccess,
  type ChannelRule,
  type DataPorts,
  type LocalAuthenticator,
  Uplink,
  type UplinkPace,
  type UplinkState,
} from '#contexts/channels';
import { BROKER_WIRE, decodeAccessAnswer, encodeAccessRequest, sha256 } from '#contexts/channels/adapters';
import type { HostPort } from '#kit/config';
import { sleep, systemClock, uuidv7 } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { FleetletConfig } from './config.ts';
import { apisOf } from './connect/destinations.ts';
import { apiOf } from './connect/platform-address.ts';
import { platformConnections } from './connect/platform-connections.ts';
import { wayThere } from './connect/way-there.ts';
import { DirectWays } from './direct/direct-ways.ts';
import { FleetletError } from './fleetlet-error.ts';
import type { OnUnusable } from './identity/endpoints.ts';
import { type EnrolmentDeps, enrolled, type IdentityKeeper, renewed } from './identity/enrolment.ts';
import { IdentityStore } from './identity/identity-store.ts';
import type { PlatformApiDeps } from './identity/platform-api.ts';
import { Renewal } from './identity/renewal.ts';
import { openLocalListeners } from './local/local-listeners.ts';
import { stateLog } from './state-log.ts';
import { watchBroker } from './watch-broker.ts';

export interface FleetletOptions {
  readonly config: FleetletConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Authenticates callers over TCP, in addition to the token file. */
  readonly callers?: LocalAuthenticator;
  /** Stores the identity outside the data folder. */
  readonly keeper?: IdentityKeeper;
  /** Reconnect timing; for tests that cut the connection often. */
  readonly pace?: Partial<UplinkPace>;
}

/** A fleetlet that is listening; `run` does its work. */
export interface Fleetlet {
  readonly socket: string;
  readonly tcp: HostPort | undefined;
  readonly metrics: HostPort | undefined;
  /** Where other fleetlets connect. */
  readonly direct: HostPort | undefined;
  readonly uid: string;
  run(signal: AbortSignal): Promise<void>;
  /** Resolves once messages already taken have reached the platform, or the signal aborts. */
  drain(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const HEARTBEAT_MS = 5_000;
const DRAIN_CHECK_MS = 50;
const MOST_UNUSABLE = 100;

/** The composition root. */
export async function wireFleetlet(options: FleetletOptions, signal: AbortSignal): Promise<Fleetlet> {
  const { config, log } = options;
  const store = new IdentityStore(config.data, logUnusable(log));
  const enrolment = enrolmentDeps(options, store);
  const { platform } = await enrolled(enrolment, config, signal);
  const connections = await platformConnections({ ...options, store, clock: systemClock });

  const direct = new DirectWays({ config, store, log });
  const renewal: Renewal = new Renewal({
    current: () => store.identity,
    renew: async (own, stop) => {
      const identity = await renewed(enrolment, own, stop);
      direct.renewed();
      // Immediately: until the platform has seen the new key, it accepts the old one and every copy of it.
      uplink.reconnect('the certificate was renewed');
      return identity;
    },
    clock: systemClock,
    sleep,
    random: Math.random,
    log,
  });
  const session = uuidv7();
  const logState = stateLog({ log, refused: (reason) => reason === 'unauthenticated' && renewal.soon() });
  const uplink: Uplink = new Uplink({
    connect: connections,
    session,
    process: 'fleetlet',
    clock: systemClock,
    sleep,
    random: Math.random,
    newId: randomUUID,
    sha256,
    heartbeatMs: HEARTBEAT_MS,
    ...(options.pace && { pace: options.pace }),
    onState: (state) => {
      if (state.kind === 'connected') connections.accepted();
      logState(state);
    },
  });
  const access = openAccess(uplink, config);
  const observer = watchBroker(log, {
    welcomed: ({ platform: name, platformVersion: version, heartbeatMs, authorities }) => {
      if (heartbeatMs > 0) uplink.heartbeatMs = heartbeatMs;
      direct.authorities = authorities;
      log.info({ name, version }, 'session with the platform established');
    },
    renewalAsked: () => renewal.soon(),
    replicasListed: (replicas) => {
      try {
        store.saveReplicas(replicas);
      } catch (err) {
        log.warn({ err }, 'list of replicas not saved; using it until the next start');
      }
    },
  });
  const broker = newBroker({ config, uplink, session, access, data: direct.ports, observer });
  const { callers } = options;
  const listen = (who: LocalAuthenticator) => broker.listen(who);
  const listeners = await openLocalListeners({ config, folder: store.folder, listen, ...(callers && { callers }) });
  const called = await direct.listen(broker.acceptFleetlets);
  const metrics = await openMetrics(config.metricsListen, { broker, uplink, access });
  return {
    socket: listeners.socket,
    tcp: listeners.tcp,
    metrics: metrics?.address,
    direct: called?.address,
    uid: platform.fleetlet,
    run: async (stop) => {
      await Promise.all([uplink.run(stop), broker.run(stop), renewal.run(stop)]);
    },
    drain: async (stop) => {
      await Promise.all([called?.stopListening(), ...listeners.servers.map((server) => server.stopListening())]);
      while (!broker.isDrained && !stop.aborted) await sleep(DRAIN_CHECK_MS, stop).catch(() => undefined);
    },
    close: async () => {
      broker.close({ reason: 'draining', message: 'this fleetlet stops', retryAfterMs: 0 });
      await Promise.all([metrics?.close(), called?.close(), ...listeners.servers.map((server) => server.close())]);
    },
  };
}

function enrolmentDeps({ config, environment, log, keeper }: FleetletOptions, store: IdentityStore): EnrolmentDeps {
  const { platform } = config;
  if (platform === undefined) throw new FleetletError('NO_WAY_THERE', '--platform is needed');
  const configured = config.enrollUrl ?? apiOf(platform);
  const apis = (): readonly PlatformApiDeps[] =>
    apisOf(configured, store.identity?.platform.endpoints ?? {}).map((base) => {
      const isPlain = base.protocol === 'http:';
      const to = { host: base.hostname.replace(/^\[|\]$/g, ''), port: Number(base.port || (isPlain ? 80 : 443)) };
      return { base, way: wayThere({ config, environment, store }, to, { isPlain }) };
    });
  return { store, keeper, apis, clock: systemClock, sleep, log };
}

/** Each endpoint once: the platform repeats its list with every session. */
function logUnusable(log: Logger): OnUnusable {
  const said = new Set<string>();
  return (address, reason) => {
    if (said.has(address) || said.size === MOST_UNUSABLE) return;
    said.add(address);
    log.warn({ address, reason: `expected ${reason}` }, 'endpoint of a replica not usable; using the others');
  };
}

function openAccess(uplink: Uplink, { accessStale }: FleetletConfig): AccessCache {
  const resolver = new ChannelAccess({
    open: (handlers) => uplink.open({ name: 'access', mode: 'reliable', connectionClass: 'control' }, handlers),
    clock: systemClock,
    encode: encodeAccessRequest,
    decode: decodeAccessAnswer,
  });
  return new AccessCache({
    resolver,
    clock: systemClock,
    hash: (text) => createHash('sha256').update(text).digest('base64'),
    isConnected: () => uplink.state.kind === 'connected',
    staleMs: accessStale,
  });
}

interface BrokerParts {
  readonly config: FleetletConfig;
  readonly uplink: Uplink;
  readonly session: string;
  readonly access: AccessCache;
  readonly data: DataPorts;
  readonly observer: BrokerObserver;
}

function newBroker({ config, uplink, session, access, data, observer }: BrokerParts): Broker {
  return new Broker({
    uplink,
    access,
    wire: BROKER_WIRE,
    rules: rulesOf(config),
    bulkChannels: config.bulkChannels,
    session,
    heartbeatMs: HEARTBEAT_MS,
    clock: systemClock,
    sleep,
    newId: randomUUID,
    sha256,
    data,
    observer,
  });
}

function rulesOf({ allow }: FleetletConfig): ChannelRule[] {
  const byChannel = Map.groupBy(allow, ({ channel }) => channel);
  return [...byChannel].map(([channel, each]) => ({ channel, allowed: each.map(({ identity }) => identity) }));
}

async function openMetrics(
  at: HostPort | undefined,
  { broker, uplink, access }: { readonly broker: Broker; readonly uplink: Uplink; readonly access: AccessCache },
) {
  if (at === undefined) return undefined;
  const [{ brokerMetrics }, { listenMetrics }] = await Promise.all([
    import('./metrics/broker-metrics.ts'),
    import('./metrics/metrics-listener.ts'),
  ]);
  const metrics = brokerMetrics({ stats: () => broker.stats(), state: () => uplink.state, access });
  const isHealthy = () => healthOf(uplink.state);
  // During a rolling update the old fleetlet stays until the new one is connected.
  const isReady = () => ({ healthy: uplink.state.kind === 'connected', text: uplink.state.kind });
  const { contentType } = metrics;
  return await listenMetrics({ at, isHealthy, isReady, metrics: () => metrics.text(), contentType });
}

/** Healthy as long as it serves local processes and may reconnect to the platform by itself. */
function healthOf(state: UplinkState): { readonly healthy: boolean; readonly text: string } {
  if (state.kind === 'refused') return { healthy: false, text: `refused: ${state.message}` };
  return { healthy: true, text: state.kind };
}
