import type { Probe } from '#kit/http';
import { type RefusedWrites, StorageError, sql } from '#kit/storage';
import type { Metrics } from '#kit/telemetry';
import { freeBytes as freeBytesOf } from '#runtime/instance/full-disk';

/** What SQLite's log may grow by before it is written back. */
const NEEDED_BYTES = 4 * 1024 * 1024;
/** On a full disk small writes may still fit now and then: a refusal counts for this long. */
const HOLD_MS = 10_000;

export interface WritesProbeDeps {
  readonly refused: RefusedWrites;
  readonly dataFolder: string;
  readonly now: () => number;
  readonly metrics: Pick<Metrics, 'gauge'>;
  /** For tests. */
  readonly freeBytes?: (folder: string) => number;
}

/**
 * Whether the database takes writes. It writes only to find out whether a refusal is over. Without writes the process is
 * degraded, not unready: all replicas have the same database, and reads, event streams and fleetlets go on.
 */
export function writesProbe({ refused, dataFolder, now, metrics, freeBytes = freeBytesOf }: WritesProbeDeps): Probe {
  const isRefused = metrics.gauge({
    name: 'fleetshift_writes_refused',
    help: '1 while the database takes no writes, as of the last check of /readyz.',
  });
  const { storage } = refused;
  const tryWriting = async (signal: AbortSignal): Promise<void> => {
    const last = refused.last();
    if (last === undefined) return;
    if (now() - last.at < HOLD_MS) throw last.error;
    const mark = sql`INSERT INTO instance_marks (name, time) VALUES (${'write-probe'}, ${Date.now()})
      ON CONFLICT (name) DO UPDATE SET time = excluded.time`;
    await storage.commit([mark], signal);
    refused.forget();
  };
  const look = async (signal: AbortSignal): Promise<void> => {
    if (storage.engine === 'sqlite') checkSpace(freeBytes(dataFolder));
    else await checkWritable(signal);
    await tryWriting(signal);
  };
  const checkWritable = async (signal: AbortSignal): Promise<void> => {
    const answer = await storage.get<{ setting: string }>(
      sql`SELECT current_setting('transaction_read_only') AS setting`,
      signal,
    );
    if (answer?.setting === 'on') {
      throw new StorageError('DATABASE_READ_ONLY', 'Postgres takes no writes; promote the standby, or use the primary');
    }
  };
  const check = async (signal: AbortSignal): Promise<undefined> => {
    try {
      await look(signal);
      isRefused.set({}, 0);
      return undefined;
    } catch (error) {
      isRefused.set({}, 1);
      throw error;
    }
  };
  return { name: 'writes', onFailure: 'degraded', check };
}

function checkSpace(free: number): void {
  if (free >= NEEDED_BYTES) return;
  const [left, needed] = [Math.floor(free / 1024), NEEDED_BYTES / 1024];
  throw new StorageError('DISK_FULL', `the disk is full: ${left} KiB are left of the ${needed} KiB that writes need`);
}
