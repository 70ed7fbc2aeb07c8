import { type MigrationModule, type Storage, sql, type Transaction } from '#kit/storage';
import type { Answer } from '../routes/answer.ts';

const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;

/** A key, its owner and its request. */
export interface IdempotencyClaim {
  readonly principal: string;
  readonly key: string;
  readonly requestHash: string;
  /** When the request arrived. */
  readonly time: number;
}

export interface IdempotencyRecord {
  readonly requestHash: string;
  /** `undefined` if the response held a secret: such responses are not stored. */
  readonly answer: Answer | undefined;
}

export const httpMigrations: MigrationModule = {
  module: 'http',
  migrations: [
    {
      number: 1,
      name: 'idempotency keys',
      compatibleFrom: 0,
      up: `
        CREATE TABLE http_idempotency (
          principal TEXT NOT NULL,
          idempotency_key TEXT NOT NULL,
          request_hash TEXT NOT NULL,
          answer TEXT,
          expires_at BIGINT NOT NULL,
          PRIMARY KEY (principal, idempotency_key)
        );
        CREATE INDEX http_idempotency_expiry ON http_idempotency (expires_at);
      `,
    },
  ],
};

type RecordRow = { request_hash: string; answer: string | null };

/** The stored response for this key, unless it has expired. */
export async function findRecord(tx: Transaction, claim: IdempotencyClaim): Promise<IdempotencyRecord | undefined> {
  const row = await tx.get<RecordRow>(sql`
    SELECT request_hash, answer FROM http_idempotency
    WHERE principal = ${claim.principal} AND idempotency_key = ${claim.key} AND expires_at > ${claim.time}`);
  if (row === undefined) return undefined;
  return {
    requestHash: row.request_hash,
    answer: row.answer === null ? undefined : (JSON.parse(row.answer) as Answer),
  };
}

/**
 * Claims the key before the work is done. Of two requests with one key, on Postgres the later waits here for the
 * earlier, is then run again by the storage, and finds the record; on SQLite there is only one writer at a time.
 */
export async function claimKey(
  tx: Transaction,
  { principal, key, requestHash, time }: IdempotencyClaim,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO http_idempotency (principal, idempotency_key, request_hash, answer, expires_at)
    VALUES (${principal}, ${key}, ${requestHash}, ${null}, ${time + IDEMPOTENCY_TTL_MS})
    ON CONFLICT (principal, idempotency_key)
    DO UPDATE SET request_hash = excluded.request_hash, answer = NULL, expires_at = excluded.expires_at`);
}

export async function recordAnswer(
  tx: Transaction,
  { principal, key }: IdempotencyClaim,
  answer: Answer,
): Promise<void> {
  await tx.run(sql`
    UPDATE http_idempotency SET answer = ${JSON.stringify(answer)}
    WHERE principal = ${principal} AND idempotency_key = ${key}`);
}

const PURGE_BATCH = 1000;

/** Deletes expired keys, in small transactions. Returns their number. */
export async function purgeIdempotencyKeys(storage: Storage, now: number, signal: AbortSignal): Promise<number> {
  let purged = 0;
  for (;;) {
    const [count = 0] = await storage.commit(
      [
        sql`DELETE FROM http_idempotency WHERE (principal, idempotency_key) IN (
              SELECT principal, idempotency_key FROM http_idempotency WHERE expires_at <= ${now} LIMIT ${PURGE_BATCH})`,
      ],
      signal,
    );
    purged += count;
    if (count < PURGE_BATCH) return purged;
  }
}
