import type { Sleep } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import type { Term } from '#kit/storage/leases';

const BEAT_MS = 1_000;

/**
 * Processes of release 0.1.0 have a lease of their own, in `durable_lease`, and know no other. The executor takes that one
 * too, from whichever of them has it, and keeps it: so they stand by, and in a rolling upgrade never execute beside it.
 *
 * DECISION: it is taken at once, not when it expires: the next release goes before the previous one. On SQLite there is no
 * other process. To be removed with the table, once 0.1.0 need not run beside.
 */
export async function takeEarlierLease({ storage, role, epoch, signal }: Term): Promise<void> {
  if (storage.engine === 'sqlite') return;
  const owner = `${role}/${epoch}`;
  const take = sql`INSERT INTO durable_lease (name, owner, fence, beat) VALUES ('executor', ${owner}, ${1}, ${0})
    ON CONFLICT (name) DO UPDATE SET owner = ${owner}, fence = durable_lease.fence + 1, beat = 0`;
  await storage.commit([take], signal);
}

/** Until the signal aborts. A beat that fails is followed by the next: `storage` is that of the term, which ends with it. */
export async function keepEarlierLease(
  { storage, sleep }: { readonly storage: Storage; readonly sleep: Sleep },
  signal: AbortSignal,
): Promise<void> {
  if (storage.engine === 'sqlite') return;
  while (!signal.aborted) {
    const beat = sql`UPDATE durable_lease SET beat = beat + 1 WHERE name = 'executor'`;
    await storage.commit([beat], signal).catch(() => {});
    await sleep(BEAT_MS, signal).catch(() => {});
  }
}
