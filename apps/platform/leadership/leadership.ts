import { EXECUTOR_ROLE } from '#kit/durable/embedded';
import type { Storage } from '#kit/storage';
import { LeaseError, type Leases, type Term } from '#kit/storage/leases';

/** Which replica leads for which role; `Leases` of kit decides. */
export type Leadership = Pick<Leases, 'lead' | 'whileLeading' | 'begun' | 'term' | 'fenced'>;

/**
 * Executes workflows and takes fleetlets.
 *
 * DECISION: until replicas reach the fleetlets of each other, these two belong together, and all roles that need targets
 * are led only by the replica that has this one, with either engine. (ADR-0062)
 */
export const EXECUTOR = EXECUTOR_ROLE;
/** Ends connections that no replica holds any more. */
export const LOST_CONNECTIONS = 'lost-connections';

const PROXIED_SHARES = 16;
/** Each serves a share of the clusters whose kubeconfigs are stored. */
export const PROXIED_CLUSTERS: readonly string[] = Array.from(
  { length: PROXIED_SHARES },
  (_, share) => `proxied-clusters/${share}`,
);

/** The role that serves the cluster, by the uid of its target. The same in every release: replicas of two run side by side. */
export function roleOfCluster(uid: string): string {
  let hash = 0x811c9dc5;
  for (const char of uid) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return `proxied-clusters/${hash % PROXIED_SHARES}`;
}

/** After an interruption a replica usually leads again within moments. */
const AGAIN_MS = 5_000;

/** Another replica leads, and nothing was written. Not an error that a repetition would cure. */
export class AnotherLeads extends Error {}

export type WriteAsLeader = <T>(write: (storage: Storage) => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Writes in the term in which the write began. If that has ended, but this replica soon leads again and no other one led in
 * between, the write is repeated in the new term. Otherwise what it says may be outdated, and it throws `AnotherLeads`; so do all
 * others at once, until this replica leads again.
 */
export function writerAsLeader(leadership: Pick<Leadership, 'begun' | 'term'>, role: string): WriteAsLeader {
  let isWaitedFor = false;
  const next = async (signal: AbortSignal): Promise<Term | undefined> => {
    const late = AbortSignal.any([signal, AbortSignal.timeout(isWaitedFor ? 0 : AGAIN_MS)]);
    const term = leadership.term(role) ?? (await leadership.begun(role, 0, late).catch(() => undefined));
    signal.throwIfAborted();
    isWaitedFor = term === undefined;
    return term;
  };
  return async (write, signal) => {
    let cause: unknown;
    for (let former: Term | undefined; ; ) {
      const term = await next(signal);
      const isOutdated = former !== undefined && former.epoch !== term?.epoch && term?.continues !== true;
      if (term === undefined || isOutdated) throw new AnotherLeads(`write as leader for ${role}`, { cause });
      try {
        return await write(term.storage);
      } catch (error) {
        if (!(error instanceof LeaseError)) throw error;
        cause = error;
        former = term;
      }
    }
  };
}
