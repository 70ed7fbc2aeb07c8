import {
  boolean,
  byteSize,
  COMMON_SETTINGS,
  duration,
  hostPort,
  integer,
  listOf,
  network,
  oneOf,
  orNone,
  path,
  type Resolved,
  resolveSettings,
  type Settings,
  text,
  url,
  type Values,
} from '#kit/config';
import { LOG_LEVELS } from '#kit/telemetry';
import { databaseKind } from '#runtime/instance/database-kind';
import { isLoopback } from '#runtime/process/loopback';
import { type ConfigSources, IGNORED_VARIABLES } from '#runtime/process/process-command';
import { auditHeadsKind } from './access/audit-heads-kind.ts';
import { fleetletPlace } from './channels/fleetlet-address.ts';
import { durableKind } from './durable/durable-kind.ts';
import { checkTemporal, serverName, TEMPORAL_SETTINGS } from './durable/temporal-settings.ts';
import { checkEmbeddedFleetlet, EMBEDDED_FLEETLET_SETTINGS } from './embedded-fleetlet/settings.ts';

const LOG_FORMATS = ['json', 'pretty'] as const;

/** All settings of `fleetshift serve`. Help and the reference page are generated from this. */
export const PLATFORM_SETTINGS = {
  listen: {
    kind: orNone(hostPort()),
    default: '127.0.0.1:8700',
    sentence: 'Address for plain HTTP, or none. Loopback only, unless --insecure-http is set. Port 0 takes a free one.',
    group: 'Network',
  },
  'tls-listen': {
    kind: orNone(hostPort()),
    default: '127.0.0.1:8701',
    sentence: 'Address for TLS, or none. Port 0 takes a free one.',
    group: 'Network',
  },
  'fleetlet-listen': {
    kind: fleetletPlace,
    unset: 'port 8702 on the host of --tls-listen; none if that is none',
    sentence:
      'Address for fleetlets over gRPC with client certificates, or none. Over WebSockets fleetlets connect to --tls-listen. Port 0 takes a free one.',
    group: 'Network',
  },
  'fleetlet-heartbeat': {
    kind: duration('100ms', '10m'),
    default: '5s',
    sentence: 'Heartbeat interval of fleetlets. A fleetlet counts as gone after three intervals without a heartbeat.',
    group: 'Network',
  },
  ...EMBEDDED_FLEETLET_SETTINGS,
  'insecure-http': {
    kind: boolean(),
    default: 'false',
    sentence: 'Let --listen serve plain HTTP beyond loopback, for a proxy in front that terminates TLS.',
    group: 'Network',
  },
  'tls-cert': {
    kind: path(),
    unset: 'created by a private authority, in <data>/tls',
    sentence: 'Certificate chain in PEM. A renewed file is picked up while running.',
    group: 'Network',
  },
  'tls-key': {
    kind: path(),
    unset: 'created together with the certificate',
    sentence: 'Private key of --tls-cert, in PEM.',
    group: 'Network',
  },
  'tls-name': {
    kind: listOf(serverName),
    default: '',
    sentence:
      'Additional names for the created certificate, besides localhost, the host name and the address of --tls-listen.',
    group: 'Network',
  },
  advertise: {
    kind: serverName,
    unset: 'every replica by its own address',
    sentence:
      'The one name under which all replicas are reached, such as that of a load balancer. Fleetlets get it with the ports of --tls-listen and --fleetlet-listen, instead of the addresses of single replicas, and it becomes a name of the created certificate.',
    group: 'Network',
  },
  'trust-proxy': {
    kind: listOf(text('ADDRESS')),
    default: '',
    sentence:
      'Proxies, by address or network such as 10.0.0.0/8, whose X-Forwarded-For is trusted for the client address.',
    group: 'Network',
  },
  'proxy-protocol': {
    kind: boolean(),
    default: 'false',
    sentence:
      'Expect a PROXY protocol header, version 2, on connections from --trust-proxy to --fleetlet-listen, for the client address.',
    group: 'Network',
  },
  'dial-allow': {
    kind: listOf(network()),
    default: '',
    sentence:
      "Networks that the platform may dial on behalf of its users besides public addresses, such as 10.0.0.0/8: the networks of clusters whose kubeconfigs users store. Includes loopback if every listener is on loopback and there is no --trust-proxy. Link-local addresses and the platform's own listeners are never dialled, not even for issuers and audit heads.",
    group: 'Network',
  },
  'protect-metrics': {
    kind: boolean(),
    default: 'false',
    sentence:
      'Require the permission metrics.read on /metrics on loopback, too. It is always required if --listen or --tls-listen is beyond loopback, or behind --trust-proxy.',
    group: 'Network',
  },
  'audit-heads': {
    kind: auditHeadsKind,
    unset: 'nowhere',
    sentence:
      'Where heads of the audit log are sent, out of reach of accounts that can write to the database: a file that lines are appended to, or an HTTPS receiver of POSTs, which may be at a private address.',
    group: 'Data',
  },
  data: {
    kind: path('FOLDER'),
    default: './.fleetshift',
    sentence:
      'Folder of this process: the SQLite database, the keys, the admin token, the TLS authority. Not shared with other processes.',
    group: 'Data',
  },
  database: {
    kind: databaseKind,
    default: 'sqlite',
    sentence:
      'The database: sqlite, a file in --data, or the URL of a Postgres database. Pass a URL with a password by variable or file: other users of a machine can see the flags of a process.',
    group: 'Data',
  },
  durable: {
    kind: durableKind,
    default: 'embedded',
    sentence:
      'The workflow engine: embedded, in this process on its own database, or the Temporal server and namespace at temporal://host:port/namespace.',
    group: 'Data',
  },
  ...TEMPORAL_SETTINGS,
  'key-file': {
    kind: path(),
    unset: '<data>/keys.json',
    sentence:
      'File with the keys that seal secrets in the database. Created on the first start, readable by its owner only; replicas share it. Without it sealed secrets are lost: back it up.',
    group: 'Data',
  },
  'demo-fleet': {
    kind: integer({ min: 0, max: 1_000 }),
    default: '0',
    sentence:
      'Seed an empty instance with a workspace demo, this many simulated targets and a rollout to watch, and simulate all targets of the type simulated. On SQLite only.',
    group: 'Data',
  },
  'public-url': {
    kind: listOf(url(['http:', 'https:'])),
    default: '',
    sentence:
      'The URLs at which browsers reach this platform, besides its listen addresses: logins redirect there, and only pages from there may use a session.',
    group: 'Access',
  },
  'issuers-file': {
    kind: path(),
    unset: 'only those created by the API',
    sentence:
      'File with OIDC issuers, a YAML list of bodies of POST /v1/issuers. Issuers may be at private addresses; addresses that a public issuer names for its keys and logins may be private only within --dial-allow.',
    group: 'Access',
  },
  'admin-token-file': {
    kind: path(),
    unset: '<data>/admin-token',
    sentence:
      'File with a token of the administrator, for scripts and charts. Created when missing, readable by its owner only. With none there is no such token, and the administrator signs in by a one-time login.',
    group: 'Access',
  },
  'insecure-dev-auth': {
    kind: boolean(),
    default: 'false',
    sentence: 'Treat every client on this machine as the administrator. Listens on loopback only.',
    group: 'Access',
  },
  'fleetlet-certificate-ttl': {
    kind: duration('5m', '365d'),
    default: '24h',
    sentence: "Lifetime of a fleetlet's certificate. The fleetlet renews it after two thirds of that.",
    group: 'Access',
  },
  'fleetlet-renewal-grace': {
    kind: duration('0s', '3650d'),
    default: '30d',
    sentence: 'How long an expired certificate of a fleetlet that was offline can still be renewed.',
    group: 'Access',
  },
  'event-retention': {
    kind: duration('1m', '3650d'),
    default: '7d',
    sentence: 'How long events are stored for clients that resume the event stream.',
    group: 'Data',
  },
  'request-timeout': {
    kind: duration('100ms', '1h'),
    default: '60s',
    sentence: 'Timeout of a request, from its first byte to the response. Does not apply to event streams.',
    group: 'Limits',
  },
  'body-limit': {
    kind: byteSize('1KiB', '1GiB'),
    default: '16MiB',
    sentence: 'The largest request body.',
    group: 'Limits',
  },
  'rate-limit': {
    kind: integer({ min: 1, max: 1_000_000 }),
    default: '12000',
    sentence: 'Maximum requests per minute of one caller.',
    group: 'Limits',
  },
  'shutdown-timeout': {
    kind: duration('0s', '1h'),
    default: '10s',
    sentence: 'How long open requests may take to finish after SIGTERM or SIGINT. A second signal exits at once.',
    group: 'Limits',
  },
  'log-level': {
    kind: oneOf(LOG_LEVELS),
    default: 'info',
    sentence: 'The lowest level of messages to log.',
    group: 'Logging',
  },
  'log-format': {
    kind: oneOf(LOG_FORMATS),
    unset: 'pretty on a terminal, otherwise json',
    sentence: 'JSON lines for machines, or text for people. Both go to standard error.',
    group: 'Logging',
  },
  ...COMMON_SETTINGS,
} as const satisfies Settings;

