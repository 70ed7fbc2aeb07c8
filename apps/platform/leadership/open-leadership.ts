import { assertNever } from '#kit/std';
import type { Storage } from '#kit/storage';
import { type LeaseFact, Leases, type LeasesOptions, type Term } from '#kit/storage/leases';
import type { Logger, Metrics } from '#kit/telemetry';
import type { Hold } from '../restore/hold.ts';
import { EXECUTOR, LOST_CONNECTIONS, PROXIED_CLUSTERS } from './leadership.ts';

export interface OpenLeadershipDeps {
  readonly storage: Storage;
  /** Identifies this process, and the next one with the same data folder. */
  readonly seat: string;
  /** JSON for the registry of replicas. */
  readonly about: () => string;
  readonly hold: Pick<Hold, 'over'>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export function openLeadership({ metrics, log: parent, hold, ...options }: OpenLeadershipDeps): Leases {
  const log = parent.child({ component: 'leadership' });
  const leading = metrics.gauge({
    name: 'fleetshift_leadership',
    help: '1 while this replica leads for the role, 0 otherwise.',
    labels: ['role'],
  });
  for (const role of [EXECUTOR, LOST_CONNECTIONS, ...PROXIED_CLUSTERS]) leading.set({ role }, 0);
  let isInterrupted = false;
  const onFact = (fact: LeaseFact): void => {
    switch (fact.kind) {
      case 'leading':
        isInterrupted = false;
        leading.set({ role: fact.role }, 1);
        return log.debug({ role: fact.role, epoch: fact.epoch }, 'leading');
      case 'ended': {
        leading.set({ role: fact.role }, 0);
        const fields = { role: fact.role, epoch: fact.epoch, reason: fact.why };
        if (fact.why === 'lost' || fact.why === 'silent') return log.warn(fields, 'no longer leading');
        return log.debug(fields, 'no longer leading');
      }
      case 'interrupted': {
        // Logged once: it is tried twice a second.
        if (!isInterrupted) log.warn({ err: fact.error, retryInMs: fact.retryInMs }, 'leases not renewed; retrying');
        isInterrupted = true;
        return;
      }
      default:
        return assertNever(fact, 'fact of leases');
    }
  };
  return new UnheldLeases({ ...options, onFact }, hold);
}

/** A restored platform that is held stands for no role. */
class UnheldLeases extends Leases {
  readonly #hold: Pick<Hold, 'over'>;

  constructor(options: LeasesOptions, hold: Pick<Hold, 'over'>) {
    super(options);
    this.#hold = hold;
  }

  override async lead(role: string, work: (term: Term) => Promise<void>, stop: AbortSignal): Promise<void> {
    try {
      await this.#hold.over(stop);
    } catch {
      return;
    }
    await super.lead(role, work, stop);
  }
}
