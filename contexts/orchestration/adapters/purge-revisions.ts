import { type Row, type Storage, sql, type Transaction } from '#kit/storage';
import type { Revision } from '../domain/deployment/revision.ts';
import { DEFAULT_KEPT_REVISIONS, revisionsToPurge } from '../domain/deployment/revisions-to-purge.ts';
import type { Trigger } from '../domain/deployment/trigger.ts';
import { OUTCOMES } from '../domain/rollout/machine/phase.ts';
import { purgeContents, purgeSecrets } from './purge-contents.ts';
import { revisionHolder } from './secret-uses.ts';

export interface PurgeRevisionsDeps {
  readonly storage: Storage;
  /** How many revisions of each deployment are kept; default 10. */
  readonly keep?: number;
}

export interface PurgedRevisions {
  readonly revisions: number;
  readonly contents: number;
  readonly secrets: number;
}

/** Tables with rows per revision and deployment, besides the contents. */
const OF_REVISION = [
  'deployment_revisions',
  'rollout_turns',
  'rollout_snapshots',
  'rollout_inbox',
  'approvals',
] as const;

/**
 * Deletes old revisions, and then the contents and secrets that nothing refers to any more. One deployment at a time, and
 * contents in small batches, so that other writers do not wait long. It may be stopped at any point and run again.
 */
export async function purgeRevisions(deps: PurgeRevisionsDeps, signal: AbortSignal): Promise<PurgedRevisions> {
  const { storage, keep = DEFAULT_KEPT_REVISIONS } = deps;
  const crowded = await storage.all(
    sql`SELECT deployment FROM deployment_revisions GROUP BY deployment HAVING COUNT(*) > ${keep}`,
    signal,
  );
  let revisions = 0;
  for (const { deployment } of crowded) {
    revisions += await storage.write((tx) => purgeDeployment(tx, String(deployment), keep), signal);
  }
  const contents = await purgeContents(storage, signal);
  const secrets = await purgeSecrets(storage, signal);
  return { revisions, contents, secrets };
}

async function purgeDeployment(tx: Transaction, deployment: string, keep: number): Promise<number> {
  const rows = await tx.all(
    sql`SELECT revision, outcome, rollback_to FROM deployment_revisions WHERE deployment = ${deployment}`,
  );
  const pinned = await pinnedOf(tx, deployment, rows);
  const purged = revisionsToPurge(rows.map(toFacts), { keep, pinned });
  if (purged.length === 0) return 0;
  const holders = purged.map((revision) => revisionHolder(deployment, revision));
  const these = sql.list(purged);
  await tx.batch([
    ...OF_REVISION.map(
      (table) => sql`DELETE FROM ${sql.raw(table)} WHERE deployment = ${deployment} AND revision IN (${these})`,
    ),
    sql`DELETE FROM content_secret_uses WHERE holder IN (${sql.list(holders)})`,
  ]);
  await dropAssignments(tx, deployment);
  return purged.length;
}

/** The revision under way, the one it rolls back to, and those that a rollback was requested to. */
async function pinnedOf(tx: Transaction, deployment: string, rows: readonly Row[]): Promise<ReadonlySet<number>> {
  const own = await tx.get(sql`SELECT rollout FROM deployments WHERE uid = ${deployment}`);
  const triggers = await tx.all(sql`SELECT body FROM deployment_triggers WHERE deployment = ${deployment}`);
  const wanted = triggers
    .map(({ body }) => JSON.parse(String(body)) as Trigger)
    .flatMap((trigger) => (trigger.kind === 'rollback' ? [trigger.to] : []));
  const running = rows.find(({ revision }) => revision === own?.['rollout']);
  return new Set([running?.['revision'], running?.['rollback_to'], ...wanted].filter((one) => typeof one === 'number'));
}

/**
 * A row is valid from its revision until the target's next row. It is needed while a revision in between is stored, or if
 * there is no next row. A row that says the target has nothing is not needed once no earlier row is left.
 */
async function dropAssignments(tx: Transaction, deployment: string): Promise<void> {
  await tx.run(sql`
    DELETE FROM revision_contents AS held
    WHERE held.deployment = ${deployment}
      AND EXISTS (
        SELECT 1 FROM revision_contents AS later
        WHERE later.deployment = held.deployment AND later.target = held.target AND later.revision > held.revision)
      AND NOT EXISTS (
        SELECT 1 FROM deployment_revisions AS kept
        WHERE kept.deployment = held.deployment AND kept.revision >= held.revision AND kept.revision < (
          SELECT MIN(next.revision) FROM revision_contents AS next
          WHERE next.deployment = held.deployment AND next.target = held.target AND next.revision > held.revision))`);
  await tx.run(sql`
    DELETE FROM revision_contents AS empty
    WHERE empty.deployment = ${deployment} AND empty.hash IS NULL AND NOT EXISTS (
      SELECT 1 FROM revision_contents AS earlier
      WHERE earlier.deployment = empty.deployment AND earlier.target = empty.target
        AND earlier.revision < empty.revision)`);
}

function toFacts(row: Row): Pick<Revision, 'revision' | 'outcome'> {
  return { revision: Number(row['revision']), outcome: OUTCOMES.find((outcome) => outcome === row['outcome']) };
}
