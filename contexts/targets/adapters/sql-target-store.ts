import { inPieces, type ResourceName } from '#kit/std';
import { type Statement, sql, type Transaction } from '#kit/storage';
import type { ConnectedRange, ConnectionStore, TargetStore } from '../application/ports.ts';
import type { Target } from '../domain/target.ts';
import { TargetError } from '../domain/target-error.ts';
import { COLUMNS, toTarget } from './target-row.ts';

/** Within the number of values that one statement may have on both engines, and small enough not to delay readers. */
const ROWS = 1_000;

/** For both engines, within one transaction. */
export class SqlTargetStore implements TargetStore, ConnectionStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(name: ResourceName, signal: AbortSignal): Promise<Target | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(sql`SELECT ${COLUMNS} FROM targets WHERE name = ${name}`);
    return row && toTarget(row);
  }

  async insert(target: Target, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(insertTarget(target));
  }

  async replace(next: Target, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const changed = await this.#tx.run(sql`
      UPDATE targets
      SET workspace = ${next.workspace.name}, workspace_path = ${next.workspace.path},
        labels = ${JSON.stringify(next.labels)}, reported_labels = ${JSON.stringify(next.reportedLabels)},
        properties = ${JSON.stringify(next.properties)}, reported_properties = ${JSON.stringify(next.reportedProperties)},
        manifest_types = ${JSON.stringify(next.advertisedManifestTypes)}, lifecycle = ${next.lifecycle},
        connection_state = ${next.connection.state}, last_seen_time = ${next.connection.lastSeenTime ?? null},
        conditions = ${JSON.stringify(next.conditions)}, generation = ${next.generation}, version = ${next.version},
        update_time = ${next.updateTime}, alias_of = ${next.aliasOf ?? null}
      WHERE uid = ${next.uid} AND version = ${next.version - 1}`);
    if (changed !== 1) throw stale(next);
  }

  async remove(target: Target, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, version } = target;
    const changed = await this.#tx.run(sql`DELETE FROM targets WHERE uid = ${uid} AND version = ${version}`);
    if (changed !== 1) throw stale(target);
    await this.#tx.run(sql`DELETE FROM target_identities WHERE target = ${uid}`);
  }

  async hasAliases(name: ResourceName, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return (await this.#tx.get(sql`SELECT name FROM targets WHERE alias_of = ${name} LIMIT 1`)) !== undefined;
  }

  async findAll(names: readonly ResourceName[], signal: AbortSignal): Promise<readonly Target[]> {
    const found: Target[] = [];
    for (const some of inPieces(names, ROWS)) {
      signal.throwIfAborted();
      const rows = await this.#tx.all(sql`SELECT ${COLUMNS} FROM targets WHERE name IN (${sql.list(some)})`);
      found.push(...rows.map(toTarget));
    }
    return found;
  }

  async connected({ after, limit }: ConnectedRange, signal: AbortSignal): Promise<readonly Target[]> {
    signal.throwIfAborted();
    const rows = await this.#tx.all(sql`
      SELECT ${COLUMNS} FROM targets WHERE name > ${after ?? ''} AND connection_state = ${'Connected'}
      ORDER BY name LIMIT ${limit}`);
    return rows.map(toTarget);
  }

  async replaceAll(next: readonly Target[], signal: AbortSignal): Promise<void> {
    for (const some of inPieces(next, ROWS)) {
      signal.throwIfAborted();
      const [first] = some;
      if (first !== undefined && (await this.#tx.run(updateConnections(some))) !== some.length) throw stale(first);
    }
  }
}

/** Also used by benches and tests, which create many at once. */
export function insertTarget(target: Target): Statement {
  const { name, uid, type, workspace, connection, lifecycle, generation, version, createTime, updateTime } = target;
  return sql`
    INSERT INTO targets (${COLUMNS})
    VALUES (${name}, ${uid}, ${type}, ${workspace.name}, ${workspace.path}, ${JSON.stringify(target.labels)},
      ${JSON.stringify(target.reportedLabels)}, ${JSON.stringify(target.properties)},
      ${JSON.stringify(target.reportedProperties)}, ${JSON.stringify(target.advertisedManifestTypes)}, ${lifecycle},
      ${connection.state}, ${connection.lastSeenTime ?? null}, ${JSON.stringify(target.conditions)}, ${generation},
      ${version}, ${createTime}, ${updateTime}, ${target.aliasOf ?? null})`;
}

/** VALUES has no types on Postgres, where every parameter is text unless it is cast. */
function updateConnections(targets: readonly Target[]): Statement {
  const rows = targets.map(
    ({ uid, version, updateTime, connection: { state, lastSeenTime } }) =>
      sql`(${uid}, ${version}, ${state}, ${lastSeenTime ?? null}, ${updateTime})`,
  );
  return sql`
    UPDATE targets
    SET version = CAST(seen.column2 AS BIGINT), connection_state = seen.column3,
      last_seen_time = CAST(seen.column4 AS BIGINT), update_time = CAST(seen.column5 AS BIGINT)
    FROM (VALUES ${sql.list(rows)}) AS seen
    WHERE targets.uid = seen.column1 AND targets.version = CAST(seen.column2 AS BIGINT) - 1`;
}

function stale({ name }: Target): TargetError {
  return new TargetError(
    'VERSION_STALE',
    `Target ${name} was changed or deleted meanwhile. Read it again, and repeat the change if it still makes sense.`,
  );
}