export type PlatformConfig = Values<typeof PLATFORM_SETTINGS>;

export function resolvePlatformConfig(sources: ConfigSources): Resolved<typeof PLATFORM_SETTINGS> {
  return resolveSettings({ settings: PLATFORM_SETTINGS, ignoredVariables: IGNORED_VARIABLES, check, ...sources });
}

type Refuse = (name: keyof typeof PLATFORM_SETTINGS, why: string) => void;

function check(config: PlatformConfig, refuse: Refuse): void {
  const { listen, tlsListen, insecureHttp, tlsCert, tlsKey, proxyProtocol, trustProxy } = config;
  if (listen === undefined && tlsListen === undefined)
    refuse('listen', 'is none, and so is --tls-listen: at least one has to serve');
  if (listen !== undefined && !insecureHttp && !isLoopback(listen.host)) {
    refuse(
      'listen',
      `${listen.host} is beyond loopback, where plain HTTP exposes tokens on the network; serve TLS there with --tls-listen, or add --insecure-http if a proxy in front terminates TLS`,
    );
  }
  if (proxyProtocol && trustProxy.length === 0) {
    refuse('proxy-protocol', 'needs --trust-proxy: a header from any other client could claim any address');
  }
  if (tlsCert !== undefined && tlsKey === undefined) refuse('tls-cert', 'is given without --tls-key');
  if (tlsKey !== undefined && tlsCert === undefined) refuse('tls-key', 'is given without --tls-cert');
  checkDemo(config, refuse);
  checkEmbeddedFleetlet(config, refuse);
  checkTemporal(config, refuse);
  checkAccess(config, refuse);
}

/** The demo is created with the administrator's token, and only one process can run a simulated fleet. */
function checkDemo({ demoFleet, database, adminTokenFile, insecureDevAuth }: PlatformConfig, refuse: Refuse): void {
  if (demoFleet === 0) return;
  if (database.engine !== 'sqlite') refuse('demo-fleet', 'requires SQLite: omit --database');
  if (adminTokenFile === 'none' && !insecureDevAuth) {
    refuse('demo-fleet', 'needs the admin token: omit --admin-token-file none');
  }
}

function checkAccess({ listen, tlsListen, insecureDevAuth, publicUrl }: PlatformConfig, refuse: Refuse): void {
  const beyond = [listen, tlsListen].find((place) => place !== undefined && !isLoopback(place.host));
  if (insecureDevAuth && beyond !== undefined) {
    refuse('insecure-dev-auth', `makes every client the administrator, and ${beyond.host} is beyond loopback`);
  }
  const long = publicUrl.find(({ href, origin }) => href !== `${origin}/`);
  if (long !== undefined) refuse('public-url', `${long.href} has more than a scheme, a host and a port`);
}
