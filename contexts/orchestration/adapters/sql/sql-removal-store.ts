import { type Row, sql } from '#kit/storage';
import type { OwedRemoval, RemovalStore } from '../../application/ports.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import type { RemovedContext } from '../../domain/manifest/generate-context.ts';
import { SqlStore } from './sql-store.ts';

export class SqlRemovalStore extends SqlStore implements RemovalStore {
  async add(
    owed: readonly Pick<OwedRemoval, 'strategy' | 'context'>[],
    now: number,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    if (owed.length === 0) return;
    await this.tx.batch(
      owed.map(({ strategy, context }) => {
        const { deployment, target, idempotencyKey } = context;
        return sql`
          INSERT INTO owed_removals
            (deployment, target, strategy, idempotency_key, body, attempts, failure, create_time, next_time)
          VALUES (${deployment.uid}, ${target.id}, ${strategy}, ${idempotencyKey}, ${JSON.stringify(context)}, ${0},
            ${null}, ${now}, ${now})
          ON CONFLICT (deployment, target) DO UPDATE SET strategy = excluded.strategy,
            idempotency_key = excluded.idempotency_key, body = excluded.body, attempts = 0, failure = NULL,
            create_time = excluded.create_time, next_time = excluded.next_time`;
      }),
    );
  }

  async of(deployment: DeploymentId, signal: AbortSignal) {
    signal.throwIfAborted();
    const [first, counted] = await Promise.all([
      this.tx.get(sql`
        SELECT strategy, body, attempts, failure FROM owed_removals WHERE deployment = ${deployment}
        ORDER BY create_time, target LIMIT 1`),
      this.tx.get(sql`SELECT COUNT(*) AS n FROM owed_removals WHERE deployment = ${deployment}`),
    ]);
    return { first: first && owedOf(first), count: Number(counted?.['n'] ?? 0) };
  }

  async isDue(now: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return (await this.tx.get(sql`SELECT 1 AS one FROM owed_removals WHERE ${isDue(now)} LIMIT 1`)) !== undefined;
  }

  async claim(
    { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
    signal: AbortSignal,
  ): Promise<readonly OwedRemoval[]> {
    signal.throwIfAborted();
    await this.tx.run(sql`
      DELETE FROM owed_removals WHERE next_time <= ${now} AND EXISTS (
        SELECT 1 FROM deployment_targets AS its
        WHERE its.deployment = owed_removals.deployment AND its.target = owed_removals.target
          AND (its.applied_revision IS NOT NULL OR its.order_kind IS NOT NULL OR its.failure IS NOT NULL))`);
    const rows = await this.tx.all(sql`
      SELECT deployment, target, strategy, body, attempts, failure FROM owed_removals WHERE ${isDue(now)}
      ORDER BY next_time, deployment, target LIMIT ${limit}`);
    if (rows.length === 0) return [];
    await this.tx.batch(
      rows.map(
        ({ deployment, target }) => sql`
          UPDATE owed_removals SET next_time = ${until}
          WHERE deployment = ${String(deployment)} AND target = ${String(target)}`,
      ),
    );
    return rows.map(owedOf);
  }

  async drop(context: RemovedContext, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`DELETE FROM owed_removals WHERE ${isIt(context)}`);
  }

  async failed(
    context: RemovedContext,
    { message, nextTime }: { readonly message: string; readonly nextTime: number },
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`
      UPDATE owed_removals SET attempts = attempts + 1, failure = ${message}, next_time = ${nextTime}
      WHERE ${isIt(context)}`);
  }

  async hurry(strategies: readonly string[], now: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (strategies.length === 0) return;
    await this.tx.run(sql`
      UPDATE owed_removals SET next_time = ${now} WHERE strategy IN (${sql.list(strategies)}) AND next_time > ${now}`);
  }
}

/** A target that has the deployment again and no content yet: the call would race with its generation, or is about nothing. */
function isDue(now: number) {
  return sql`next_time <= ${now} AND NOT EXISTS (
    SELECT 1 FROM deployment_targets AS its
    WHERE its.deployment = owed_removals.deployment AND its.target = owed_removals.target
      AND its.applied_revision IS NULL AND its.order_kind IS NULL AND its.failure IS NULL)`;
}

function isIt({ deployment, target, idempotencyKey }: RemovedContext) {
  return sql`deployment = ${deployment.uid} AND target = ${target.id} AND idempotency_key = ${idempotencyKey}`;
}

function owedOf({ strategy, body, attempts, failure }: Row): OwedRemoval {
  return {
    strategy: String(strategy),
    context: JSON.parse(String(body)) as RemovedContext,
    attempts: Number(attempts),
    failure: failure === null ? undefined : String(failure),
  };
}
