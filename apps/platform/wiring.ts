import { resolve } from 'node:path';
import type { ReplicaEndpoints } from '#contexts/enrolment/adapters';
import { type Identity, identityInTree } from '#contexts/identity/adapters';
import type { HostPort } from '#kit/config';
import { createHttpServer, type EventIds, type HttpServer, OpenStreams, opaqueEventIds, type Probe } from '#kit/http';
import type { Runnable, RunnableGroup } from '#kit/reconcile';
import { openKeyRing, Sealer } from '#kit/sealing';
import { aborted, sleep, systemClock } from '#kit/std';
import { refusedWrites, type Storage, sql } from '#kit/storage';
import { DeadLetterBox, purgeDeadLetters } from '#kit/storage/dead-letters';
import type { Candidacy, Leases } from '#kit/storage/leases';
import { createEventLog, createSequencer, type EventLog } from '#kit/storage/outbox';
import { type Environment, type Logger, type Metrics, startTracing, type Tracer } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';
import { type AdminToken, loadAdminToken } from '#runtime/instance/admin-token';
import { openAuditKey } from '#runtime/instance/audit-key';
import { type DataFolder, openDataFolder } from '#runtime/instance/data-folder';
import { writeEndpoints } from '#runtime/instance/endpoints-file';
import { fullDisk } from '#runtime/instance/full-disk';
import { openIncarnation } from '#runtime/instance/incarnation';
import { instanceSecret } from '#runtime/instance/instance-secret';
import { openDatabase } from '#runtime/instance/open-database';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { headDestination } from './access/audit-heads-kind.ts';
import { type Access, openAccess } from './access/open-access.ts';
import type { ApiProxy } from './api-proxy/open-api-proxy.ts';
import { wireApiProxy } from './api-proxy/wire-api-proxy.ts';
import { urlsOf } from './banner.ts';
import { type Fleetlets, openFleetlets } from './channels/open-fleetlets.ts';
import type { PlatformConfig } from './config.ts';
import { deadLetterMetrics } from './dead-letters/dead-letter-metrics.ts';
import { deadLetterRoutes } from './dead-letters/http-dead-letters.ts';
import { administratorApi } from './delivery/administrator-api.ts';
import { metricsPermission, operatorDialGuard, platformDialGuard } from './dial-guard.ts';
import { workflowRoutes } from './durable/http-workflows.ts';
import { type Durable, openDurable } from './durable/open-durable.ts';
import { readTemporalCredentials } from './durable/temporal-settings.ts';
import { joinedSets, type WorkflowSet } from './durable/workflow-set.ts';
import { announcedEndpoints, isGuessed } from './enrolment/fleetlet-endpoints.ts';
import { ENROLMENT_IN_TREE, enrolmentPurge } from './enrolment/open-enrolment.ts';
import { eventStream } from './event-stream.ts';
import { replicaRoutes } from './leadership/http-replicas.ts';
import { openLeadership } from './leadership/open-leadership.ts';
import { endpointsOfOthers, printReplica } from './leadership/replicas.ts';
import { listenHttp, listenSecurely } from './listen.ts';
import { maintenance, type Purge } from './maintenance.ts';
import { openCallers } from './open-callers.ts';
import { type Fleet, openFleet } from './orchestration/open-fleet.ts';
import { openProxyAgent, PROXIED_IN_TREE, type ProxyAgent } from './proxy-agent/open-proxy-agent.ts';
import { requestMetrics } from './request-metrics.ts';
import { INDEX_IN_TREE, type Index, indexPurge, indexRowsGauge, openIndex } from './resource-index/open-index.ts';
import { Hold } from './restore/hold.ts';
import { ACCEPT_RESTORE, instanceRoutes } from './restore/http-instance.ts';
import { sharedAuthority } from './tls/shared-authority.ts';
import { warnOfClock } from './warn-of-clock.ts';
import { warnOfMovedProperties } from './warn-of-moved-properties.ts';
import { writesProbe } from './writes-probe.ts';

