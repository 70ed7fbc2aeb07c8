import {
  BadValue,
  boolean,
  COMMON_SETTINGS,
  duration,
  hostPort,
  type Kind,
  listOf,
  oneOf,
  path,
  type Resolved,
  resolveSettings,
  type Settings,
  secret,
  text,
  url,
  type Values,
} from '#kit/config';
import { LOG_LEVELS } from '#kit/telemetry';
import { isLoopback } from '#runtime/process/loopback';
import type { ConfigSources } from '#runtime/process/process-command';
import { hostOf, platformAddress } from './connect/platform-address.ts';

const LOG_FORMATS = ['json', 'pretty'] as const;
const TRANSPORTS = ['grpc', 'websocket'] as const;

/** All settings of `fleetshift fleetlet`. */
export const FLEETLET_SETTINGS = {
  platform: {
    kind: platformAddress,
    unset: 'required',
    sentence:
      'The platform: the https address of its API, which announces at enrolment where fleetlets connect; or host:port for gRPC, or a wss address for WebSockets.',
    group: 'Platform',
  },
  transport: {
    kind: oneOf(TRANSPORTS),
    unset: 'from --platform, else grpc',
    sentence: 'How to connect if the platform offers both.',
    group: 'Platform',
  },
  'enroll-url': {
    kind: url(['https:', 'http:']),
    unset: '--platform, on port 8701 unless it is an address of the API',
    sentence: "The platform's API, for enrolment and renewal.",
    group: 'Platform',
  },
  'bootstrap-token-file': {
    kind: path(),
    unset: 'none',
    sentence: 'File with the bootstrap token for enrolment, if there is no certificate yet.',
    group: 'Platform',
  },
  'bootstrap-token': {
    kind: secret(text()),
    unset: 'none',
    sentence: 'The bootstrap token, as a variable.',
    group: 'Platform',
    from: ['environment'],
  },
  target: {
    kind: listOf(targetKind()),
    default: '',
    sentence: 'A target that this fleetlet will serve, as name=type. Bound to it at enrolment.',
    group: 'Platform',
  },
  'ca-file': {
    kind: path(),
    unset: 'none',
    sentence: 'PEM file with CAs to trust for connections to the platform, in addition to the well-known ones.',
    group: 'Platform',
  },
  proxy: {
    kind: secret(url(['http:', 'https:'])),
    unset: 'HTTPS_PROXY and NO_PROXY of the environment',
    sentence: 'Proxy for connections to the platform, by CONNECT. If it has a password, set it by variable or file.',
    group: 'Platform',
  },
  insecure: {
    kind: boolean(),
    default: 'false',
    sentence: 'Allow plain http for --platform and --enroll-url, on loopback only.',
    group: 'Platform',
  },
  'listen-uds': {
    kind: path('SOCKET'),
    unset: '<data>/fleetlet.sock',
    sentence:
      'Unix socket for local processes. Only the user of this process can open it, and every process that can is admitted.',
    group: 'Local processes',
  },
  'listen-tcp': {
    kind: hostPort(),
    unset: 'not',
    sentence:
      'TCP address for local processes, which authenticate with a token. Outside of loopback it needs --local-tls-cert.',
    group: 'Local processes',
  },
  'local-token-file': {
    kind: path(),
    unset: 'none',
    sentence: 'File with the tokens of local processes, one per line: name, space, token. Reloaded when it changes.',
    group: 'Local processes',
  },
  'local-tls-cert': {
    kind: path(),
    unset: 'plain',
    sentence: 'PEM file with the certificate chain of --listen-tcp.',
    group: 'Local processes',
  },
  'local-tls-key': {
    kind: path(),
    unset: 'none',
    sentence: 'PEM file with the key of --local-tls-cert.',
    group: 'Local processes',
  },
  allow: {
    kind: listOf(allowKind()),
    default: '',
    sentence:
      'Which identity may open a channel, as channel=identity; both may end with * as a wildcard. A channel without a rule is open to every local process.',
    group: 'Local processes',
  },
  'listen-direct': {
    kind: hostPort(),
    unset: 'not',
    sentence:
      'Address where other fleetlets connect, with their certificates, for data channels that local processes read. By default all data goes through the platform.',
    group: 'Channels',
  },
  'direct-address': {
    kind: listOf(hostPort()),
    default: '',
    sentence: 'Address under which other fleetlets reach --listen-direct, if it differs.',
    group: 'Channels',
  },
  'bulk-channels': {
    kind: listOf(text('CHANNEL')),
    default: 'index,data/*',
    sentence: 'Channels that use a separate connection; may end with * as a wildcard.',
    group: 'Channels',
  },
  'access-stale': {
    kind: duration('0s', '24h'),
    default: '5m',
    sentence: 'How long expired access answers are still used while the platform is unreachable.',
    group: 'Channels',
  },
  data: {
    kind: path('FOLDER'),
    default: './.fleetlet',
    sentence: 'Folder with the key and the certificate of this fleetlet. Created if missing.',
    group: 'Data',
  },
  'metrics-listen': {
    kind: hostPort(),
    unset: 'not',
    sentence: 'Address of /healthz and /metrics. Port 0 picks a free port.',
    group: 'Watching',
  },
  'shutdown-timeout': {
    kind: duration('0s', '10m'),
    default: '5s',
    sentence: 'How long after SIGTERM messages already taken from local processes may take to reach the platform.',
    group: 'Watching',
  },
  'log-level': {
    kind: oneOf(LOG_LEVELS),
    default: 'info',
    sentence: 'Log level.',
    group: 'Watching',
  },
  'log-format': {
    kind: oneOf(LOG_FORMATS),
    unset: 'pretty on a terminal, else json',
    sentence: 'Log format: JSON lines, or readable text. Both go to standard error.',
    group: 'Watching',
  },
  ...COMMON_SETTINGS,
} as const satisfies Settings;

