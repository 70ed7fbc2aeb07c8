import type { Engine, Row, Storage } from '../port.ts';
import { type Statement, sql } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import type { Holder, Lease, Seen } from './decide.ts';

/** A process that holds leases, or could. */
export interface Instance extends Holder {
  /** When it started. */
  readonly since: number;
  /** By its own clock; for people. */
  readonly beatAt: number;
  /** JSON that the process says of itself. */
  readonly about: string;
}

export interface HeldLease extends Lease {
  readonly since: number;
}

export interface Snapshot extends Seen {
  readonly leases: readonly HeldLease[];
  readonly holders: readonly Instance[];
}

interface LeaseRow extends Row {
  readonly role: string;
  readonly holder: string | null;
  readonly epoch: number;
  readonly since: number;
}

interface HolderRow extends Row {
  readonly id: string;
  readonly beat: number;
  readonly since: number;
  readonly beat_at: number;
  readonly stands_for: string;
  readonly about: string;
}

/** Announced when a role becomes free or changes hands. */
export const LEASES_CHANGED = 'leases';

export async function readLeases(storage: Storage, signal: AbortSignal): Promise<Snapshot> {
  return await storage.read(async (reader) => {
    const [leases, holders] = await Promise.all([
      reader.all<LeaseRow>(sql`SELECT role, holder, epoch, since FROM leases ORDER BY role`),
      reader.all<HolderRow>(
        sql`SELECT id, beat, since, beat_at, stands_for, about FROM lease_holders ORDER BY since, id`,
      ),
    ]);
    return {
      leases: leases.map(({ holder, ...lease }) => ({ ...lease, holder: holder ?? undefined })),
      holders: holders.map(({ beat_at: beatAt, stands_for: standsFor, ...holder }) => {
        return { ...holder, beatAt, standsFor: JSON.parse(standsFor) as string[] };
      }),
    };
  }, signal);
}

export interface Beat {
  readonly id: string;
  readonly seat: string;
  readonly since: number;
  readonly now: number;
  readonly standsFor: readonly string[];
  readonly about: string;
}

/** Also writes the row again that another process deleted because it took this one for dead. */
export function beat({ id, seat, since, now, standsFor, about }: Beat): Statement {
  const stands = JSON.stringify(standsFor);
  return sql`INSERT INTO lease_holders (id, seat, beat, since, beat_at, stands_for, about)
    VALUES (${id}, ${seat}, ${0}, ${since}, ${now}, ${stands}, ${about})
    ON CONFLICT (id) DO UPDATE SET beat = lease_holders.beat + 1, beat_at = ${now}, stands_for = ${stands}, about = ${about}`;
}

/** The other processes of this seat, or all others, are gone: their leases are free at once. */
export function forgetPredecessors(me: string, seat: string | undefined): Statement {
  return seat === undefined
    ? sql`DELETE FROM lease_holders WHERE id <> ${me}`
    : sql`DELETE FROM lease_holders WHERE id <> ${me} AND seat = ${seat}`;
}

export function forgetHolders(ids: readonly string[]): Statement {
  return sql`DELETE FROM lease_holders WHERE id IN (${sql.list(ids)})`;
}

/** Rows that a transaction has locked, which checks its epoch, stay as they are: the next turn tries again. */
export function releaseLeases({ engine }: Storage, me: string, roles: readonly string[]): Statement {
  const mine = unlocked(engine, sql`SELECT role FROM leases WHERE holder = ${me} AND role IN (${sql.list(roles)})`);
  return sql.announce(LEASES_CHANGED, sql`UPDATE leases SET holder = NULL WHERE role IN (${mine})`);
}

/**
 * DECISION: a change of a lease skips a row that is locked instead of waiting for it. A leader that was stopped in the middle of
 * a transaction keeps its lock for seconds, and a batch that waited would hold up all other batches of this process.
 */
function unlocked(engine: Engine, select: Statement): Statement {
  return engine === 'sqlite' ? select : sql`${select} FOR UPDATE SKIP LOCKED`;
}

export function leave(me: string): readonly Statement[] {
  return [
    sql.announce(LEASES_CHANGED, sql`UPDATE leases SET holder = NULL WHERE holder = ${me}`),
    sql`DELETE FROM lease_holders WHERE id = ${me}`,
  ];
}

export interface Claim {
  readonly me: string;
  readonly role: string;
  readonly now: number;
  readonly lease: Lease | undefined;
  /** The last heartbeat seen of the holder, if any. */
  readonly beat: number | undefined;
}

/**
 * Returns the new epoch; `undefined` if another process was faster, if the holder has shown itself alive since it was last
 * seen, or if a transaction of the holder is still open.
 */
export async function claimLease(storage: Storage, claim: Claim, signal: AbortSignal): Promise<number | undefined> {
  const { me, role, now, lease, beat: seen = -1 } = claim;
  const epoch = (lease?.epoch ?? 0) + 1;
  const statement =
    lease === undefined
      ? sql`INSERT INTO leases (role, holder, epoch, since) VALUES (${role}, ${me}, ${epoch}, ${now})`
      : sql`UPDATE leases SET holder = ${me}, epoch = ${epoch}, since = ${now}
          WHERE role IN (${unlocked(
            storage.engine,
            sql`SELECT role FROM leases
              WHERE role = ${role} AND epoch = ${lease.epoch} AND coalesce(holder, '') = ${lease.holder ?? ''}`,
          )}) AND NOT EXISTS (SELECT 1 FROM lease_holders
            WHERE id = ${lease.holder ?? ''} AND id <> ${me} AND beat <> ${seen})`;
  try {
    await storage.commit([sql.announce(LEASES_CHANGED, sql.expect(1, statement))], signal);
    return epoch;
  } catch (error) {
    if (error instanceof StorageError && (error.code === 'GUARD_FAILED' || error.code === 'UNIQUE_VIOLATED'))
      return undefined;
    throw error;
  }
}

export interface Held {
  readonly role: string;
  readonly holder: string;
  readonly epoch: number;
}

/** Returns the new epoch of a lease that is held; `undefined` if another process has it. */
export async function advanceLease(
  storage: Storage,
  { role, holder, epoch }: Held,
  signal: AbortSignal,
): Promise<number | undefined> {
  const advance = sql`UPDATE leases SET epoch = epoch + 1 WHERE role = ${role} AND holder = ${holder} AND epoch = ${epoch}`;
  try {
    await storage.commit([sql.expect(1, advance)], signal);
    return epoch + 1;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'GUARD_FAILED') return undefined;
    throw error;
  }
}
