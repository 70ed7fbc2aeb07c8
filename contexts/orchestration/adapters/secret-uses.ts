import { type Statement, sql } from '#kit/storage';

/** Within what one statement may carry in values on both engines. */
const ROWS = 1_000;

/** What refers to a secret: a content, or the spec of a deployment or a revision, which is forgotten with the deployment. */
export interface SecretUse {
  readonly reference: string;
  readonly holder: string;
  readonly deployment?: string;
}

/**
 * So that a secret that nothing refers to any more can be found without a look at all content. Said twice is said once.
 */
export function recordUses(uses: readonly SecretUse[]): readonly Statement[] {
  const statements: Statement[] = [];
  for (let start = 0; start < uses.length; start += ROWS) {
    const rows = uses
      .slice(start, start + ROWS)
      .map(({ reference, holder, deployment }) => sql`(${reference}, ${holder}, ${deployment ?? null})`);
    statements.push(
      sql`INSERT INTO content_secret_uses (reference, holder, deployment) VALUES ${sql.list(rows)} ON CONFLICT DO NOTHING`,
    );
  }
  return statements;
}

/** Followed by the hash of a content. */
export const CONTENT_HOLDER = 'content/';

export function contentHolder(hash: string): string {
  return `${CONTENT_HOLDER}${hash}`;
}

export function revisionHolder(deployment: string, revision: number): string {
  return `revision/${deployment}/${revision}`;
}
