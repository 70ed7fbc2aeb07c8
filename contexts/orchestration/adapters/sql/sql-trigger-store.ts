import { inPieces, type Uuid } from '#kit/std';
import { sql, type Transaction } from '#kit/storage';
import type { TriggerStore } from '../../application/ports.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import type { RecordedTrigger, Trigger } from '../../domain/deployment/trigger.ts';
import { SqlStore } from './sql-store.ts';

/** Within the limit of values per statement on both engines. */
const ROWS = 200;

export class SqlTriggerStore extends SqlStore implements TriggerStore {
  readonly #newId: () => Uuid;

  /** Ids must be ascending, which keeps triggers in order. */
  constructor(tx: Transaction, newId: () => Uuid) {
    super(tx);
    this.#newId = newId;
  }

  async add(deployment: DeploymentId, triggers: readonly Trigger[], now: number, signal: AbortSignal): Promise<void> {
    for (const some of inPieces(triggers, ROWS)) {
      signal.throwIfAborted();
      const rows = some.map((trigger) => sql`(${this.#newId()}, ${deployment}, ${now}, ${JSON.stringify(trigger)})`);
      await this.tx.run(sql`INSERT INTO deployment_triggers (id, deployment, time, body) VALUES ${sql.list(rows)}`);
    }
  }

  async of(deployment: DeploymentId, signal: AbortSignal): Promise<readonly RecordedTrigger[]> {
    signal.throwIfAborted();
    const rows = await this.tx.all(
      sql`SELECT id, time, body FROM deployment_triggers WHERE deployment = ${deployment} ORDER BY id`,
    );
    return rows.map(({ id, time, body }) => ({
      id: String(id),
      time: Number(time),
      trigger: JSON.parse(String(body)) as Trigger,
    }));
  }

  async drop(ids: readonly string[], signal: AbortSignal): Promise<void> {
    for (const some of inPieces(ids, ROWS)) {
      signal.throwIfAborted();
      await this.tx.run(sql`DELETE FROM deployment_triggers WHERE id IN (${sql.list(some)})`);
    }
  }
}