export interface PlatformOptions {
  readonly config: PlatformConfig;
  readonly version: string;
  readonly environment: Environment;
  readonly log: Logger;
  /** Workflows in addition to the platform's own. */
  readonly workflows?: WorkflowSet;
  /** The log is shown to a person at a terminal. */
  readonly atTerminal?: boolean;
}

/** A platform that listens; `groups` is the work that keeps it running, and `close` releases everything. */
export interface Platform {
  readonly http?: HostPort | undefined;
  readonly https?: HostPort | undefined;
  /** The gRPC address for fleetlets. */
  readonly fleetlets?: HostPort | undefined;
  readonly authorityFile?: string | undefined;
  /** The socket by which processes of this machine reach the fleetlet inside the platform. */
  readonly fleetletSocket: string | undefined;
  readonly folder: DataFolder;
  readonly token: AdminToken | undefined;
  readonly groups: readonly RunnableGroup[];
  readonly storage: Storage;
  close(): Promise<void>;
}

const OPEN_MS = 30_000;
const BACKGROUND_STOP_MS = 3_000;
const WORKFLOWS_STOP_MS = 5_000;
const LAST_TRACES_MS = 2_000;

/** Wires all contexts. If something fails, everything opened before is closed again. */
export async function wirePlatform(options: PlatformOptions, signal: AbortSignal): Promise<Platform> {
  const opened = new AsyncDisposableStack();
  try {
    return await open(options, opened, signal);
  } catch (error) {
    await opened
      .disposeAsync()
      .catch((err: unknown) => options.log.warn({ err }, 'cleanup after a failed start incomplete'));
    throw fullDisk(error, options.config) ?? error;
  }
}

