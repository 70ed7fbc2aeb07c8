import { resolve } from 'node:path';
import {
  BadValue,
  boolean,
  COMMON_SETTINGS,
  duration,
  type Environment,
  hostPort,
  type Kind,
  listOf,
  oneOf,
  path,
  type Resolved,
  resolveSettings,
  type Settings,
  type Values,
} from '#kit/config';
import { LOG_LEVELS } from '#kit/telemetry';
import { isLoopback } from '../platform/loopback.ts';

const LOG_FORMATS = ['json', 'pretty'] as const;

/** A folder, and the target that it is. */
export interface ServedFolder {
  readonly name: string;
  readonly folder: string;
}

/** Everything an operator can choose about `fleetshift agent directory`. */
export const DIRECTORY_AGENT_SETTINGS = {
  'fleetlet-socket': {
    kind: path(),
    unset: './.fleetshift/fleetlet.sock, unless --fleetlet',
    sentence: 'Socket of the fleetlet next door.',
    group: 'Fleetlet',
  },
  fleetlet: {
    kind: hostPort(),
    unset: 'none',
    sentence: 'Where the fleetlet listens for TCP instead. Needs --token-file.',
    group: 'Fleetlet',
  },
  'token-file': {
    kind: path(),
    unset: 'none',
    sentence: 'File with the token that the fleetlet knows this process by. Read anew for each connection.',
    group: 'Fleetlet',
    // FLEETSHIFT_TOKEN_FILE is the client's, and what is in it is not for a fleetlet to see.
    variable: 'FLEETSHIFT_FLEETLET_TOKEN_FILE',
  },
  'ca-file': {
    kind: path(),
    unset: 'plain, which a fleetlet offers on loopback only',
    sentence: 'PEM file with the authority of the fleetlet at --fleetlet.',
    group: 'Fleetlet',
    variable: 'FLEETSHIFT_FLEETLET_CA_FILE',
  },
  target: {
    kind: listOf(servedFolder()),
    default: '',
    sentence: 'A target and its folder, as name=folder. Give one for each.',
    group: 'Targets',
  },
  'allow-commands': {
    kind: boolean(),
    default: 'false',
    sentence: 'Run the commands of HealthCheck documents, as the user of this process.',
    group: 'Targets',
  },
  'look-every': {
    kind: duration('1s', '1h'),
    default: '30s',
    sentence: 'How often folders are looked at, beside when something in them changes.',
    group: 'Targets',
  },
  'stop-with-stdin': {
    kind: boolean(),
    default: 'false',
    sentence: 'Stop when standard input ends: for whoever starts it as a child, and may be killed.',
    group: 'Process',
  },
  'log-level': { kind: oneOf(LOG_LEVELS), default: 'info', sentence: 'What is logged.', group: 'Process' },
  'log-format': {
    kind: oneOf(LOG_FORMATS),
    unset: 'pretty in a terminal, else json',
    sentence: 'How it is logged.',
    group: 'Process',
  },
  ...COMMON_SETTINGS,
} as const satisfies Settings;

export type DirectoryAgentConfig = Values<typeof DIRECTORY_AGENT_SETTINGS>;

export interface ConfigSources {
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly readText: (path: string) => string;
}

/** Of the command line client, which may run in the same shell, and of our own tests. */
const IGNORED_VARIABLES = [
  /^FLEETSHIFT_(CONFIG|CONTEXT|SERVER|TOKEN|TOKEN_FILE|CA_FILE|ISSUER|WORKSPACE|PASSPHRASE_FILE)$/,
  /^FLEETSHIFT_TEST_/,
];

export function resolveDirectoryAgentConfig(sources: ConfigSources): Resolved<typeof DIRECTORY_AGENT_SETTINGS> {
  return resolveSettings({
    settings: DIRECTORY_AGENT_SETTINGS,
    ignoredVariables: IGNORED_VARIABLES,
    check,
    ...sources,
  });
}

function check(
  config: DirectoryAgentConfig,
  refuse: (name: keyof typeof DIRECTORY_AGENT_SETTINGS, why: string) => void,
) {
  const { fleetlet, fleetletSocket, tokenFile, caFile, target, printConfig } = config;
  if (printConfig) return;
  if (target.length === 0) refuse('target', 'is needed: a target and its folder, as name=folder');
  const names = new Set(target.map(({ name }) => name));
  if (names.size < target.length) refuse('target', 'names a target twice');
  const folders = new Set(target.map(({ folder }) => folder));
  if (folders.size < target.length) refuse('target', 'names a folder twice');
  if (fleetlet === undefined) return;
  if (fleetletSocket !== undefined) refuse('fleetlet', 'is given together with --fleetlet-socket: choose one');
  if (tokenFile === undefined) refuse('fleetlet', 'needs --token-file');
  if (caFile === undefined && !isLoopback(fleetlet.host)) {
    refuse('fleetlet', 'is beyond loopback, where tokens must not travel in the clear; give --ca-file');
  }
}

function servedFolder(): Kind<ServedFolder> {
  return {
    placeholder: 'NAME=FOLDER',
    expects: 'the name of a target and its folder, such as web-1=/srv/web',
    parse(text) {
      const at = text.indexOf('=');
      const [name, folder] = [text.slice(0, at), text.slice(at + 1)];
      if (at < 1 || folder === '') throw new BadValue(`is not ${this.expects}`);
      return { name, folder: resolve(folder) };
    },
    print: ({ name, folder }) => `${name}=${folder}`,
  };
}
