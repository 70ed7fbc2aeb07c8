import type { UplinkState } from '#contexts/channels';
import type { Logger } from '#kit/telemetry';

export interface StateLogDeps {
  readonly log: Logger;
  readonly refused: (reason: string) => void;
}

/**
 * Logs changes of the connection to the platform, each once; of repeated failures with the same reason only the first.
 */
export function stateLog({ log, refused }: StateLogDeps): (state: UplinkState) => void {
  let said = '';
  const once = (key: string, say: () => void): void => {
    if (said !== key) say();
    said = key;
  };
  return (state) => {
    switch (state.kind) {
      case 'connecting':
        return;
      case 'connected':
        return once('connected', () => log.info({}, 'connected to the platform'));
      case 'disconnected': {
        const { why: reason, retryInMs } = state;
        return once(`disconnected ${reason}`, () =>
          log.warn({ reason, retryInMs }, 'disconnected from the platform; retrying'),
        );
      }
      case 'refused': {
        const { reason, message } = state;
        refused(reason);
        return once(`refused ${message}`, () =>
          log.error({ code: reason, reason: message }, REFUSED[reason] ?? REFUSED_ELSE),
        );
      }
    }
  };
}

const REFUSED_ELSE = 'refused by the platform; retrying slowly';
const REFUSED: Readonly<Record<string, string>> = {
  revoked:
    'this fleetlet was revoked; to admit it again, remove certificate.pem from its data folder and start it with a new bootstrap token',
  unauthenticated: 'certificate refused by the platform; requesting a new one',
  version: 'this fleetlet and the platform have no protocol version in common; upgrade the older one',
};