/** Everything that has to be closed goes onto the stack, which closes in reverse order. */
async function open(options: PlatformOptions, opened: AsyncDisposableStack, signal: AbortSignal): Promise<Platform> {
  const { config, version, environment, log } = options;
  const folder = openDataFolder(config.data, systemClock);
  opened.defer(() => folder.release());
  if (folder.openToAll) log.warn({ file: folder.path }, 'data folder is readable by every account of this machine');
  const tokenFile = config.adminTokenFile ?? folder.adminTokenFile;
  const token = tokenFile === 'none' ? undefined : loadAdminToken(resolve(tokenFile));

  const tracer = await startTracing(environment, { serviceName: 'fleetshift', version, log });
  opened.defer(() => tracer.shutdown(AbortSignal.timeout(LAST_TRACES_MS)));

  const database = { choice: config.database, sqliteFile: folder.databaseFile, modules: SCHEMA_MODULES };
  const now = (): number => performance.now();
  const refused = refusedWrites(
    await openDatabase(database, AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)])),
    now,
  );
  const { storage } = refused;
  opened.defer(() => storage.close());

  const incarnation = await openIncarnation(storage, { now: systemClock.now() }, signal);
  const hold = new Hold({ storage, incarnation, sleep, log });
  await warnOfMovedProperties({ storage, log }, signal);
  await warnOfClock({ storage, clock: systemClock, log }, signal);

  const metrics = createMetrics();
  const serving: { server?: HttpServer; meter?: Access['meter'] } = {};
  const events = createEventLog(storage);
  const keyFile = resolve(config.keyFile ?? folder.keyFile);
  const keys = await openKeyRing({ file: keyFile, storage, clock: systemClock }, signal);
  const sealer = new Sealer(keys);
  const ids = opaqueEventIds(await instanceSecret({ storage, sealer }, 'event-ids', signal));
  const api = administratorApi(() => serving.server ?? neverServes(), token);
  const { demoFleet } = config;
  const listening: Listening = {};
  const announced = (): ReplicaEndpoints => announcedEndpoints({ ...config, ...listening });
  const about = (): string => printReplica({ version, endpoints: announced() });
  const leadership = openLeadership({ storage, seat: folder.seat(), about, hold, metrics, log });
  // Rollouts run once everything is wired.
  const delivered = (workspace: string): void => serving.meter?.add(workspace, 'deliveries', 1);
  const parts = {
    storage,
    events,
    sealer,
    dataFolder: folder.path,
    demoFleet,
    leadership,
    hold,
    api,
    metrics,
    delivered,
    log,
  };
  const fleet = await openFleet(parts, signal);
  const durable = await openWorkflows({ ...options, storage, metrics, fleet, leases: leadership }, signal);
  opened.defer(() => durable.close());

  const { tree, addonTypes } = fleet;
  const adminRemains = (): boolean => token !== undefined;
  const kept = {
    contents: [tree.contents, ENROLMENT_IN_TREE.contents],
    moveObservers: [tree.moves, ENROLMENT_IN_TREE.moves, INDEX_IN_TREE.moves],
    targetDeleteObservers: [
      tree.targets,
      ENROLMENT_IN_TREE.targets,
      PROXIED_IN_TREE.targets,
      INDEX_IN_TREE.targets,
      identityInTree,
    ],
    targetMergeObservers: [ENROLMENT_IN_TREE.merges],
    workspaceDeleteObservers: [ENROLMENT_IN_TREE.workspaces, INDEX_IN_TREE.workspaces],
  };
  const guard = platformDialGuard(config, () => listening);
  const operatorGuard = operatorDialGuard(config, () => listening);
  const auditKey = await openAuditKey({ storage, sealer, dataFolder: folder.path, log }, signal);
  const auditing = {
    auditKey,
    ...(config.auditHeads === undefined ? {} : { auditHeads: headDestination(config.auditHeads, operatorGuard) }),
  };
  const gauges = [indexRowsGauge(storage)];
  const access = await openAccess(
    { storage, events, log, adminRemains, addonTypes, gauges, ...kept, ...auditing },
    signal,
  );
  serving.meter = access.meter;
  const urls = (): string[] => urlsOf({ http: listening.http, https: listening.https });
  const callers = openCallers({
    config,
    storage,
    sealer,
    adminToken: token,
    dataFolder: folder.path,
    dial: { issuers: operatorGuard, named: guard },
    urls,
    decisions: access.decisions,
    grants: access.grants,
    log,
  });
  opened.defer(() => callers.close());

  const { authenticator } = callers;
  const letters = deadLetters(storage, log);
  const setAside = letters.add.bind(letters);
  const shared = {
    config,
    version,
    storage,
    sealer,
    access,
    authenticator,
    fleet,
    leadership,
    hold,
    folder,
    metrics,
    log,
  };
  const otherReplicas = (): ReplicaEndpoints[] => (config.advertise === undefined ? endpointsOfOthers(leadership) : []);
  const replicas = (): ReplicaEndpoints[] => {
    const others = otherReplicas();
    return others.length === 0 ? [] : [announced(), ...others];
  };
  const machines = { ...shared, setAside, otherReplicas, replicas };
  const streams = new OpenStreams({ authenticator, log: log.child({ component: 'streams' }) });
  opened.defer(callers.onRevoked(() => streams.changed()));
  opened.defer(access.index.onLoss(() => streams.changed()));
  const fleetlets = await openFleetlets({ ...machines, listening: () => listening }, opened, signal);
  const index = openIndex({ storage, leadership, hub: fleetlets.hub, metrics, setAside, log });
  opened.defer(() => index.close());
  const proxied = openProxyAgent({ ...machines, fleetlets, addonTypes, environment, guard });

  const apiProxy = wireApiProxy({ ...machines, identity: callers, streams, hub: fleetlets.hub });

  const server = await createServer({
    ...options,
    apiProxy,
    streams,
    storage,
    tracer,
    metrics,
    durable,
    leadership,
    events,
    ids,
    access,
    callers,
    fleetlets,
    proxied,
    index,
    fleet,
    hold,
    probes: [writesProbe({ refused, dataFolder: folder.path, now, metrics }), hold.probe],
  });
  serving.server = server;
  opened.defer(() => server.close(config.shutdownTimeout));
  const background = [
    ...backgroundWork(storage, options, [
      ...fleet.purges,
      enrolmentPurge(storage),
      indexPurge(storage),
      deadLetterPurge(storage),
    ]),
    { name: 'leadership', run: (stop: AbortSignal) => leadership.run(stop) },
    { name: 'dead letters', run: (stop: AbortSignal) => letters.run(stop) },
    deadLetterMetrics({ storage, metrics, sleep, log }),
    ...access.runnables,
    callers.upkeep,
    streams,
    ...fleetlets.runnables,
    hold.runnable,
    ...proxied.runnables.map((runnable) => hold.afterwards(runnable)),
    ...index.runnables,
    ...fleet.runnables(durable.client).map((runnable) => hold.afterwards(runnable)),
  ];
  listening.http = config.listen && (await listenHttp(server, config.listen));
  const authority = await sharedAuthority({ storage, sealer, tlsFolder: folder.tlsFolder, clock: systemClock }, signal);
  const secure = await listenSecurely({ server, fleetlets }, { config, folder, authority, log });
  if (secure) background.push(secure.renewal);
  Object.assign(listening, secure?.listening);
  warnOfGuessedName({ ...config, ...listening }, { storage, log });
  opened.defer(writeEndpoints(folder.path, listening));

  const serve = [
    apiProxy.runnable,
    { name: 'http server', run: (stop: AbortSignal) => serveUntil(stop, server, config.shutdownTimeout) },
    fleetlets.serve,
  ];
  const groups = [
    { name: 'background', runnables: background, stopWithinMs: BACKGROUND_STOP_MS },
    { name: 'workflows', runnables: [durable.executor], stopWithinMs: WORKFLOWS_STOP_MS },
    { name: 'serve', runnables: serve, stopWithinMs: config.shutdownTimeout + 1_000 },
  ];
  const { socket: fleetletSocket } = fleetlets;
  return { ...listening, fleetletSocket, folder, token, groups, storage, close: () => opened.disposeAsync() };
}

