import { aborted, type BackoffPolicy, backoffDelay, Notifier, sleep as realSleep, type Sleep } from '#kit/std';
import type { Storage } from '../port.ts';
import { sql } from '../sql.ts';
import { isPassing } from './is-passing.ts';
import { APPENDED, SEQUENCED } from './topics.ts';

export interface SequencerOptions {
  readonly storage: Storage;
  readonly sleep?: Sleep;
  /** Polling interval, for events of processes that died between commit and sequencing. */
  readonly pollMs?: number;
  /** Called on database errors; the sequencer retries by itself. */
  readonly onTrouble?: (error: unknown) => void;
}

export interface Sequencer {
  /** Runs until the signal aborts. Every process with writers runs a sequencer; they take turns. */
  run(signal: AbortSignal): Promise<void>;
}

const ROUND = 1_000;
const TROUBLE: BackoffPolicy = { baseMs: 100, capMs: 5_000 };

/**
 * Assigns positions to committed events.
 *
 * On Postgres a number drawn early from a sequence may become visible late, and a reader would run past it. Positions
 * are therefore assigned after the commit, in rounds, one round at a time. On SQLite, with its single writer, there is
 * nothing to do.
 */
export function createSequencer(options: SequencerOptions): Sequencer {
  const { storage, sleep = realSleep, pollMs = 5_000, onTrouble } = options;
  return {
    run: async (signal) => {
      if (storage.engine === 'sqlite') return await aborted(signal);
      const wake = new Notifier(sleep);
      const stopListening = storage.onAnnounced(APPENDED, () => wake.notify());
      try {
        for (let failures = 0; ; ) {
          failures = await attempt(storage, { failures, onTrouble }, signal);
          await wake.wait(failures === 0 ? pollMs : backoffDelay(TROUBLE, failures, Math.random), signal);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        stopListening();
      }
    },
  };
}

interface Attempt {
  readonly failures: number;
  readonly onTrouble: ((error: unknown) => void) | undefined;
}

/** Returns the number of consecutive failures. */
async function attempt(storage: Storage, { failures, onTrouble }: Attempt, signal: AbortSignal): Promise<number> {
  try {
    await sequence(storage, signal);
    return 0;
  } catch (error) {
    if (signal.aborted || !isPassing(error)) throw error;
    onTrouble?.(error);
    return failures + 1;
  }
}

async function sequence(storage: Storage, signal: AbortSignal): Promise<void> {
  while ((await storage.get(sql`SELECT 1 AS arrived FROM outbox LIMIT 1`, signal)) !== undefined) {
    await storage.write((tx) => tx.batch([TAKE_TURN, MOVE]), signal);
    // Listeners in this process were already called at the commit.
    await storage.announce(SEQUENCED, signal);
  }
}

/**
 * Locks an empty table. Unlike any query, taking the lock does not fix the snapshot of the transaction: a round that
 * had to wait still sees what the previous round left.
 */
const TAKE_TURN = sql`LOCK TABLE outbox_sequencer IN EXCLUSIVE MODE`;

// Purging keeps the newest event, so the next positions continue from it.
const MOVE = sql.announce(
  SEQUENCED,
  sql`WITH arrived AS (
      DELETE FROM outbox WHERE sequence IN (SELECT sequence FROM outbox ORDER BY sequence LIMIT ${ROUND})
      RETURNING sequence, id, type, key, scope, time, data
    )
    INSERT INTO outbox_log (position, id, type, key, scope, time, data)
    SELECT (SELECT coalesce(max(position), 0) FROM outbox_log) + row_number() OVER (ORDER BY sequence),
      id, type, key, scope, time, data
    FROM arrived`,
);
