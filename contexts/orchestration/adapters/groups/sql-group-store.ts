import { type Row, sql } from '#kit/storage';
import type { GroupRecord, GroupStore } from '../../application/ports.ts';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import { staleVersion } from '../../domain/deployment/deployment-error.ts';
import type { GroupState } from '../../domain/group/group-state.ts';
import type { DeploymentGroupSpec } from '../../domain/manifest/group/deployment-group.ts';
import { SqlStore } from '../sql/sql-store.ts';

/** Announced when there is news for a group's controller. */
export const GROUP_WOKEN = 'orchestration.groupWoken';

const COLUMNS = sql.raw('deployment, revision, hash, document, state');

export class SqlGroupStore extends SqlStore implements GroupStore {
  async find(group: DeploymentId, signal: AbortSignal): Promise<GroupRecord | undefined> {
    signal.throwIfAborted();
    const row = await this.tx.get(sql`SELECT ${COLUMNS} FROM deployment_groups WHERE deployment = ${group}`);
    return row && toRecord(row);
  }

  async all(signal: AbortSignal): Promise<readonly GroupRecord[]> {
    signal.throwIfAborted();
    return (await this.tx.all(sql`SELECT ${COLUMNS} FROM deployment_groups ORDER BY deployment`)).map(toRecord);
  }

  async put({ group, revision, hash, spec, state }: GroupRecord, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const [document, kept] = [JSON.stringify(spec ?? null), JSON.stringify(state)];
    await this.tx.run(sql`
      INSERT INTO deployment_groups (deployment, revision, hash, document, state)
      VALUES (${group}, ${revision}, ${hash}, ${document}, ${kept})
      ON CONFLICT (deployment) DO UPDATE
      SET revision = excluded.revision, hash = excluded.hash, document = excluded.document, state = excluded.state`);
  }

  async drop(group: DeploymentId, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`DELETE FROM deployment_groups WHERE deployment = ${group}`);
  }

  async wake(group: DeploymentId, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(
      sql.announce(
        GROUP_WOKEN,
        sql`
          UPDATE deployment_groups
          SET news = news + 1, runs = CASE WHEN run IS NULL THEN runs + 1 ELSE runs END, run = COALESCE(run, runs + 1)
          WHERE deployment = ${group}`,
      ),
    );
  }

  async hear(group: DeploymentId, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`UPDATE deployment_groups SET heard = news WHERE deployment = ${group} AND heard <> news`);
  }

  /** A repeated call by a run that is over already, after the answer got lost, returns true again. */
  async rest(group: DeploymentId, run: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    await this.tx.run(
      sql`UPDATE deployment_groups SET run = NULL WHERE deployment = ${group} AND run = ${run} AND news = heard`,
    );
    const row = await this.tx.get(sql`SELECT run FROM deployment_groups WHERE deployment = ${group}`);
    return row?.['run'] !== run;
  }

  async renameChild({ uid, name, owner, version, updateTime }: Deployment, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const changed = await this.tx.run(sql`
      UPDATE deployments
      SET name = ${name}, owner_child = ${owner?.child ?? null}, version = ${version}, update_time = ${updateTime}
      WHERE uid = ${uid} AND version = ${version - 1}`);
    if (changed !== 1) throw staleVersion(name);
    await this.tx.run(sql`UPDATE approvals SET deployment_name = ${name} WHERE deployment = ${uid}`);
  }
}

function toRecord(row: Row): GroupRecord {
  return {
    group: String(row['deployment']) as DeploymentId,
    revision: Number(row['revision']),
    hash: String(row['hash']),
    // Only this store writes it, from a parsed spec.
    spec: (JSON.parse(String(row['document'])) as DeploymentGroupSpec | null) ?? undefined,
    state: JSON.parse(String(row['state'])) as GroupState,
  };
}
