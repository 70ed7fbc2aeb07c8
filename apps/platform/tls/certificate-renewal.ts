import type { Runnable } from '#kit/reconcile';
import type { Clock, Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { CertificateSource, ServerCertificate } from './certificate-source.ts';

export interface CertificateRenewalDeps {
  readonly source: CertificateSource;
  readonly serving: ServerCertificate;
  /** Serves this certificate on new connections from now on. */
  readonly install: (certificate: ServerCertificate) => void;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

const LOOK_EVERY_MS = 60_000;

/** Picks up a new certificate while running. The served one stays until there is a better one. */
export function certificateRenewal(deps: CertificateRenewalDeps): Runnable {
  const { source, install, clock, sleep, log } = deps;
  return {
    name: 'certificate renewal',
    async run(signal) {
      let { chain } = deps.serving;
      let complaint = '';
      while (!signal.aborted) {
        await sleep(LOOK_EVERY_MS, signal);
        try {
          const found = source.current(clock.now());
          complaint = '';
          if (found.chain === chain) continue;
          install(found);
          chain = found.chain;
          log.info({ reason: `valid until ${found.notAfter.toISOString()}` }, 'serving a renewed certificate');
        } catch (err) {
          const message = err instanceof Error ? err.message : String(err);
          // Logged once: it is checked every minute.
          if (message !== complaint) log.error({ err }, 'certificate not renewed; still serving the old one');
          complaint = message;
        }
      }
    },
  };
}