type Listening = { -readonly [Key in 'http' | 'https' | 'fleetlets' | 'authorityFile']?: Platform[Key] };

function neverServes(): never {
  throw new TypeError('the platform called its own API before it served');
}

interface WorkflowParts extends PlatformOptions {
  readonly storage: Storage;
  readonly metrics: Metrics;
  readonly fleet: Fleet;
  readonly leases: Candidacy;
}

async function openWorkflows(parts: WorkflowParts, signal: AbortSignal): Promise<Durable> {
  const { config, storage, metrics, fleet, leases, workflows } = parts;
  const set = joinedSets([fleet.workflows, ...(workflows === undefined ? [] : [workflows])]);
  const log = parts.log.child({ component: 'workflows' });
  const credentials = readTemporalCredentials(config);
  const options = { choice: config.durable, credentials, set, storage, leases, metrics, log };
  return await openDurable(options, AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)]));
}

interface ServerParts extends PlatformOptions {
  readonly storage: Storage;
  readonly events: EventLog;
  readonly ids: EventIds;
  readonly access: Access;
  readonly callers: Identity;
  readonly fleetlets: Pick<Fleetlets, 'routes'>;
  readonly apiProxy: ApiProxy;
  readonly streams: OpenStreams;
  readonly proxied: Pick<ProxyAgent, 'routes'>;
  readonly index: Pick<Index, 'routes'>;
  readonly fleet: Fleet;
  readonly tracer: Tracer;
  readonly metrics: Metrics;
  readonly durable: Durable;
  readonly probes: readonly Probe[];
  readonly leadership: Pick<Leases, 'instances'>;
  readonly hold: Hold;
}

/** Changes that a held platform takes. Credentials that were revoked since the backup are valid again, so they can end. */
const WHILE_HELD: ReadonlySet<string> = new Set([
  ACCEPT_RESTORE,
  'logout',
  'deleteSession',
  'revokeSessions',
  'deleteServiceAccountToken',
]);

