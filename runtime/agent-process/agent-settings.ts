import { boolean, type HostPort, hostPort, oneOf, path, type Settings } from '#kit/config';
import { LOG_LEVELS } from '#kit/telemetry';
import { isLoopback } from '#runtime/process/loopback';

const LOG_FORMATS = ['json', 'pretty'] as const;

/** How to reach the fleetlet. */
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
    sentence: 'TCP address of the fleetlet, instead of its socket. Needs --token-file.',
    group: 'Fleetlet',
  },
  'token-file': {
    kind: path(),
    unset: 'none',
    sentence: 'File with the token that authenticates this process at the fleetlet. Read again for each connection.',
    group: 'Fleetlet',
    // FLEETSHIFT_TOKEN_FILE belongs to the CLI. Its token must not be shown to a fleetlet.
    variable: 'FLEETSHIFT_FLEETLET_TOKEN_FILE',
  },
  'ca-file': {
    kind: path(),
    unset: 'plain text, which a fleetlet offers on loopback only',
    sentence: 'PEM file with the CA of the fleetlet at --fleetlet.',
    group: 'Fleetlet',
    variable: 'FLEETSHIFT_FLEETLET_CA_FILE',
  },
} as const satisfies Settings;

/** Process and logging. */
export const AGENT_PROCESS_SETTINGS = {
  'stop-with-stdin': {
    kind: boolean(),
    default: 'false',
    sentence: 'Stop when standard input ends, so that the process does not outlive a parent that is killed.',
    group: 'Process',
  },
  'log-level': { kind: oneOf(LOG_LEVELS), default: 'info', sentence: 'Log level.', group: 'Process' },
  'log-format': {
    kind: oneOf(LOG_FORMATS),
    unset: 'pretty in a terminal, else json',
    sentence: 'Log format.',
    group: 'Process',
  },
} as const satisfies Settings;

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
  if (fleetletSocket !== undefined) refuse('fleetlet', 'cannot be combined with --fleetlet-socket');
  if (tokenFile === undefined) refuse('fleetlet', 'needs --token-file');
  if (caFile === undefined && !isLoopback(fleetlet.host)) {
    refuse('fleetlet', 'is not on loopback, and tokens must not travel in the clear; set --ca-file');
  }
}
