import type { BrokerObserver } from '#contexts/channels';
import type { Logger } from '#kit/telemetry';

/** What a broker tells, as lines of the log. */
export function watchBroker(
  log: Logger,
  more: Partial<Pick<BrokerObserver, 'welcomed' | 'renewalAsked'>> = {},
): BrokerObserver {
  return {
    welcomed: () => undefined,
    renewalAsked: () => undefined,
    processCame: (principal) => log.info({ principal }, 'a local process came'),
    processGone: (principal) => log.info({ principal }, 'a local process is gone'),
    refused: (principal, reason) => log.warn({ principal, reason }, 'a local process was refused'),
    malformed: (reason) => log.warn({ reason }, 'a local process said what is no frame; its stream was closed'),
    channelClosed: (name, { reason }) =>
      log.warn({ name, reason }, 'the platform closed a channel; its processes are told'),
    ...more,
  };
}
