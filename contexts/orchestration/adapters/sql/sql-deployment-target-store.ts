import { inPieces } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import type { DeploymentTargetStore, SentBatch, TargetPage } from '../../application/ports.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { READ_TARGET_COLUMNS, TARGET_COLUMNS, targetValues, toDeploymentTarget } from './deployment-target-row.ts';
import { alikeChanges } from './sql-alike-changes.ts';
import { SqlStore } from './sql-store.ts';

/** Within the limit of values per statement on both engines. */
const IDS = 1_000;
/** A row has 22 values. */
const ROWS = 200;
/** Rows of one request to the database. */
const AT_ONCE = 1_000;

const REPLACED = sql.raw(
  [
    'name',
    'type',
    'is_placed',
    'is_online',
    'applied_revision',
    'applied_hash',
    'order_kind',
    'order_revision',
    'order_batch',
    'order_state',
    'order_hash',
    'order_since',
    'failure',
    'health',
    'health_revision',
    'health_message',
    'is_owed',
    'drift',
    'instance',
    'update_time',
  ]
    .map((column) => `${column} = excluded.${column}`)
    .join(', '),
);

export class SqlDeploymentTargetStore extends SqlStore implements DeploymentTargetStore {
  /** Rows as the transaction has read them, so that only differences have to be written. */
  readonly #known = new Map<string, DeploymentTarget>();

  async of(deployment: DeploymentId, signal: AbortSignal): Promise<readonly DeploymentTarget[]> {
    signal.throwIfAborted();
    const rows = await this.tx.all(
      sql`SELECT ${READ_TARGET_COLUMNS} FROM deployment_targets WHERE deployment = ${deployment}`,
    );
    return this.#toTargets(rows);
  }

  async some(
    deployment: DeploymentId,
    targets: readonly TargetId[],
    signal: AbortSignal,
  ): Promise<readonly DeploymentTarget[]> {
    const found: DeploymentTarget[] = [];
    for (const ids of inPieces(targets, IDS)) {
      signal.throwIfAborted();
      const rows = await this.tx.all(sql`
        SELECT ${READ_TARGET_COLUMNS} FROM deployment_targets
        WHERE deployment = ${deployment} AND target IN (${sql.list(ids)})`);
      found.push(...this.#toTargets(rows));
    }
    return found;
  }

  async onTarget(target: TargetId, signal: AbortSignal): Promise<readonly DeploymentTarget[]> {
    return await this.onTargets([target], signal);
  }

  async onTargets(targets: readonly TargetId[], signal: AbortSignal): Promise<readonly DeploymentTarget[]> {
    const found: DeploymentTarget[] = [];
    for (const ids of inPieces(targets, IDS)) {
      signal.throwIfAborted();
      const rows = await this.tx.all(
        sql`SELECT ${READ_TARGET_COLUMNS} FROM deployment_targets WHERE target IN (${sql.list(ids)})`,
      );
      found.push(...this.#toTargets(rows));
    }
    return found;
  }

  async page({ deployment, after, limit }: TargetPage, signal: AbortSignal): Promise<readonly DeploymentTarget[]> {
    signal.throwIfAborted();
    const rest = after === undefined ? sql`` : sql`AND name > ${after}`;
    const rows = await this.tx.all(sql`
      SELECT ${READ_TARGET_COLUMNS} FROM deployment_targets WHERE deployment = ${deployment} ${rest}
      ORDER BY name LIMIT ${limit}`);
    return this.#toTargets(rows);
  }

  async inBatch(deployment: DeploymentId, batch: number, signal: AbortSignal): Promise<readonly DeploymentTarget[]> {
    signal.throwIfAborted();
    const rows = await this.tx.all(sql`
      SELECT ${READ_TARGET_COLUMNS} FROM deployment_targets WHERE deployment = ${deployment} AND order_batch = ${batch}`);
    return this.#toTargets(rows);
  }

  /** In pieces, between which the process gets its other work done. */
  async put(rows: readonly DeploymentTarget[], signal: AbortSignal): Promise<void> {
    for (const some of inPieces(rows, AT_ONCE)) await this.#put(some, signal);
  }

  async #put(rows: readonly DeploymentTarget[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { updates, others } = alikeChanges(rows, (row) => this.#known.get(keyOf(row.deployment, row.target)));
    const upserts = inPieces(others, ROWS).map(
      (some) => sql`
        INSERT INTO deployment_targets (${TARGET_COLUMNS}) VALUES ${sql.list(some.map(targetValues))}
        ON CONFLICT (deployment, target) DO UPDATE SET ${REPLACED}`,
    );
    for (const row of rows) this.#known.set(keyOf(row.deployment, row.target), row);
    if (updates.length + upserts.length > 0) await this.tx.batch([...updates, ...upserts]);
  }

  async markSent(
    { deployment, revision, batch, hash, now }: SentBatch,
    targets: readonly TargetId[],
    signal: AbortSignal,
  ): Promise<number> {
    signal.throwIfAborted();
    this.#forget(deployment, targets);
    const changed = await this.tx.batch(
      inPieces(targets, IDS).map(
        (ids) => sql`
          UPDATE deployment_targets SET order_state = 'sent', order_hash = ${hash}, update_time = ${now}
          WHERE deployment = ${deployment} AND order_batch = ${batch} AND order_revision = ${revision}
            AND order_state <> 'accepted' AND target IN (${sql.list(ids)})`,
      ),
    );
    return changed.reduce((sum, rows) => sum + rows, 0);
  }

  async drop(deployment: DeploymentId, targets: readonly TargetId[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (targets.length === 0) return;
    this.#forget(deployment, targets);
    await this.tx.batch(
      inPieces(targets, IDS).map(
        (ids) => sql`DELETE FROM deployment_targets WHERE deployment = ${deployment} AND target IN (${sql.list(ids)})`,
      ),
    );
  }

  async loads(
    except: DeploymentId,
    targets: readonly TargetId[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<TargetId, number>> {
    const loads = new Map<TargetId, number>();
    for (const ids of inPieces(targets, IDS)) {
      signal.throwIfAborted();
      const rows = await this.tx.all(sql`
        SELECT target, COUNT(*) AS deployments FROM deployment_targets
        WHERE target IN (${sql.list(ids)}) AND deployment <> ${except} AND is_placed = 1 GROUP BY target`);
      for (const row of rows) loads.set(String(row['target']) as TargetId, Number(row['deployments']));
    }
    return loads;
  }

  #toTargets(rows: readonly Row[]): readonly DeploymentTarget[] {
    return rows.map((raw) => {
      const row = toDeploymentTarget(raw);
      this.#known.set(keyOf(row.deployment, row.target), row);
      return row;
    });
  }

  #forget(deployment: DeploymentId, targets: readonly TargetId[]): void {
    for (const target of targets) this.#known.delete(keyOf(deployment, target));
  }
}

function keyOf(deployment: DeploymentId, target: TargetId): string {
  return `${deployment} ${target}`;
}
