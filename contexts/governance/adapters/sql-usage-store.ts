import { type Statement, type Storage, StorageError, sql } from '#kit/storage';
import type { UsageBatch, UsageStore } from '../application/usage-meter.ts';
import { METERS } from '../domain/meter.ts';
import type { UsageCount } from '../domain/usage-tally.ts';
import type { Births, WorkspacePaths } from './visibility.ts';

export interface UsagePlaces {
  readonly paths: WorkspacePaths;
  readonly births: Births;
}

const ROOT_PATH = '/root/';
const FORGOTTEN_MS = 86_400_000;

/** For both engines. */
export class SqlUsageStore implements UsageStore {
  readonly #storage: Storage;
  readonly #places: UsagePlaces;

  constructor(storage: Storage, places: UsagePlaces) {
    this.#storage = storage;
    this.#places = places;
  }

  async add(batch: UsageBatch, signal: AbortSignal): Promise<void> {
    const statements = [claim(batch), forget(batch), ...batch.counts.map((count) => this.#upsert(count, batch.now))];
    try {
      await this.#storage.commit(statements, signal);
    } catch (error) {
      // The number was recorded in the same transaction as the counts, so both are stored.
      if (error instanceof StorageError && error.code === 'GUARD_FAILED') return;
      throw error;
    }
  }

  /** Usage of a workspace that was deleted meanwhile gets the path of the root: only callers who see everything see it. */
  #upsert({ day, workspace, meter, amount }: UsageCount, now: number): Statement {
    const { paths, births } = this.#places;
    const path = paths.pathOf(workspace) ?? ROOT_PATH;
    const born = births.bornAt({ kind: 'workspace', name: workspace }) ?? 0;
    const total =
      METERS[meter] === 'sum'
        ? sql`usage_counters.amount + excluded.amount`
        : sql`CASE WHEN excluded.amount > usage_counters.amount THEN excluded.amount ELSE usage_counters.amount END`;
    return sql`INSERT INTO usage_counters (day, workspace, born, meter, path, amount, time)
      VALUES (${day}, ${workspace}, ${born}, ${meter}, ${path}, ${amount}, ${now})
      ON CONFLICT (day, workspace, born, meter)
      DO UPDATE SET path = excluded.path, amount = ${total}, time = excluded.time`;
  }
}

/** Changes a row exactly when this is the next batch. */
function claim({ writer, number, now }: UsageBatch): Statement {
  if (number === 1) {
    return sql.expect(
      1,
      sql`INSERT INTO usage_writers (writer, batch, time) VALUES (${writer}, 1, ${now}) ON CONFLICT (writer) DO NOTHING`,
    );
  }
  return sql.expect(
    1,
    sql`UPDATE usage_writers SET batch = ${number}, time = ${now} WHERE writer = ${writer} AND batch = ${number - 1}`,
  );
}

/** Writers of processes that ended long ago. */
function forget({ writer, now }: UsageBatch): Statement {
  return sql`DELETE FROM usage_writers WHERE time < ${now - FORGOTTEN_MS} AND writer <> ${writer}`;
}
