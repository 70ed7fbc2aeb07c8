import { type HostPort, hostPort, path, type Settings } from '#kit/config';
import { isLoopback } from '#runtime/process/loopback';

/** Settings of the fleetlet inside the platform, for addons on the same machine. */
export const EMBEDDED_FLEETLET_SETTINGS = {
  'fleetlet-socket': {
    kind: path('SOCKET'),
    unset: '<data>/fleetlet.sock',
    sentence:
      'Unix socket for addons and agents on this machine, or none. Only the user of this process can open it; no other authentication is required.',
    group: 'Network',
  },
  'fleetlet-tcp': {
    kind: hostPort(),
    unset: 'not',
    sentence: 'Address for the same over TCP, on loopback, with a token of --fleetlet-token-file.',
    group: 'Network',
  },
  'fleetlet-token-file': {
    kind: path(),
    unset: 'none',
    sentence: 'File with the tokens of local processes, one per line: name, space, token. Read again when it changes.',
    group: 'Access',
  },
} as const satisfies Settings;

export interface EmbeddedFleetletConfig {
  readonly fleetletTcp: HostPort | undefined;
  readonly fleetletTokenFile: string | undefined;
}

export function checkEmbeddedFleetlet(
  { fleetletTcp, fleetletTokenFile }: EmbeddedFleetletConfig,
  refuse: (name: 'fleetlet-tcp', why: string) => void,
): void {
  if (fleetletTcp === undefined) return;
  if (fleetletTokenFile === undefined)
    refuse('fleetlet-tcp', 'needs --fleetlet-token-file: otherwise any local process could connect');
  if (!isLoopback(fleetletTcp.host)) {
    refuse('fleetlet-tcp', `${fleetletTcp.host} is beyond loopback; run a separate fleetlet there`);
  }
}
