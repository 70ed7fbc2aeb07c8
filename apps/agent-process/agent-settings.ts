import { boolean, type HostPort, hostPort, oneOf, path, type Settings } from '#kit/config';
import { LOG_LEVELS } from '#kit/telemetry';
import { isLoopback } from '../platform/loopback.ts';

const LOG_FORMATS = ['json', 'pretty'] as const;

/** Where the fleetlet is. */
export const FLEETLET_ENDPOINT_SETTINGS = {
  'fleetlet-socket': {
    kind: path(),
    unset: './.fleetshift/fleetlet.sock, unless --fleetlet',
    sentence: 'Socket of the local fleetlet.',
    group: 'Fleetlet',
  },
  fleetlet: {
    kind: hostPort(),
    unset: 'none',
    sentence: 'TCP address of the fleetlet, instead of the socket. Requires --token-file.',
    group: 'Fleetlet',
  },
  'token-file': {
    kind: path(),
    unset: 'none',
    sentence: 'File with the token that identifies this process to the fleetlet. Read again for each connection.',
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
} as const satisfies Settings;

/** How it is run and what it says. */
export const AGENT_PROCESS_SETTINGS = {
  'stop-with-stdin': {
    kind: boolean(),
    default: 'false',
    sentence: 'Stop when standard input ends: for a parent process that may be killed.',
    group: 'Process',
  },
  'log-level': {
    kind: oneOf(LOG_LEVELS),
    default: 'info',
    sentence: 'The least important messages to log.',
    group: 'Process',
  },
  'log-format': {
    kind: oneOf(LOG_FORMATS),
    unset: 'pretty on a terminal, else json',
    sentence: 'JSON lines for machines, or text for people. Both go to standard error.',
    group: 'Process',
  },
} as const satisfies Settings;

/** Of the command line client, which may run in the same shell, and of our own tests. */
export const IGNORED_VARIABLES = [
  /^FLEETSHIFT_(CONFIG|CONTEXT|SERVER|TOKEN|TOKEN_FILE|CA_FILE|ISSUER|WORKSPACE|PASSPHRASE_FILE)$/,
  /^FLEETSHIFT_TEST_/,
];

export interface FleetletEndpointConfig {
  readonly fleetlet: HostPort | undefined;
  readonly fleetletSocket: string | undefined;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
}

export function checkFleetletEndpoint(
  { fleetlet, fleetletSocket, tokenFile, caFile }: FleetletEndpointConfig,
  refuse: (name: 'fleetlet', why: string) => void,
): void {
  if (fleetlet === undefined) return;
  if (fleetletSocket !== undefined) refuse('fleetlet', 'is given together with --fleetlet-socket: choose one');
  if (tokenFile === undefined) refuse('fleetlet', 'needs --token-file');
  if (caFile === undefined && !isLoopback(fleetlet.host)) {
    refuse('fleetlet', 'is beyond loopback, where tokens must not travel in the clear; give --ca-file');
  }
}
