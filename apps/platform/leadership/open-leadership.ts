import { assertNever } from '#kit/std';
import type { Storage } from '#kit/storage';
import { type LeaseFact, Leases, type LeasesOptions, type Term } from '#kit/storage/leases';
import type { Logger, Metrics } from '#kit/telemetry';
import type { Hold } from '../restore/hold.ts';
import { EXECUTOR, LOST_CONNECTIONS, PROXIED_CLUSTERS } from './leadership.ts';

export interface WatchLeadershipDeps {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly monotonic?: () => number;
}

export interface OpenLeadershipDeps extends WatchLeadershipDeps {
  readonly storage: Storage;
  /** Identifies this process, and the next one with the same data folder. */
  readonly seat: string;
  /** JSON for the registry of replicas. */
  readonly about: () => string;
  readonly hold: Pick<Hold, 'over'>;
}

const SAY_AGAIN_MS = 60_000;

export function openLeadership({ storage, seat, about, hold, ...watch }: OpenLeadershipDeps): Leases {
  return new UnheldLeases({ storage, seat, about, onFact: watchLeadership(watch) }, hold);
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

/** Turns facts of leases into log lines and the metric. */
export function watchLeadership({
  metrics,
  log: parent,
  monotonic = () => performance.now(),
}: WatchLeadershipDeps): (fact: LeaseFact) => void {
  const log = parent.child({ component: 'leadership' });
  const leading = metrics.gauge({
    name: 'fleetshift_leadership',
    help: '1 while this replica leads for the role, 0 otherwise.',
    labels: ['role'],
  });
  for (const role of [EXECUTOR, LOST_CONNECTIONS, ...PROXIED_CLUSTERS]) leading.set({ role }, 0);
  let lastSaid = Number.NEGATIVE_INFINITY;
  let failures = 0;
  return (fact) => {
    switch (fact.kind) {
      case 'leading':
        leading.set({ role: fact.role }, 1);
        return log.debug({ role: fact.role, epoch: fact.epoch }, 'leading');
      case 'ended': {
        leading.set({ role: fact.role }, 0);
        const fields = { role: fact.role, epoch: fact.epoch, reason: fact.why };
        if (fact.why === 'lost' || fact.why === 'silent') return log.warn(fields, 'no longer leading');
        return log.debug(fields, 'no longer leading');
      }
      case 'interrupted': {
        failures += 1;
        // It is tried twice a second: the first failure is logged, and then one a minute.
        if (monotonic() - lastSaid < SAY_AGAIN_MS) return;
        lastSaid = monotonic();
        return log.warn(
          { err: fact.error, attempt: failures, retryInMs: fact.retryInMs },
          'leases not renewed; retrying',
        );
      }
      case 'resumed':
        log.info({ attempt: failures }, 'leases renewed again');
        lastSaid = Number.NEGATIVE_INFINITY;
        failures = 0;
        return;
      default:
        return assertNever(fact, 'fact of leases');
    }
  };
}
