import type { Uuid } from '#kit/std';
import { sql, type Transaction } from '#kit/storage';
import type { ScoreReaders } from '../application/scores/report-score.ts';
import type { DeploymentSpec } from '../domain/deployment/deployment.ts';

/**
 * DECISION: the database leaves out those whose spec does not so much as name such a type. Scores are reported often, and
 * the specs of a whole instance are too much to be read each time.
 */
export class SqlScoreReaders implements ScoreReaders {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async placedBy(types: readonly string[], workspacePaths: readonly string[], signal: AbortSignal) {
    signal.throwIfAborted();
    if (types.length === 0) return [];
    const named = types.map((type) => sql`spec LIKE ${`%"${type}"%`}`);
    const rows = await this.#tx.all(sql`
      SELECT uid, spec FROM deployments
      WHERE workspace_path IN (${sql.list(workspacePaths)}) AND deletion IS NULL AND (${sql.list(named, ' OR ')})
      ORDER BY uid`);
    return rows
      .map(({ uid, spec }) => ({ uid: String(uid) as Uuid, ...(JSON.parse(String(spec)) as DeploymentSpec) }))
      .map(({ uid, placement }) => ({ uid, placement }))
      .filter(({ placement }) => placement.some(({ type }) => types.includes(type)));
  }
}