async function createServer(parts: ServerParts): Promise<HttpServer> {
  const {
    config,
    version,
    log,
    storage,
    events,
    ids,
    access,
    callers,
    fleetlets,
    proxied,
    index,
    fleet,
    tracer,
    metrics,
    durable,
  } = parts;
  describeBuild(metrics, version);
  const httpLog = log.child({ component: 'http' });
  return await createHttpServer(
    {
      api: { title: 'FleetShift', version, description: 'The management plane for fleets of Kubernetes clusters.' },
      realm: 'fleetshift',
      metricsPermission: metricsPermission(config),
      trustProxy: config.trustProxy,
      quietRequests: parts.atTerminal ?? false,
      limits: {
        bodyBytes: config.bodyLimit,
        requestMs: config.requestTimeout,
        perPrincipal: { max: config.rateLimit, windowMs: 60_000 },
      },
    },
    {
      routes: [
        ...access.routes,
        ...callers.routes,
        ...fleetlets.routes,
        ...proxied.routes,
        ...index.routes,
        ...fleet.routes(access),
        ...workflowRoutes(durable.client),
        ...deadLetterRoutes(storage),
        ...replicaRoutes(parts.leadership),
        ...instanceRoutes({ storage, hold: parts.hold, clock: systemClock }),
        eventStream({ events, ids, log: httpLog, mayRead: access.mayReadEvent }),
      ].map((route) => parts.hold.guard(route, WHILE_HELD)),
      raw: parts.apiProxy,
      streams: parts.streams,
      authenticator: callers.authenticator,
      authorizer: access.authorizer,
      audit: access.audit,
      probes: [...probesOf(storage, events), ...parts.probes, durable.probe],
      metrics,
      observer: requestMetrics(metrics),
      tracer,
      log: httpLog,
    },
  );
}

function probesOf(storage: Storage, events: EventLog): Probe[] {
  return [
    {
      name: 'database',
      check: async (signal) => {
        await storage.get(sql`SELECT 1 AS one`, signal);
        return storage.engine;
      },
    },
    {
      name: 'events',
      check: async (signal) => {
        // Returns no position: this is public.
        await events.lastPosition(signal);
        return undefined;
      },
    },
  ];
}

function backgroundWork(storage: Storage, { config, log }: PlatformOptions, purges: readonly Purge[]): Runnable[] {
  const onTrouble = (err: unknown): void => log.warn({ err }, 'events not sequenced; retrying');
  const sequencer = createSequencer({ storage, onTrouble });
  return [
    { name: 'event sequencer', run: (signal) => sequencer.run(signal) },
    maintenance({ storage, eventRetentionMs: config.eventRetention, purges, clock: systemClock, sleep, log }),
  ];
}

/** A hostile sender causes one line now and then, not one per message. */
function deadLetters(storage: Storage, log: Logger): DeadLetterBox {
  return new DeadLetterBox({
    storage,
    clock: systemClock,
    sleep,
    onStored: ({ source, subject, code, messages, lastError: reason }) =>
      log.warn({ source, subject, code, count: messages, reason }, 'messages from an agent refused and set aside'),
    onTrouble: (err) => log.warn({ err }, 'dead letters not stored; retrying'),
  });
}

const LETTERS_KEPT_MS = 30 * 24 * 3_600_000;

function deadLetterPurge(storage: Storage): Purge {
  return {
    name: 'dead letters',
    run: (signal) => purgeDeadLetters(storage, systemClock.now() - LETTERS_KEPT_MS, signal),
  };
}

/** A platform alone tells fleetlets the name under which they enrolled. */
function warnOfGuessedName(
  addresses: Parameters<typeof isGuessed>[0],
  { storage, log }: { readonly storage: Pick<Storage, 'engine'>; readonly log: Logger },
): void {
  if (storage.engine === 'sqlite' || !isGuessed(addresses)) return;
  const { grpc, websocket } = announcedEndpoints(addresses);
  log.warn(
    { address: grpc ?? websocket },
    'fleetlets are told the host name of this machine; set --tls-name, or --advertise for all replicas, if they cannot resolve it',
  );
}

async function serveUntil(stop: AbortSignal, server: HttpServer, deadlineMs: number): Promise<void> {
  await aborted(stop);
  await server.close(deadlineMs);
}

function describeBuild(metrics: Metrics, version: string): void {
  const gauge = metrics.gauge({
    name: 'fleetshift_build_info',
    help: 'Always 1; the version is a label.',
    labels: ['version'],
  });
  gauge.set({ version }, 1);
}
