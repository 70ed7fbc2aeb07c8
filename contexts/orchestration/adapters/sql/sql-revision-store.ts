import { type Row, type Statement, sql } from '#kit/storage';
import type { RevisionPage, RevisionStore } from '../../application/ports.ts';
import type { DeploymentId, DeploymentSpec } from '../../domain/deployment/deployment.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { specReferences } from '../../domain/deployment/sealed-spec.ts';
import { OUTCOMES } from '../../domain/rollout/machine/phase.ts';
import { recordUses, revisionHolder } from '../secret-uses.ts';
import { SqlStore } from './sql-store.ts';

const COLUMNS = sql.raw(
  `deployment, revision, generation, spec, trigger_text, requested_by, rollback_to, is_paced, create_time, end_time,
   outcome, message, turns`,
);

export class SqlRevisionStore extends SqlStore implements RevisionStore {
  async insert(revision: Revision, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { deployment, spec } = revision;
    const holder = revisionHolder(deployment, revision.revision);
    const uses = specReferences(spec).map((reference) => ({ reference, holder, deployment }));
    await this.tx.batch([insertRevision(revision), ...recordUses(uses)]);
  }

  async find(deployment: DeploymentId, revision: number, signal: AbortSignal): Promise<Revision | undefined> {
    signal.throwIfAborted();
    const row = await this.tx.get(
      sql`SELECT ${COLUMNS} FROM deployment_revisions WHERE deployment = ${deployment} AND revision = ${revision}`,
    );
    return row && toRevision(row);
  }

  async page({ deployment, before, limit }: RevisionPage, signal: AbortSignal): Promise<readonly Revision[]> {
    signal.throwIfAborted();
    const older = before === undefined ? sql`1 = 1` : sql`revision < ${before}`;
    const rows = await this.tx.all(sql`
      SELECT ${COLUMNS} FROM deployment_revisions WHERE deployment = ${deployment} AND ${older}
      ORDER BY revision DESC LIMIT ${limit}`);
    return rows.map(toRevision);
  }

  async replace(revision: Revision, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { deployment, endTime, outcome, message, turns } = revision;
    await this.tx.batch([
      sql.expect(
        1,
        sql`UPDATE deployment_revisions
          SET end_time = ${endTime ?? null}, outcome = ${outcome ?? null}, message = ${message ?? null}, turns = ${turns}
          WHERE deployment = ${deployment} AND revision = ${revision.revision}`,
      ),
    ]);
  }
}

function insertRevision(its: Revision): Statement {
  const { deployment, revision, generation, spec, trigger, requestedBy, rollbackTo, isPaced, createTime, turns } = its;
  return sql`
    INSERT INTO deployment_revisions (${COLUMNS})
    VALUES (${deployment}, ${revision}, ${generation}, ${JSON.stringify(spec)}, ${trigger}, ${requestedBy},
      ${rollbackTo ?? null}, ${isPaced}, ${createTime}, ${its.endTime ?? null}, ${its.outcome ?? null},
      ${its.message ?? null}, ${turns})`;
}

function toRevision(row: Row): Revision {
  return {
    deployment: String(row['deployment']) as DeploymentId,
    revision: Number(row['revision']),
    generation: Number(row['generation']),
    spec: JSON.parse(String(row['spec'])) as DeploymentSpec,
    trigger: String(row['trigger_text']),
    requestedBy: String(row['requested_by']),
    rollbackTo: numberOr(row['rollback_to']),
    isPaced: row['is_paced'] === 1,
    createTime: Number(row['create_time']),
    endTime: numberOr(row['end_time']),
    outcome: OUTCOMES.find((outcome) => outcome === row['outcome']),
    message: textOr(row['message']),
    turns: Number(row['turns']),
  };
}

function numberOr(value: Row[string] | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function textOr(value: Row[string] | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
