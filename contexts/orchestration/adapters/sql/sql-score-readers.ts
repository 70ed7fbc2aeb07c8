import type { Uuid } from '#kit/std';
import { sql, type Transaction } from '#kit/storage';
import type { ScoreReaders } from '../../application/scores/report-score.ts';
import type { DeploymentSpec } from '../../domain/deployment/deployment.ts';

/**
 * DECISION: the database skips deployments whose spec does not contain the name of such a type. Scores are reported
 * often, and reading the specs of a whole instance each time would cost too much.
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
