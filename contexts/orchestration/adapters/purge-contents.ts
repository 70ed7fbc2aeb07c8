import { type Storage, sql, type Transaction } from '#kit/storage';
import { contentHolder } from './secret-uses.ts';

/** Small batches, so that the writer is soon free again. */
const LOT = 500;

const UNUSED_CONTENT = sql.raw(
  `NOT EXISTS (SELECT 1 FROM revision_contents WHERE revision_contents.hash = contents.hash)
    AND NOT EXISTS (SELECT 1 FROM generated_contents WHERE generated_contents.hash = contents.hash)`,
);
const UNUSED_SECRET = sql.raw(
  `NOT EXISTS (SELECT 1 FROM content_secret_uses WHERE content_secret_uses.reference = content_secrets.reference)`,
);

/** A deleted deployment took its spec and revisions with it. */
const FORGET_SPECS = sql`
  DELETE FROM content_secret_uses
  WHERE deployment IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM deployments WHERE deployments.uid = content_secret_uses.deployment)`;

/**
 * Deletes contents that no target had with any stored revision, and that wait for no delivery. Candidates are found by a read, and checked again within
 * the write.
 */
export async function purgeContents(storage: Storage, signal: AbortSignal): Promise<number> {
  let purged = 0;
  for (let after = ''; ; ) {
    const rows = await storage.all(
      sql`SELECT hash FROM contents WHERE hash > ${after} AND ${UNUSED_CONTENT} ORDER BY hash LIMIT ${LOT}`,
      signal,
    );
    const hashes = rows.map(({ hash }) => String(hash));
    if (hashes.length > 0) purged += await storage.write((tx) => dropContents(tx, hashes), signal);
    if (hashes.length < LOT) return purged;
    after = hashes.at(-1) ?? after;
  }
}

async function dropContents(tx: Transaction, hashes: readonly string[]): Promise<number> {
  const rows = await tx.all(sql`SELECT hash FROM contents WHERE hash IN (${sql.list(hashes)}) AND ${UNUSED_CONTENT}`);
  if (rows.length === 0) return 0;
  const unused = rows.map(({ hash }) => String(hash));
  await tx.batch([
    sql`DELETE FROM contents WHERE hash IN (${sql.list(unused)})`,
    sql`DELETE FROM content_secret_uses WHERE holder IN (${sql.list(unused.map(contentHolder))})`,
  ]);
  return unused.length;
}

/** Deletes secrets that no content and no spec refers to. */
export async function purgeSecrets(storage: Storage, signal: AbortSignal): Promise<number> {
  await storage.commit([FORGET_SPECS], signal);
  let purged = 0;
  for (let after = ''; ; ) {
    const rows = await storage.all(
      sql`SELECT reference FROM content_secrets WHERE reference > ${after} AND ${UNUSED_SECRET}
        ORDER BY reference LIMIT ${LOT}`,
      signal,
    );
    const references = rows.map(({ reference }) => String(reference));
    if (references.length > 0) purged += await storage.write((tx) => dropSecrets(tx, references), signal);
    if (references.length < LOT) return purged;
    after = references.at(-1) ?? after;
  }
}

async function dropSecrets(tx: Transaction, references: readonly string[]): Promise<number> {
  return await tx.run(
    sql`DELETE FROM content_secrets WHERE reference IN (${sql.list(references)}) AND ${UNUSED_SECRET}`,
  );
}
