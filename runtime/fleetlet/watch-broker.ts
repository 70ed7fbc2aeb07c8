import type { BrokerObserver } from '#contexts/channels';
import type { Logger } from '#kit/telemetry';

/** Logs the events of a broker. */
export function watchBroker(
  log: Logger,
  more: Partial<Pick<BrokerObserver, 'welcomed' | 'renewalAsked' | 'replicasListed'>> = {},
): BrokerObserver {
  return {
    welcomed: () => undefined,
    renewalAsked: () => undefined,
    replicasListed: () => undefined,
    processCame: (principal) => log.info({ principal }, 'local process connected'),
    processGone: (principal) => log.info({ principal }, 'local process disconnected'),
    refused: (principal, reason) => log.warn({ principal, reason }, 'local process refused'),
    malformed: (reason) => log.warn({ reason }, 'malformed frame from a local process; stream closed'),
    channelClosed: (name, { reason }) =>
      log.warn({ name, reason }, 'channel closed by the platform; local processes notified'),
    ...more,
  };
}
