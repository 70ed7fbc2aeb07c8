import { inPieces } from '#kit/std';
import { sql } from '#kit/storage';
import type { GeneratedContent, GeneratedFor, GeneratedStore } from '../../application/ports.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import { SqlStore } from '../sql/sql-store.ts';

/** Within the limit of values per statement on both engines. */
const IDS = 1_000;
/** A row has 5 values. */
const ROWS = 200;

export class SqlGeneratedStore extends SqlStore implements GeneratedStore {
  async of(
    deployment: DeploymentId,
    targets: readonly GeneratedFor[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<GeneratedFor, GeneratedContent>> {
    const found = new Map<GeneratedFor, GeneratedContent>();
    for (const some of inPieces(targets, IDS)) {
      signal.throwIfAborted();
      const rows = await this.tx.all(sql`
        SELECT target, inputs, invalidation, hash FROM generated_contents
        WHERE deployment = ${deployment} AND target IN (${sql.list(some)})`);
      for (const { target, inputs, invalidation, hash } of rows) {
        found.set(String(target) as GeneratedFor, {
          inputs: String(inputs),
          invalidation: String(invalidation),
          hash: hash === null ? undefined : String(hash),
        });
      }
    }
    return found;
  }

  async put(
    deployment: DeploymentId,
    contents: ReadonlyMap<GeneratedFor, GeneratedContent>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const statements = inPieces([...contents], ROWS).map((some) => {
      const rows = some.map(
        ([target, { inputs, invalidation, hash }]) =>
          sql`(${deployment}, ${target}, ${inputs}, ${invalidation}, ${hash ?? null})`,
      );
      return sql`
        INSERT INTO generated_contents (deployment, target, inputs, invalidation, hash) VALUES ${sql.list(rows)}
        ON CONFLICT (deployment, target)
        DO UPDATE SET inputs = excluded.inputs, invalidation = excluded.invalidation, hash = excluded.hash`;
    });
    if (statements.length > 0) await this.tx.batch(statements);
  }

  async invalidate(
    deployment: DeploymentId,
    targets: readonly GeneratedFor[],
    invalidation: string,
    signal: AbortSignal,
  ): Promise<void> {
    const gone: GeneratedContent = { inputs: '', invalidation, hash: undefined };
    await this.put(deployment, new Map(targets.map((target) => [target, gone])), signal);
  }

  async drop(deployment: DeploymentId, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`DELETE FROM generated_contents WHERE deployment = ${deployment}`);
  }
}
