import { inPieces, type ResourceName } from '#kit/std';
import { type Row, type Statement, sql } from '#kit/storage';
import type { DeploymentStore } from '../../application/ports.ts';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import { staleVersion } from '../../domain/deployment/deployment-error.ts';
import { specReferences } from '../../domain/deployment/sealed-spec.ts';
import { recordUses } from '../secret-uses.ts';
import { COLUMNS, READ_COLUMNS, toDeployment } from './deployment-row.ts';
import { SqlStore } from './sql-store.ts';

/** Announced when there is news for a pipeline. */
export const PIPELINE_WOKEN = 'orchestration.woken';

/** Within the limit of values per statement on both engines. */
const ROWS = 1_000;

export class SqlDeploymentStore extends SqlStore implements DeploymentStore {
  /**
   * The generations read by this transaction: as long as the generation stays, so do the secrets that the spec refers to.
   */
  readonly #read = new Map<DeploymentId, number>();

  async find(workspace: ResourceName, name: ResourceName, signal: AbortSignal): Promise<Deployment | undefined> {
    signal.throwIfAborted();
    const row = await this.tx.get(
      sql`SELECT ${READ_COLUMNS} FROM deployments WHERE workspace = ${workspace} AND name = ${name}`,
    );
    return row && this.#toDeployment(row);
  }

  async get(uid: DeploymentId, signal: AbortSignal): Promise<Deployment | undefined> {
    signal.throwIfAborted();
    const row = await this.tx.get(sql`SELECT ${READ_COLUMNS} FROM deployments WHERE uid = ${uid}`);
    return row && this.#toDeployment(row);
  }

  async getAll(uids: readonly DeploymentId[], signal: AbortSignal): Promise<readonly Deployment[]> {
    return await this.#allIn('uid', uids, signal);
  }

  async insert(deployment: Deployment, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.batch([insertDeployment(deployment), ...usesOfSpec(deployment)]);
  }

  async replace(next: Deployment, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const changed = await this.tx.run(sql`
      UPDATE deployments
      SET labels = ${JSON.stringify(next.labels)}, spec = ${JSON.stringify(next.spec)},
        rollout_state = ${next.rolloutState}, deletion = ${jsonOrNull(next.deletion)},
        generation = ${next.generation}, observed_generation = ${next.observedGeneration}, revision = ${next.revision},
        rollout = ${next.rollout ?? null}, status = ${JSON.stringify(next.status)}, version = ${next.version},
        update_time = ${next.updateTime}
      WHERE uid = ${next.uid} AND version = ${next.version - 1}`);
    if (changed !== 1) throw staleVersion(next.name);
    if (this.#read.get(next.uid) === next.generation) return;
    await this.tx.batch([
      sql`DELETE FROM content_secret_uses WHERE holder = ${holderOf(next.uid)}`,
      ...usesOfSpec(next),
    ]);
  }

  async remove(uid: DeploymentId, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const kept = KEPT.map((table) => sql`DELETE FROM ${sql.raw(table)} WHERE deployment = ${uid}`);
    await this.tx.batch([
      ...kept,
      sql`DELETE FROM deployment_watches WHERE watcher = ${uid}`,
      sql`DELETE FROM content_secret_uses WHERE holder = ${holderOf(uid)}`,
      sql`DELETE FROM deployments WHERE uid = ${uid}`,
    ]);
  }

  async childrenOf(group: DeploymentId, signal: AbortSignal): Promise<readonly Deployment[]> {
    return await this.#allIn('owner_group', [group], signal);
  }

  async inWorkspaces(paths: readonly string[], signal: AbortSignal): Promise<readonly Deployment[]> {
    return await this.#allIn('workspace_path', paths, signal);
  }

  async blocked(signal: AbortSignal): Promise<readonly DeploymentId[]> {
    signal.throwIfAborted();
    // The text may contain the word elsewhere, so the rows are checked once more.
    const rows = await this.tx.all(
      sql`SELECT uid, status FROM deployments WHERE run IS NOT NULL AND status LIKE ${'%"trouble"%'}`,
    );
    return rows
      .filter(({ status }) => (JSON.parse(String(status)) as Deployment['status']).trouble !== undefined)
      .map(({ uid }) => String(uid) as DeploymentId);
  }

  async wake(uid: DeploymentId, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(
      sql.announce(
        PIPELINE_WOKEN,
        sql`
          UPDATE deployments
          SET news = news + 1, runs = CASE WHEN run IS NULL THEN runs + 1 ELSE runs END, run = COALESCE(run, runs + 1)
          WHERE uid = ${uid}`,
      ),
    );
  }

  async hear(uid: DeploymentId, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`UPDATE deployments SET heard = news WHERE uid = ${uid}`);
  }

  async isUnderWay(uid: DeploymentId, run: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const row = await this.tx.get(sql`SELECT run FROM deployments WHERE uid = ${uid}`);
    return row?.['run'] === run;
  }

  async rest(uid: DeploymentId, run: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const changed = await this.tx.run(
      sql`UPDATE deployments SET run = NULL WHERE uid = ${uid} AND run = ${run} AND news = heard`,
    );
    return changed === 1;
  }

  async #allIn(column: 'uid' | 'owner_group' | 'workspace_path', values: readonly string[], signal: AbortSignal) {
    const found: Deployment[] = [];
    for (const some of inPieces(values, ROWS)) {
      signal.throwIfAborted();
      const rows = await this.tx.all(
        sql`SELECT ${READ_COLUMNS} FROM deployments WHERE ${sql.raw(column)} IN (${sql.list(some)}) ORDER BY name`,
      );
      found.push(...rows.map((row) => this.#toDeployment(row)));
    }
    return found;
  }

  #toDeployment(row: Row): Deployment {
    const deployment = toDeployment(row);
    this.#read.set(deployment.uid, deployment.generation);
    return deployment;
  }
}

/** The tables with rows per deployment uid. */
const KEPT = [
  'deployment_triggers',
  'deployment_targets',
  'deployment_revisions',
  'rollout_turns',
  'rollout_snapshots',
  'rollout_inbox',
  'approvals',
  'deployment_authors',
  'revision_contents',
  'generated_contents',
  'owed_removals',
] as const;

/** Also used by benchmarks and tests, which insert many at once. */
export function insertDeployment(deployment: Deployment): Statement {
  const { uid, name, workspace, labels, spec, rolloutState, owner, generation, observedGeneration } = deployment;
  const { revision, rollout, status, version, createTime, updateTime } = deployment;
  return sql`
    INSERT INTO deployments (${COLUMNS})
    VALUES (${uid}, ${name}, ${workspace.name}, ${workspace.path}, ${JSON.stringify(labels)}, ${JSON.stringify(spec)},
      ${rolloutState}, ${owner?.group ?? null}, ${owner?.child ?? null}, ${jsonOrNull(deployment.deletion)},
      ${generation}, ${observedGeneration}, ${revision}, ${rollout ?? null}, ${JSON.stringify(status)}, ${version},
      ${createTime}, ${updateTime})`;
}

/** Keeps secrets of the spec from being purged while no revision refers to them yet. */
function usesOfSpec({ uid, spec }: Deployment): readonly Statement[] {
  return recordUses(specReferences(spec).map((reference) => ({ reference, holder: holderOf(uid), deployment: uid })));
}

function holderOf(uid: DeploymentId): string {
  return `deployment/${uid}`;
}

function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
