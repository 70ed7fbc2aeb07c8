import assert from 'node:assert/strict';
import { type Storage, sql } from '#kit/storage';
import { PATIENCE_MS } from '#testing/patience';

const TABLES = ['issuers', 'accounts', 'tokens', 'sessions', 'login_codes', 'revocations'];

/** Asserts that no table contains the secret, with or without its dashes. */
export async function assertNowhere(storage: Storage, secret: string): Promise<void> {
  assert.ok(secret.length > 20);
  for (const table of [...TABLES.map((name) => `identity_${name}`), 'outbox', 'http_idempotency']) {
    const rows = JSON.stringify(
      await storage.all(sql`SELECT * FROM ${sql.raw(table)}`, AbortSignal.timeout(PATIENCE_MS)),
    );
    assert.ok(!rows.includes(secret) && !rows.includes(secret.replaceAll('-', '')), table);
  }
}
