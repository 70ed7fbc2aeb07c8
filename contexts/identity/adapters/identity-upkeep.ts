import type { Clock, Sleep } from '#kit/std';
import { type Statement, type Storage, sql } from '#kit/storage';
import type { LastUsed } from '../application/last-used.ts';
import type { IdentityLog } from './identity-log.ts';
import type { KnownCallers } from './known-callers.ts';

export interface UpkeepDeps {
  readonly storage: Storage;
  readonly callers: KnownCallers;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: IdentityLog;
}

const TURN_MS = 10_000;
const TURNS_PER_PURGE = 60;
const LAST_TURN_MS = 2_000;
/** Expired tokens stay listed for a month, so that users can see why a token stopped working. */
const KEEP_EXPIRED_TOKENS_MS = 30 * 86_400_000;

/** Stores the times of last use, and purges what has expired, until the signal aborts. */
export async function runUpkeep(deps: UpkeepDeps, signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    await deps.sleep(TURN_MS, signal).catch(() => {});
    // The last round, after the abort, has its own deadline.
    const own = signal.aborted ? AbortSignal.timeout(LAST_TURN_MS) : signal;
    await attempt(deps, () => writeUsed(deps, own));
    if (turn % TURNS_PER_PURGE === 0) await attempt(deps, () => purge(deps, own));
  }
}

async function attempt({ log }: UpkeepDeps, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (err) {
    log.warn({ err }, 'upkeep of sessions and tokens failed; retrying');
  }
}

async function writeUsed({ storage, callers }: UpkeepDeps, signal: AbortSignal): Promise<void> {
  const token = (id: string, time: number) => sql`UPDATE identity_tokens SET last_used_time = ${time} WHERE id = ${id}`;
  const session = (uid: string, time: number) =>
    sql`UPDATE identity_sessions SET last_used_time = ${time} WHERE uid = ${uid}`;
  await writeEach(callers.tokensUsed, token, { storage, signal });
  await writeEach(callers.sessionsUsed, session, { storage, signal });
}

async function writeEach(
  used: LastUsed,
  statement: (id: string, time: number) => Statement,
  { storage, signal }: { storage: Storage; signal: AbortSignal },
): Promise<void> {
  const taken = used.take();
  if (taken.size === 0) return;
  try {
    await storage.commit(
      Array.from(taken, ([id, time]) => statement(id, time)),
      signal,
    );
  } catch (error) {
    used.giveBack(taken);
    throw error;
  }
}

async function purge({ storage, clock }: UpkeepDeps, signal: AbortSignal): Promise<void> {
  const now = clock.now();
  await storage.commit(
    [
      sql`DELETE FROM identity_sessions WHERE expire_time <= ${now}`,
      sql`DELETE FROM identity_revocations WHERE expire_time <= ${now}`,
      sql`DELETE FROM identity_tokens WHERE expire_time <= ${now - KEEP_EXPIRED_TOKENS_MS}`,
    ],
    signal,
  );
}