export type FleetletConfig = Values<typeof FLEETLET_SETTINGS>;

/** Variables of the CLI, which may run in the same shell, and of our own tests. */
export const IGNORED_VARIABLES = [
  /^FLEETSHIFT_(CONFIG|CONTEXT|SERVER|TOKEN|TOKEN_FILE|ISSUER|WORKSPACE|PASSPHRASE_FILE)$/,
  /^FLEETSHIFT_TEST_/,
];

export function resolveFleetletConfig(sources: ConfigSources): Resolved<typeof FLEETLET_SETTINGS> {
  return resolveSettings({
    settings: FLEETLET_SETTINGS,
    ignoredVariables: IGNORED_VARIABLES,
    check: (config, refuse) => checkFleetlet(config, refuse),
    ...sources,
  });
}

type Refuse = (name: keyof typeof FLEETLET_SETTINGS, why: string) => void;

/** `knowsCallers`: callers over TCP are also authenticated by other means than tokens. */
export function checkFleetlet(config: FleetletConfig, refuse: Refuse, knowsCallers = false): void {
  checkPlatform(config, refuse);
  const { listenTcp, localTokenFile, localTlsCert, localTlsKey } = config;
  if (localTlsCert !== undefined && localTlsKey === undefined) refuse('local-tls-cert', 'is given without its key');
  if (localTlsKey !== undefined && localTlsCert === undefined)
    refuse('local-tls-key', 'is given without --local-tls-cert');
  checkDirect(config, refuse);
  if (listenTcp === undefined) return;
  if (localTokenFile === undefined && !knowsCallers)
    refuse('listen-tcp', 'needs --local-token-file: without it every caller would be admitted');
  if (localTlsCert === undefined && !isLoopback(listenTcp.host)) {
    const why = `${listenTcp.host} is not on loopback, and tokens must not travel in the clear; set --local-tls-cert and --local-tls-key`;
    refuse('listen-tcp', why);
  }
}

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function checkDirect({ listenDirect, directAddress }: FleetletConfig, refuse: Refuse): void {
  if (listenDirect === undefined && directAddress.length > 0) {
    refuse('direct-address', 'is given without --listen-direct');
  }
  if (listenDirect !== undefined && directAddress.length === 0 && ANY_ADDRESS.has(listenDirect.host)) {
    refuse('listen-direct', `${listenDirect.host} is not an address that others can connect to; set --direct-address`);
  }
}

function checkPlatform({ platform, enrollUrl, insecure, printConfig }: FleetletConfig, refuse: Refuse): void {
  if (platform === undefined) {
    if (!printConfig) refuse('platform', 'is required: the https address of the platform');
    return;
  }
  const plain = [
    ['platform', platform.kind !== 'grpc' && /^(?:http|ws):$/.test(platform.url.protocol), hostOf(platform)],
    ['enroll-url', enrollUrl?.protocol === 'http:', enrollUrl?.hostname ?? ''],
  ] as const;
  for (const [name, isPlain, host] of plain) {
    if (!isPlain) continue;
    if (!isLoopback(host.replace(/^\[|\]$/g, ''))) refuse(name, 'is plain and not on loopback: use https or wss');
    else if (!insecure) refuse(name, 'is plain: use https or wss, or add --insecure');
  }
}

export interface WantedTarget {
  readonly name: string;
  readonly type: string;
}

function targetKind(): Kind<WantedTarget> {
  return {
    placeholder: 'NAME=TYPE',
    expects: 'a name and a type, such as edge-7=directory',
    parse(given) {
      const [, name, type] = /^([a-z0-9][-a-z0-9]*)=([a-z0-9][-a-z0-9]*)$/.exec(given) ?? [];
      if (name === undefined || type === undefined) throw new BadValue(`is not ${this.expects}`);
      return { name, type };
    },
    print: ({ name, type }) => `${name}=${type}`,
  };
}

interface Allowed {
  readonly channel: string;
  readonly identity: string;
}

function allowKind(): Kind<Allowed> {
  return {
    placeholder: 'CHANNEL=IDENTITY',
    expects: 'a channel and an identity, such as scores=token:scorer',
    parse(given) {
      const [, channel, identity] = /^([^=]+)=(.+)$/.exec(given) ?? [];
      if (channel === undefined || identity === undefined) throw new BadValue(`is not ${this.expects}`);
      return { channel, identity };
    },
    print: ({ channel, identity }) => `${channel}=${identity}`,
  };
}
