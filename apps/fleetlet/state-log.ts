import type { UplinkState } from '#contexts/channels';
import type { Logger } from '#kit/telemetry';

export interface StateLogDeps {
  readonly log: Logger;
  readonly refused: (reason: string) => void;
}

/** Says what becomes of the connection to the platform, once for each change; of many tries that fail alike, the first. */
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
        return once(`disconnected ${reason}`, () => log.warn({ reason, retryInMs }, 'no platform; will try again'));
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

const REFUSED_ELSE = 'the platform refuses this fleetlet; will try again slowly';
const REFUSED: Readonly<Record<string, string>> = {
  revoked:
    'this fleetlet was revoked; if it is to come back, remove certificate.pem from its data folder and start it with a new bootstrap token',
  unauthenticated: 'the platform does not take the certificate of this fleetlet; will ask for a new one',
  version: 'this fleetlet and the platform have no version of the protocol in common; upgrade the older one',
};
