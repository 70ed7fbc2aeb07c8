import { sql } from '#kit/storage';
import type { AuthorStore } from '../../application/ports.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import { SqlStore } from './sql-store.ts';

export class SqlAuthorStore extends SqlStore implements AuthorStore {
  async add(
    deployment: DeploymentId,
    authors: readonly string[],
    generation: number,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    if (authors.length === 0) return;
    await this.tx.batch(
      authors.map(
        (author) => sql`
          INSERT INTO deployment_authors (deployment, author, generation)
          VALUES (${deployment}, ${author}, ${generation})
          ON CONFLICT (deployment, author) DO UPDATE SET generation = excluded.generation`,
      ),
    );
  }

  async of(deployment: DeploymentId, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted();
    const rows = await this.tx.all(
      sql`SELECT author FROM deployment_authors WHERE deployment = ${deployment} ORDER BY author`,
    );
    return rows.map((row) => String(row['author']));
  }

  async approved(deployment: DeploymentId, generation: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.batch([
      sql`UPDATE deployments SET approved_generation = ${generation} WHERE uid = ${deployment}`,
      sql`DELETE FROM deployment_authors WHERE deployment = ${deployment} AND generation <= ${generation}`,
    ]);
  }

  async succeeded(deployment: DeploymentId, generation: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`
      DELETE FROM deployment_authors
      WHERE deployment = ${deployment} AND generation <= ${generation}
        AND EXISTS (SELECT 1 FROM deployments WHERE uid = ${deployment} AND approved_generation IS NULL)`);
  }
}
