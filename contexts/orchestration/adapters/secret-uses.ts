import { inPieces } from '#kit/std';
import { type Statement, sql } from '#kit/storage';

/** Within the limit of values per statement on both engines. */
const ROWS = 1_000;

/** A holder of a secret: a content, or the spec of a deployment or a revision, which is deleted with the deployment. */
export interface SecretUse {
  readonly reference: string;
  readonly holder: string;
  readonly deployment?: string;
}

/** Allows finding unreferenced secrets without scanning all contents. Recording the same use twice has no effect. */
export function recordUses(uses: readonly SecretUse[]): readonly Statement[] {
  return inPieces(uses, ROWS).map((some) => {
    const rows = some.map(({ reference, holder, deployment }) => sql`(${reference}, ${holder}, ${deployment ?? null})`);
    return sql`INSERT INTO content_secret_uses (reference, holder, deployment) VALUES ${sql.list(rows)} ON CONFLICT DO NOTHING`;
  });
}

/** Followed by the hash of a content. */
export const CONTENT_HOLDER = 'content/';

export function contentHolder(hash: string): string {
  return `${CONTENT_HOLDER}${hash}`;
}

export function revisionHolder(deployment: string, revision: number): string {
  return `revision/${deployment}/${revision}`;
}
